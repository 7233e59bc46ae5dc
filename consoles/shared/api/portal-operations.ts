// Made by sdk/generate.ts from docs/generated/portal-openapi.json. Do not edit it: change the schemas of the service and make it anew.

/** One of these words, or one that is newer than this client. */
type Open<Known extends string> = Known | (string & Record<never, never>);

export type AcceptLinkRequest = {
  /** The new password, 12 to 200 characters. */
  password: string;
  /** The name; empty for none. */
  name?: string | undefined;
  /** The six digits that the app shows, or a recovery code. Needed where there is a second factor. */
  code?: string | undefined;
};

export type AccessToken = {
  id: string;
  name: string;
  scopes: Open<'orders:read' | 'orders:write' | 'products:read' | 'products:write' | 'tax:read' | 'shipping:read'>[];
  /** ISO 8601, UTC, with milliseconds and Z. */
  created_at: string;
  last_used_at: string | null;
  revoked_at: string | null;
};

export type AccessTokenPage = {
  data: AccessToken[];
  /** True when another page exists. */
  has_more: boolean;
  next_cursor: string | null;
};

export type AccountOfLink = {
  name: string;
};

/** The members of RFC 9457 and ours. Some codes add members of their own. */
export type ApiError = {
  /** Link to the description of the error: /docs/errors#code. */
  type: string;
  /** The same for every error of this code. */
  title: string;
  status: number;
  /** Identifies the error for programs; more codes may be added. */
  code: string;
  /** What went wrong this time and what to change, for a person. */
  detail: string;
  /** Quote it to support; the same as the header X-Request-Id. */
  request_id: string;
};

export type BillingAddress = {
  line1: string;
  /** "" where there is none. */
  line2: string;
  city: string;
  /** "" where there is none. */
  county: string;
  postcode: string;
  /** ISO 3166-1 alpha-2, upper case. */
  country_code: string;
};

/** The whole address. */
export type BillingAddressBody = {
  /** Street and number. */
  line1: string;
  /** Second address line. */
  line2?: string | undefined;
  /** Town or city. */
  city: string;
  /** County, state or province. */
  county?: string | undefined;
  /** Postcode; where a country has none, any non-blank text. */
  postcode: string;
  /** ISO 3166-1 alpha-2, upper case. */
  country_code: string;
};

export type BillingContact = {
  name: string;
  email: string;
};

/** Whom to write to about invoices. Null removes it. */
export type BillingContactBody = {
  /** Who looks after the accounts. */
  name: string;
  /** Their address. */
  email: string;
};

/** Null while it is not known. */
export type BillingIdentity = {
  /** The name of the business, or of the person who trades. */
  legal_name: string;
  address: BillingAddress;
  /** Its number in the register of companies; "" where there is none. */
  company_number: string;
  contact: BillingContact | null;
};

export type ChangeBillingRequest = {
  /** The name of the business, or of the person who trades. */
  legal_name?: string | undefined;
  address?: BillingAddressBody | undefined;
  company_number?: (string | null) | undefined;
  contact?: (BillingContactBody | null) | undefined;
};

export type ChangeNoticesRequest = {
  wants: WantedNotices;
};

export type ChangePasswordRequest = {
  /** The password of now. */
  current: string;
  /** The new password, 12 to 200 characters. */
  new: string;
  /** The six digits that the app shows, or a recovery code. Needed where there is a second factor. */
  code?: string | undefined;
};

export type ChangePersonRequest = {
  /** What the person may do for the account. */
  role?: ('owner' | 'manager' | 'orders' | 'reader') | undefined;
  /** The name; empty for none. */
  name?: string | undefined;
  /** Whether the person is kept from signing in. */
  disabled?: boolean | undefined;
  /** Removes the second factor of a person who has lost it. */
  second_factor?: false | undefined;
};

export type ChangeShippingPreferenceRequest = {
  service: string | null;
};

export type Company = {
  /** What the account is called here. */
  name: string;
  billing: BillingIdentity | null;
  /** "" where there is none. */
  vat_number: string;
  /** How orders are charged VAT. The print shop decides it. */
  vat_status: Open<'standard' | 'reverse_charge_eu'>;
  vat_proposal: VatProposal | null;
};

export type ConfirmSecondFactorRequest = {
  /** The six digits that the app shows, or a recovery code. Needed where there is a second factor. */
  code: string;
};

export type ConfirmSignUpRequest = {
  /** The password, 12 to 200 characters. */
  password: string;
};

/** The resource is in a state that does not allow this: an order that is dispatched or delivered cannot be cancelled, a product that is archived or personalised cannot be changed. */
export type ConflictError = {
  /** Link to the description of the error: /docs/errors#code. */
  type: string;
  /** The same for every error of this code. */
  title: string;
  status: 409;
  code: 'conflict';
  /** What went wrong this time and what to change, for a person. */
  detail: string;
  /** Quote it to support; the same as the header X-Request-Id. */
  request_id: string;
};

/** A change by a session lacks the header Origin of this service, or the header X-Platen-CSRF with the token of the session. So a page of another site cannot act for who is signed in. Also on the public API, when it is called by a session. */
export type CsrfRefusedError = {
  /** Link to the description of the error: /docs/errors#code. */
  type: string;
  /** The same for every error of this code. */
  title: string;
  status: 403;
  code: 'csrf_refused';
  /** What went wrong this time and what to change, for a person. */
  detail: string;
  /** Quote it to support; the same as the header X-Request-Id. */
  request_id: string;
};

export type Entrance = {
  /** What the print shop is called. */
  shop: string;
  /** Whether people can open an account by themselves. */
  sign_up: Open<'closed' | 'approval' | 'open'>;
  /** Whether a link to a new password can be mailed. */
  password_reset: boolean;
};

/** The person is signed in, but has another role in the account. */
export type InsufficientScopeError = {
  /** Link to the description of the error: /docs/errors#code. */
  type: string;
  /** The same for every error of this code. */
  title: string;
  status: 403;
  code: 'insufficient_scope';
  /** What went wrong this time and what to change, for a person. */
  detail: string;
  /** Quote it to support; the same as the header X-Request-Id. */
  request_id: string;
  /** The roles of which the person needs one. */
  required_roles: string[];
};

/** Something went wrong on our side. It is logged with the request id. */
export type InternalError = {
  /** Link to the description of the error: /docs/errors#code. */
  type: string;
  /** The same for every error of this code. */
  title: string;
  status: 500;
  code: 'internal_error';
  /** What went wrong this time and what to change, for a person. */
  detail: string;
  /** Quote it to support; the same as the header X-Request-Id. */
  request_id: string;
};

/** The body is not valid JSON, is empty or is not UTF-8; or the request is not well-formed HTTP, such as one with two Host headers. */
export type InvalidRequestError = {
  /** Link to the description of the error: /docs/errors#code. */
  type: string;
  /** The same for every error of this code. */
  title: string;
  status: 400;
  code: 'invalid_request';
  /** What went wrong this time and what to change, for a person. */
  detail: string;
  /** Quote it to support; the same as the header X-Request-Id. */
  request_id: string;
};

export type Invitation = {
  id: string;
  email: string;
  /** What the person may do for the account. */
  role: Open<'owner' | 'manager' | 'orders' | 'reader'>;
  /** Empty when none was given. */
  name: string;
  /** ISO 8601, UTC, with milliseconds and Z. */
  created_at: string;
  /** Until when the link can be used. */
  expires_at: string;
};

export type Invitations = {
  data: Invitation[];
};

export type InvitePersonRequest = {
  /** The address that the person will sign in with. */
  email: string;
  /** What the person may do for the account. */
  role: 'owner' | 'manager' | 'orders' | 'reader';
  /** The name; empty for none. */
  name?: string | undefined;
};

export type Link = {
  /** To come in for the first time, or to choose a new password. */
  kind: Open<'invitation' | 'reset'>;
  /** What the person signs in with. */
  email: string;
  /** Empty when none was given. */
  name: string;
  account: AccountOfLink;
};

export type ListedSession = {
  id: string;
  /** ISO 8601, UTC, with milliseconds and Z. */
  created_at: string;
  /** To within two minutes. */
  last_seen_at: string;
  /** What the browser says it is, shortened. */
  user_agent: string;
  /** Whether it is the session that asks. */
  is_current: boolean;
};

export type MintTokenRequest = {
  /** What it is for, to tell it from others. */
  name: string;
  /** What the token may do. */
  scopes: readonly (
    | 'orders:read'
    | 'orders:write'
    | 'products:read'
    | 'products:write'
    | 'tax:read'
    | 'shipping:read'
  )[];
};

export type MintedToken = {
  id: string;
  name: string;
  scopes: Open<'orders:read' | 'orders:write' | 'products:read' | 'products:write' | 'tax:read' | 'shipping:read'>[];
  /** Shown this once. */
  token: string;
  /** ISO 8601, UTC, with milliseconds and Z. */
  created_at: string;
};

export type NewInvitation = {
  id: string;
  email: string;
  /** What the person may do for the account. */
  role: Open<'owner' | 'manager' | 'orders' | 'reader'>;
  /** Empty when none was given. */
  name: string;
  /** ISO 8601, UTC, with milliseconds and Z. */
  created_at: string;
  /** Until when the link can be used. */
  expires_at: string;
  /** Whether the link is on its way by mail. */
  mailed: boolean;
  /** The link to pass on, shown this once, where it was not mailed. */
  url?: string;
};

export type NewSecondFactor = {
  /** For apps that take text. It is shown this once. */
  secret: string;
  /** The same for a picture that apps read. */
  otpauth_url: string;
};

/** The path or the resource does not exist, or the resource belongs to another account; the answer does not say which. Also the answer to an order that names an unknown product. */
export type NotFoundError = {
  /** Link to the description of the error: /docs/errors#code. */
  type: string;
  /** The same for every error of this code. */
  title: string;
  status: 404;
  code: 'not_found';
  /** What went wrong this time and what to change, for a person. */
  detail: string;
  /** Quote it to support; the same as the header X-Request-Id. */
  request_id: string;
};

export type NoticeKind = {
  kind: Open<'order_on_hold' | 'artwork_failed' | 'payment_failed' | 'vat_decided'>;
  label: string;
  means: string;
};

export type NoticeMatrix = {
  /** Whether this service sends mail at all. */
  is_mailed: boolean;
  kinds: NoticeKind[];
  people: NoticeRecipient[];
};

export type NoticeRecipient = {
  id: string;
  email: string;
  /** Empty when none was given. */
  name: string;
  /** The mails that the person gets. */
  wants: Open<'order_on_hold' | 'artwork_failed' | 'payment_failed' | 'vat_decided'>[];
};

export type OwnRequest = {
  /** The request id, as the header X-Request-Id of the response had it. */
  id: string;
  /** ISO 8601, UTC, with milliseconds and Z. */
  at: string;
  method: string;
  /** The path with the names of its parameters. */
  route: string;
  /** The path without its query. */
  path: string;
  status: number;
  code: string | null;
  /** How long it took, in milliseconds. */
  ms: number;
  token_id: string | null;
  client_id: string | null;
};

export type OwnRequestPage = {
  data: OwnRequest[];
  /** True when another page exists. */
  has_more: boolean;
  next_cursor: string | null;
};

export type PasswordResetRequest = {
  /** What the person signs in with. */
  email: string;
};

/** The body has more than 1,048,576 bytes. */
export type PayloadTooLargeError = {
  /** Link to the description of the error: /docs/errors#code. */
  type: string;
  /** The same for every error of this code. */
  title: string;
  status: 413;
  code: 'payload_too_large';
  /** What went wrong this time and what to change, for a person. */
  detail: string;
  /** Quote it to support; the same as the header X-Request-Id. */
  request_id: string;
};

export type People = {
  data: PersonOfAccount[];
};

export type PermitUploadRequest = {
  /** What the file is; its content decides. */
  type: 'image/png' | 'image/jpeg' | 'image/webp';
  /** Its bytes, exactly. */
  size: number;
};

export type PersonOfAccount = {
  id: string;
  email: string;
  /** Empty when none was given. */
  name: string;
  /** What the person may do for the account. */
  role: Open<'owner' | 'manager' | 'orders' | 'reader'>;
  /** Whether signing in needs a code from an app. */
  second_factor: boolean;
  disabled_at: string | null;
  last_seen_at: string | null;
};

/** One problem of a request. */
export type Problem = {
  /** The place in the request, such as items[0].quantity; empty for the body itself. */
  path: string;
  /** Identifies the problem for programs. /docs/errors lists the codes; more may be added. */
  code: string;
  /** What is wrong and what would be valid, for a person. */
  message: string;
  /** The valid values, where the choice is finite. */
  valid_values?: string[];
};

export type ProofRequest = {
  /** The password. */
  password: string;
  /** The six digits that the app shows, or a recovery code. Needed where there is a second factor. */
  code?: string | undefined;
};

/** The operation needs a password that was given in the last 15 minutes. Portal only. */
export type ProofRequiredError = {
  /** Link to the description of the error: /docs/errors#code. */
  type: string;
  /** The same for every error of this code. */
  title: string;
  status: 403;
  code: 'proof_required';
  /** What went wrong this time and what to change, for a person. */
  detail: string;
  /** Quote it to support; the same as the header X-Request-Id. */
  request_id: string;
};

export type ProposeVatNumberRequest = {
  vat_number: string | null;
};

/** Too many requests in a minute from this token or IP address; X-RateLimit-Scope says which. */
export type RateLimitedError = {
  /** Link to the description of the error: /docs/errors#code. */
  type: string;
  /** The same for every error of this code. */
  title: string;
  status: 429;
  code: 'rate_limited';
  /** What went wrong this time and what to change, for a person. */
  detail: string;
  /** Quote it to support; the same as the header X-Request-Id. */
  request_id: string;
};

export type RecoveryCodes = {
  /** Each signs in once. They are shown this once. */
  recovery_codes: string[];
};

export type SecondFactor = {
  /** Whether signing in needs a code. */
  is_on: boolean;
  confirmed_at: string | null;
  /** Recovery codes that were not used yet. */
  recovery_codes_left: number;
};

/** The password is right, and the person has a second factor. Portal only. */
export type SecondFactorRequiredError = {
  /** Link to the description of the error: /docs/errors#code. */
  type: string;
  /** The same for every error of this code. */
  title: string;
  status: 401;
  code: 'second_factor_required';
  /** What went wrong this time and what to change, for a person. */
  detail: string;
  /** Quote it to support; the same as the header X-Request-Id. */
  request_id: string;
};

export type Session = {
  user: SignedInUser;
  account: SignedInAccount;
  /** Send it as X-Platen-CSRF with each change, of the public API, too. */
  csrf_token: string;
  /** When the session ends, however much it is used. */
  expires_at: string;
  /** When it ends if it is not used again. */
  idle_ends_at: string;
  /** Until when the password counts as just given. From then on some operations ask for it again. */
  proven_until: string;
  /** Whether signing in needs a code from an app. */
  second_factor: boolean;
  /** What the session may do in the public API. */
  scopes: Open<'orders:read' | 'orders:write' | 'products:read' | 'products:write' | 'tax:read' | 'shipping:read'>[];
};

export type SessionList = {
  data: ListedSession[];
};

export type ShippingPreference = {
  service: string | null;
  /** Those that there are, to some destination. */
  services: string[];
};

/** The address, the password or the code is not right, the person is disabled, or the account is suspended; the answer does not say which. Portal only. */
export type SignInRefusedError = {
  /** Link to the description of the error: /docs/errors#code. */
  type: string;
  /** The same for every error of this code. */
  title: string;
  status: 401;
  code: 'sign_in_refused';
  /** What went wrong this time and what to change, for a person. */
  detail: string;
  /** Quote it to support; the same as the header X-Request-Id. */
  request_id: string;
};

export type SignInRequest = {
  /** The address of e-mail that the person signs in with. */
  email: string;
  /** The password. */
  password: string;
  /** The six digits that the app shows, or a recovery code. Needed where there is a second factor. */
  code?: string | undefined;
};

export type SignUp = {
  email: string;
  name: string;
  company: string;
  /** Whether the print shop decides before the account is opened. */
  needs_approval: boolean;
};

export type SignUpRequest = {
  /** The address that the person will sign in with; it is confirmed by a mail. */
  email: string;
  /** The name of the person. Without an address of a page. */
  name: string;
  /** What the account will be called. Without an address of a page. */
  company: string;
  /** ISO 3166-1 alpha-2, upper case. */
  country_code: string;
};

export type SignedInAccount = {
  id: string;
  name: string;
};

export type SignedInUser = {
  id: string;
  email: string;
  /** Empty when the person has given none. */
  name: string;
  /** What the person may do for the account. */
  role: Open<'owner' | 'manager' | 'orders' | 'reader'>;
};

/** There is no session, or it is over: signed out, not used for twelve hours, older than seven days, or ended. */
export type UnauthorizedError = {
  /** Link to the description of the error: /docs/errors#code. */
  type: string;
  /** The same for every error of this code. */
  title: string;
  status: 401;
  code: 'unauthorized';
  /** What went wrong this time and what to change, for a person. */
  detail: string;
  /** Quote it to support; the same as the header X-Request-Id. */
  request_id: string;
};

/** The database cannot be reached, this node is shutting down, or there is no room for artwork. */
export type UnavailableError = {
  /** Link to the description of the error: /docs/errors#code. */
  type: string;
  /** The same for every error of this code. */
  title: string;
  status: 503;
  code: 'unavailable';
  /** What went wrong this time and what to change, for a person. */
  detail: string;
  /** Quote it to support; the same as the header X-Request-Id. */
  request_id: string;
};

/** The body is not declared as JSON in UTF-8, or is compressed. */
export type UnsupportedMediaTypeError = {
  /** Link to the description of the error: /docs/errors#code. */
  type: string;
  /** The same for every error of this code. */
  title: string;
  status: 415;
  code: 'unsupported_media_type';
  /** What went wrong this time and what to change, for a person. */
  detail: string;
  /** Quote it to support; the same as the header X-Request-Id. */
  request_id: string;
};

export type UploadPermit = {
  /** PUT the file there, from a page of BASE_URL. */
  upload_url: string;
  /** The bearer of the upload, for one file within ten minutes. */
  permit: string;
  /** The address of the file, to give as artwork. */
  url: string;
  /** ISO 8601, UTC, with milliseconds and Z. */
  kept_until: string;
};

/** The request is well-formed but wrong: a field is missing or out of bounds, a name is unknown, an artwork URL fails its checks. The whole request is refused and nothing is written. */
export type ValidationFailedError = {
  /** Link to the description of the error: /docs/errors#code. */
  type: string;
  /** The same for every error of this code. */
  title: string;
  status: 422;
  code: 'validation_failed';
  /** What went wrong this time and what to change, for a person. */
  detail: string;
  /** Quote it to support; the same as the header X-Request-Id. */
  request_id: string;
  /** All problems of the request. */
  errors: Problem[];
  /** The names of all events, if an event name was unknown. */
  valid_events?: string[];
};

/** What was proposed and is not decided yet. */
export type VatProposal = {
  /** "" for none any more. */
  vat_number: string;
  /** ISO 8601, UTC, with milliseconds and Z. */
  proposed_at: string;
};

export type WaitingSignUp = {
  /** The print shop decides. */
  state: 'waiting';
};

export type WantedNotices = {
  order_on_hold?: boolean | undefined;
  artwork_failed?: boolean | undefined;
  payment_failed?: boolean | undefined;
  vat_decided?: boolean | undefined;
};

/** What each operation takes, and the body of its success. */
export type Operations = {
  /** Use a link */
  acceptLink: {
    input: {
      path: {
        /** What stands behind # in the link. */
        token: string;
      };
      body: AcceptLinkRequest;
    };
    reply: Session;
  };
  /** Begin a second factor */
  beginSecondFactor: { input: { path?: undefined }; reply: NewSecondFactor };
  /** Change whom invoices are addressed to */
  changeCompany: { input: { body: ChangeBillingRequest }; reply: Company };
  /** Choose which mails a person gets */
  changeNotifications: {
    input: {
      path: {
        /** The person. */
        id: string;
      };
      body: ChangeNoticesRequest;
    };
    reply: NoticeMatrix;
  };
  /** Change your password */
  changePassword: { input: { body: ChangePasswordRequest }; reply: undefined };
  /** Change a person of the account */
  changePerson: {
    input: {
      path: {
        /** The person. */
        id: string;
      };
      body: ChangePersonRequest;
    };
    reply: PersonOfAccount;
  };
  /** Choose the preferred shipping service */
  changeShippingPreference: { input: { body: ChangeShippingPreferenceRequest }; reply: ShippingPreference };
  /** Confirm your second factor */
  confirmSecondFactor: { input: { body: ConfirmSecondFactorRequest }; reply: RecoveryCodes };
  /** Confirm a sign-up */
  confirmSignUp: {
    input: {
      path: {
        /** What stands behind # in the link. */
        token: string;
      };
      body: ConfirmSignUpRequest;
    };
    reply: Session | WaitingSignUp;
  };
  /** End one of your sessions */
  endOwnSession: {
    input: {
      path: {
        /** The session. */
        id: string;
      };
    };
    reply: undefined;
  };
  /** Read the company of the account */
  getCompany: { input: { path?: undefined }; reply: Company };
  /** Read how people come in */
  getEntrance: { input: { path?: undefined }; reply: Entrance };
  /** Read what a link is for */
  getLink: {
    input: {
      path: {
        /** What stands behind # in the link. */
        token: string;
      };
    };
    reply: Link;
  };
  /** Read who gets which mails */
  getNotifications: { input: { path?: undefined }; reply: NoticeMatrix };
  /** Read your second factor */
  getSecondFactor: { input: { path?: undefined }; reply: SecondFactor };
  /** Read the session */
  getSession: { input: { path?: undefined }; reply: Session };
  /** Read the preferred shipping service */
  getShippingPreference: { input: { path?: undefined }; reply: ShippingPreference };
  /** Read what a sign-up is for */
  getSignUp: {
    input: {
      path: {
        /** What stands behind # in the link. */
        token: string;
      };
    };
    reply: SignUp;
  };
  /** Invite a person */
  invitePerson: { input: { body: InvitePersonRequest }; reply: NewInvitation };
  /** List open invitations */
  listInvitations: { input: { path?: undefined }; reply: Invitations };
  /** List the requests of your tokens */
  listOwnRequests: {
    input: {
      query?:
        | {
            /** Records a page, 1 to 100, 25 by default. */
            limit?: number | undefined;
            /** The next_cursor of the previous page. */
            cursor?: string | undefined;
            /** Only requests with a status of 400 or more. */
            outcome?: 'refused' | undefined;
            /** Only the request with this id. */
            id?: string | undefined;
          }
        | undefined;
    };
    reply: OwnRequestPage;
  };
  /** List your sessions */
  listOwnSessions: { input: { path?: undefined }; reply: SessionList };
  /** List your tokens */
  listOwnTokens: {
    input: {
      query?:
        | {
            /** Records a page, 1 to 100, 25 by default. */
            limit?: number | undefined;
            /** The next_cursor of the previous page. */
            cursor?: string | undefined;
          }
        | undefined;
    };
    reply: AccessTokenPage;
  };
  /** List the people of the account */
  listPeople: { input: { path?: undefined }; reply: People };
  /** Mint a token */
  mintOwnToken: { input: { body: MintTokenRequest }; reply: MintedToken };
  /** Permit an upload */
  permitUpload: { input: { body: PermitUploadRequest }; reply: UploadPermit };
  /** Propose a VAT number */
  proposeVatNumber: { input: { body: ProposeVatNumberRequest }; reply: Company };
  /** Give your password again */
  proveSession: { input: { body: ProofRequest }; reply: Session };
  /** Remove your second factor */
  removeOwnSecondFactor: { input: { path?: undefined }; reply: undefined };
  /** Have a link to a new password mailed */
  requestPasswordReset: { input: { body: PasswordResetRequest }; reply: undefined };
  /** Sign up for an account */
  requestSignUp: { input: { body: SignUpRequest }; reply: undefined };
  /** Revoke one of your tokens */
  revokeOwnToken: {
    input: {
      path: {
        /** The token, by its id: `tok_…`. */
        id: string;
      };
    };
    reply: undefined;
  };
  /** Sign in */
  signIn: { input: { body: SignInRequest }; reply: Session };
  /** Sign out */
  signOut: { input: { path?: undefined }; reply: undefined };
  /** Withdraw an invitation */
  withdrawInvitation: {
    input: {
      path: {
        /** The invitation. */
        id: string;
      };
    };
    reply: undefined;
  };
};

/** Where each operation is. Members of the path stand in braces. */
export const OPERATIONS = {
  acceptLink: { method: 'POST', path: '/links/{token}' },
  beginSecondFactor: { method: 'POST', path: '/second-factor' },
  changeCompany: { method: 'PATCH', path: '/company' },
  changeNotifications: { method: 'PATCH', path: '/notifications/{id}' },
  changePassword: { method: 'POST', path: '/password' },
  changePerson: { method: 'PATCH', path: '/people/{id}' },
  changeShippingPreference: { method: 'PATCH', path: '/shipping-preference' },
  confirmSecondFactor: { method: 'POST', path: '/second-factor/confirm' },
  confirmSignUp: { method: 'POST', path: '/sign-ups/{token}' },
  endOwnSession: { method: 'DELETE', path: '/sessions/{id}' },
  getCompany: { method: 'GET', path: '/company' },
  getEntrance: { method: 'GET', path: '/entrance' },
  getLink: { method: 'GET', path: '/links/{token}' },
  getNotifications: { method: 'GET', path: '/notifications' },
  getSecondFactor: { method: 'GET', path: '/second-factor' },
  getSession: { method: 'GET', path: '/session' },
  getShippingPreference: { method: 'GET', path: '/shipping-preference' },
  getSignUp: { method: 'GET', path: '/sign-ups/{token}' },
  invitePerson: { method: 'POST', path: '/people/invitations' },
  listInvitations: { method: 'GET', path: '/people/invitations' },
  listOwnRequests: { method: 'GET', path: '/requests' },
  listOwnSessions: { method: 'GET', path: '/sessions' },
  listOwnTokens: { method: 'GET', path: '/tokens' },
  listPeople: { method: 'GET', path: '/people' },
  mintOwnToken: { method: 'POST', path: '/tokens' },
  permitUpload: { method: 'POST', path: '/uploads' },
  proposeVatNumber: { method: 'POST', path: '/company/vat-number' },
  proveSession: { method: 'POST', path: '/session/proof' },
  removeOwnSecondFactor: { method: 'DELETE', path: '/second-factor' },
  requestPasswordReset: { method: 'POST', path: '/password-resets' },
  requestSignUp: { method: 'POST', path: '/sign-ups' },
  revokeOwnToken: { method: 'DELETE', path: '/tokens/{id}' },
  signIn: { method: 'POST', path: '/session' },
  signOut: { method: 'DELETE', path: '/session' },
  withdrawInvitation: { method: 'DELETE', path: '/people/invitations/{id}' },
} as const;

/** The body of an error of each code. */
export type ErrorBodies = {
  conflict: ConflictError;
  csrf_refused: CsrfRefusedError;
  insufficient_scope: InsufficientScopeError;
  internal_error: InternalError;
  invalid_request: InvalidRequestError;
  not_found: NotFoundError;
  payload_too_large: PayloadTooLargeError;
  proof_required: ProofRequiredError;
  rate_limited: RateLimitedError;
  second_factor_required: SecondFactorRequiredError;
  sign_in_refused: SignInRefusedError;
  unauthorized: UnauthorizedError;
  unavailable: UnavailableError;
  unsupported_media_type: UnsupportedMediaTypeError;
  validation_failed: ValidationFailedError;
};
