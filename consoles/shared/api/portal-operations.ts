// Made by sdk/generate.ts from docs/generated/portal-openapi.json. Do not edit it: change the schemas of the service and make it anew.

/** One of these words, or one that is newer than this client. */
type Open<Known extends string> = Known | (string & Record<never, never>);

export type AcceptLinkRequest = {
  /** What stands behind # in the link. */
  token: string;
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
  expires_at: string | null;
  last_used_at: string | null;
  revoked_at: string | null;
};

export type AccessTokenPage = {
  data: AccessToken[];
  /** True when another page exists. */
  has_more: boolean;
  next_cursor: string | null;
};

export type AccountMoney = {
  /** GBP in major units, rounded to 2 decimals. */
  balance: number;
  currency: 'GBP';
  /** Orders that a top-up pays, the oldest first. */
  waiting: {
    orders: number;
    /** GBP in major units, rounded to 2 decimals. */
    amount: number;
    /** There are more than were summed. */
    is_at_least: boolean;
  };
  /** How much is missing for all of them; 0 when nothing is. */
  to_free_all: number;
  /** Orders of which something is still to be paid back by hand. */
  pending_refunds: {
    orders: number;
    /** GBP in major units, rounded to 2 decimals. */
    amount: number;
    /** There are more than were summed. */
    is_at_least: boolean;
  };
  top_up: {
    /** GBP in major units, rounded to 2 decimals. */
    min: number;
    /** GBP in major units, rounded to 2 decimals. */
    max: number;
  } | null;
  /** Those of the last 24 hours that are not paid: open, or come to nothing. At most 20, the newest first; none for whom may not top up. */
  unpaid_top_ups: CardTopUp[];
};

export type AccountOfLink = {
  name: string;
};

export type AccountStatement = {
  data: Transaction[];
  /** True when another page exists. */
  has_more: boolean;
  next_cursor: string | null;
  /** The balance before the first entry of the period. */
  opening_balance: number;
  /** The balance after the last entry of the period. */
  closing_balance: number;
  currency: 'GBP';
};

export type AddTemplatePictureRequest = {
  /** Fetched over https, checked as artwork is, and stored. */
  url: string;
};

/** A postal address. */
export type Address = {
  /** Who receives the parcel. */
  contact_name: string;
  /** Street and number. */
  line1: string;
  /** Town or city. */
  city: string;
  /** Postcode; where a country has none, any non-blank text. */
  postcode: string;
  /** ISO 3166-1 alpha-2, upper case. */
  country_code: string;
  /** Company. */
  company_name?: string | undefined;
  /** Second address line. */
  line2?: string | undefined;
  /** County, state or province. */
  county?: string | undefined;
  /** Phone number; carriers ask for it abroad. */
  phone?: string | undefined;
  /** E-mail address of the recipient. Nothing is sent to it: it names the recipient, for support and for requests about personal data. */
  email?: string | undefined;
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

export type AreaAgain = {
  print_area: string;
  method: string;
  artwork_url: string | null;
  picture_url: string | null;
  mock_url: string | null;
  position: {
    x: number;
    y: number;
    scale: number;
    rotation: number;
  };
};

export type AutoTopUp = {
  /** `stopped`: the card was refused twice in a row, or is there no longer. Setting it anew starts it. */
  state: Open<'off' | 'on' | 'stopped'>;
  threshold: number | null;
  amount: number | null;
  daily_cap: number | null;
  /** Failures in a row; the second one stops it. */
  failures: number;
  /** Why the last one failed; empty otherwise. */
  reason: string;
  /** What was topped up by itself in the last 24 hours, or is being. */
  topped_up: number;
  next_at: string | null;
};

export type BalanceBelow = {
  /** Of `getLowBalanceMail`: the balance is below it. */
  threshold: number;
};

export type BeginLinkBody = {
  /** What the shop runs on. */
  platform: 'woocommerce' | 'shopify' | 'medusa';
  /** What you call the shop. */
  name: string;
  /** Where the shop is. */
  address: string;
  /** A linked shop whose access is to be renewed; its address stays. */
  channel?: string | undefined;
  /** A secret key of the shop, for a platform without a page of consent: medusa. */
  key?: string | undefined;
};

export type BegunLink = {
  /** The page of the shop on which its people consent, within 30 minutes. */
  consent_url?: string;
  channel?: Channel;
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

export type BoundedCount = {
  count: number;
  /** Whether there are more than were counted. */
  is_more: boolean;
};

export type BrandDraft = {
  /** Stands on the packing slip. No two brands of an account have the same, whatever its case. */
  name: string;
  /** To the recipient, below the pieces; at most 20 lines. */
  message?: string | undefined;
  /** Where the recipient asks for help; "" is none. */
  support_email?: string | undefined;
  /** The address of the shop, printed as it stands; "" is none. */
  website?: string | undefined;
  /** Where returns go, line by line, as it is printed. */
  return_lines?: readonly string[] | undefined;
  /** The brand whose saved logo stands on it; left out for none. */
  logo_of?: string | undefined;
};

export type CardTopUp = {
  id: string;
  /** GBP in major units, rounded to 2 decimals. */
  amount: number;
  currency: 'GBP';
  /** `paid` is on the balance. `expired` and `failed` took nothing. */
  state: Open<'open' | 'paid' | 'expired' | 'failed'>;
  pay_url: string | null;
  /** ISO 8601, UTC, with milliseconds and Z. */
  created_at: string;
  /** It can be paid until then. */
  ends_at: string;
  settled_at: string | null;
  /** Whether the saved card is charged by itself: it has no page to be paid on. */
  is_automatic: boolean;
};

export type CardTopUpPage = {
  data: CardTopUp[];
  /** True when another page exists. */
  has_more: boolean;
  next_cursor: string | null;
};

export type ChangeBillingRequest = {
  /** The name of the business, or of the person who trades. */
  legal_name?: string | undefined;
  address?: BillingAddressBody | undefined;
  company_number?: (string | null) | undefined;
  contact?: (BillingContactBody | null) | undefined;
};

export type ChangeChannelBody = {
  /** What you call the shop. */
  name?: string | undefined;
  /** Orders of a paused shop are taken, and wait until it goes on. */
  paused?: boolean | undefined;
  /** Whether each order waits until a person has looked at it. */
  needs_approval?: boolean | undefined;
  /** Minutes that an order waits before it is placed, so that the shop can still change it. */
  delay_minutes?: number | undefined;
  /** Which service of ours stands for which of the shop. For any other the cheapest tracked one is taken. */
  services?: readonly ChannelService[] | undefined;
  /** Whether the shop gives its buyer the money back for pieces that are cancelled here and that it has not taken back itself, once for each piece, by the payment of its order. Never shipping, and never for what was cancelled before. */
  refunds_buyers?: boolean | undefined;
  /** Whether a product without artwork is made as a blank garment. Its order waits for a person if not. */
  makes_blanks?: boolean | undefined;
  /** Whether an item that is not known here is made by others. Its order waits for a mapping if not. */
  unknown_is_others?: boolean | undefined;
};

export type ChangeNoticesRequest = {
  wants: WantedNotices;
};

export type ChangeOrderFileRequest = {
  /** Fields that are read from another column. */
  columns?: readonly OrderFileColumn[] | undefined;
  /** Stands before each number of the shop, since numbers are unique over all accounts. */
  prefix?: string | undefined;
  /** Whether to place orders again that an earlier file placed under another number: with another prefix, or read from another column of the same file. They are left as existing otherwise. */
  places_repeats?: boolean | undefined;
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

export type ChangeSavedViewRequest = {
  /** No two views of a page have the same among the own, or among those for all, whatever its case. */
  name?: string | undefined;
  /** What the list is narrowed by, as the query of its address without `?`; "" is nothing. */
  filters?: string | undefined;
  /** The columns that are shown; none stands for those that the page shows by itself. */
  columns?: readonly string[] | undefined;
  /** Whether everyone of the account has it. Only owners and managers make and change such views. */
  is_for_all?: boolean | undefined;
};

export type ChangeShippingPreferenceRequest = {
  service: string | null;
};

export type ChangeTemplateProductRequest = {
  /** What the product is called; the label of its order lines. */
  name?: string | undefined;
  /** Blank variants to offer, in this order: active ones of the base product, each once. */
  variant_skus?: readonly string[] | undefined;
  retail_price?: (number | null) | undefined;
  /** GBP by SKU, at most 2 decimals. A variant that is not named, or null, has `retail_price`. */
  retail_prices?: Record<string, number | null> | undefined;
};

export type Channel = {
  id: string;
  /** signed: the shop, or who looks after it, sends its orders itself. Else they are read there. */
  platform: Open<'signed' | 'woocommerce' | 'shopify' | 'medusa'>;
  /** What you call the shop. */
  name: string;
  state: Open<'active' | 'paused' | 'disconnected'>;
  /** Whether each order waits until a person has looked at it. */
  needs_approval: boolean;
  /** Minutes that an order waits before it is placed, so that the shop can still change it. */
  delay_minutes: number;
  /** Which service of ours stands for which of the shop. For any other the cheapest tracked one is taken. */
  services: ChannelService[];
  refunds_buyers: boolean | null;
  /** Whether a product without artwork is made as a blank garment. Its order waits for a person if not. */
  makes_blanks: boolean;
  /** Whether an item that is not known here is made by others. Its order waits for a mapping if not. */
  unknown_is_others: boolean;
  /** Where the shop posts its orders, signed. */
  orders_url: string;
  /** ISO 8601, UTC, with milliseconds and Z. */
  connected_at: string;
  ended_at: string | null;
  last_order_at: string | null;
  /** Orders that wait or have failed, by the reason; each counted up to 1,000 in all. */
  waiting: ChannelWaiting[];
  link: ChannelLink | null;
  /** Requests that were refused for a wrong signature. */
  refused: number;
  last_refused_at: string | null;
};

export type ChannelFault = {
  /** What is wrong, and what mends it. */
  message: string;
  /** ISO 8601, UTC, with milliseconds and Z. */
  since: string;
};

export type ChannelItems = {
  /** Items that orders wait for, those of most orders first; at most 50. */
  missing: MissingItem[];
  /** Items that are mapped, or made by others (variant null), by key; at most 100. */
  known: KnownItem[];
  next_key: string | null;
};

/** null for a shop that sends its orders itself. */
export type ChannelLink = {
  /** Where the shop is. */
  address: string;
  synced_at: string | null;
  fault: ChannelFault | null;
  retry_at: string | null;
  /** Orders with a report to the shop that is due; counted up to 1,000. */
  unreported: number;
  /** Orders of which the shop takes no more news, so that a person has to; counted up to 1,000. */
  refused_reports: number;
  /** Products that could not be written to the shop the last time; counted up to 1,000. */
  refused_products: number;
  /** Orders that could not be read. */
  unreadable: number;
  last_unreadable: string | null;
};

export type ChannelList = {
  data: Channel[];
};

export type ChannelProduct = {
  product_id: string;
  name: string;
  /** waiting: about to be written to the shop. failed: the shop refuses it, see problem. gone: it was deleted in the shop. */
  state: Open<'waiting' | 'published' | 'failed' | 'gone'>;
  problem: string | null;
  published_at: string | null;
  /** Its variants that cannot be ordered: new ones are not published, and those in the shop are out of stock. */
  left_out: LeftOutVariant[];
};

export type ChannelProductPage = {
  data: ChannelProduct[];
  /** True when another page exists. */
  has_more: boolean;
  next_cursor: string | null;
};

export type ChannelService = {
  /** What the shop calls it. */
  theirs: string;
  /** A service of the estimate, or its id. */
  ours: string;
};

export type ChannelWaiting = {
  reason: Open<
    | ''
    | 'gave_up'
    | 'paused'
    | 'earlier'
    | 'unpaid'
    | 'on_hold'
    | 'unknown_status'
    | 'high_risk'
    | 'risk_pending'
    | 'scheduled'
    | 'delayed'
    | 'needs_mapping'
    | 'approval'
    | 'supplement'
    | 'address_refused'
    | 'needs_artwork'
    | 'needs_personalisation'
    | 'out_of_stock'
    | 'refused'
    | 'suspended'
    | 'unreadable'
    | 'test'
    | 'cancelled_in_shop'
    | 'fulfilled_in_shop'
    | 'nothing_ours'
    | 'placed_before'
    | 'by_person'
    | 'erased'
    | 'disconnected'
    | 'too_old'
    | 'cancelled'
    | 'cancel_asked'
    | 'asked_to_cancel'
    | 'cancel_refused'
    | 'change_asked'
    | 'changed_in_shop'
  >;
  orders: number;
};

export type ChannelWithSecret = {
  channel: Channel;
  /** Shown this once. Begins with `whsec_`. */
  secret: string;
};

export type ColourMockup = {
  colour: string;
  colour_hex: string;
  mockup_url: string;
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
  /** What stands behind # in the link. */
  token: string;
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

export type ConnectChannelBody = {
  /** What you call the shop. */
  name: string;
};

export type CreateTemplateRequest = {
  /** Id of a catalogue product, bprod_…. */
  base_product_id: string;
  /** What the product is called; the label of its order lines. */
  name: string;
  /** Blank variants to offer, in this order: active ones of the base product, each once. */
  variant_skus: readonly string[];
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

export type DesignOfArea = {
  print_area: string;
  method: string;
  design: string;
  /** In pixels, after any rotation that EXIF asks for. */
  width: number;
  /** In pixels, after any rotation that EXIF asks for. */
  height: number;
  position: {
    x: number;
    y: number;
    scale: number;
    rotation: number;
  };
  /** Signed, valid for one hour. Do not store it. */
  picture_url: string;
};

export type DesignProductRequest = {
  /** Id of a garment, bprod_…. */
  base_product_id: string;
  /** What the product is called; the label of its order lines. */
  name: string;
  /** Blank variants to offer, in this order: active ones of the base product, each once. */
  variant_skus: readonly string[];
  /** In your own words. */
  description?: string | undefined;
  retail_price?: (number | null) | undefined;
  /** Labels of your own. */
  tags?: readonly string[] | undefined;
  /** active by default at creation. */
  status?: ('active' | 'draft') | undefined;
  decoration?: DesignedDecoration | undefined;
  /** GBP by SKU, at most 2 decimals. A variant that is not named, or null, has `retail_price`. */
  retail_prices?: Record<string, number | null> | undefined;
};

export type DesignedDecoration = {
  /** The whole decoration. */
  areas: readonly PlacedDesignBody[];
};

export type DesignedProduct = {
  id: string;
  name: string;
  description: string;
  status: Open<'active' | 'draft' | 'archived'>;
  tags: string[];
  retail_price: number | null;
  /** What it is printed on. */
  base_product: {
    id: string;
    master_sku: string;
    title: string;
  };
  mockup_url: string | null;
  thumbnail_url: string | null;
  /** A drawn garment, or a panel for what has no drawing, with its first print in each colour that can be ordered. Signed, valid for one hour. */
  mockups: ColourMockup[];
  /** Whether its orders take decoration.personalisation. */
  personalised: boolean;
  /** The areas that have artwork on this product. */
  print_areas: ProductArea[];
  variants: ProductVariant[];
  /** ISO 8601, UTC, with milliseconds and Z. */
  created_at: string;
  /** ISO 8601, UTC, with milliseconds and Z. */
  updated_at: string;
  designs: DesignOfArea[];
  /** GBP by SKU, of the variants with a price of their own. */
  retail_prices: Record<string, number>;
};

export type EnteredValue = {
  name: string;
  value: string;
};

export type Entrance = {
  /** What the print shop is called. */
  shop: string;
  /** Whether people can open an account by themselves. */
  sign_up: Open<'closed' | 'approval' | 'open'>;
  /** Whether a link to a new password can be mailed. */
  password_reset: boolean;
};

export type ForgetItemBody = {
  /** The key of the item. */
  key: string;
};

export type ForgetOrderFileItemRequest = {
  /** The key of the item. */
  key: string;
};

export type GalleryProduct = {
  id: string;
  name: string;
  description: string;
  status: Open<'active' | 'draft' | 'archived'>;
  tags: string[];
  retail_price: number | null;
  /** What it is printed on. */
  base_product: {
    id: string;
    master_sku: string;
    title: string;
  };
  mockup_url: string | null;
  thumbnail_url: string | null;
  /** A drawn garment, or a panel for what has no drawing, with its first print in each colour that can be ordered. Signed, valid for one hour. */
  mockups: ColourMockup[];
  /** Whether its orders take decoration.personalisation. */
  personalised: boolean;
  /** The areas that have artwork on this product. */
  print_areas: ProductArea[];
  variants: ProductVariant[];
  /** ISO 8601, UTC, with milliseconds and Z. */
  created_at: string;
  /** ISO 8601, UTC, with milliseconds and Z. */
  updated_at: string;
  price_from: number | null;
};

export type GalleryProductPage = {
  data: GalleryProduct[];
  /** True when another page exists. */
  has_more: boolean;
  next_cursor: string | null;
};

export type Garment = {
  id: string;
  title: string;
  description: string;
  colours: GarmentColour[];
  /** From the smallest to the largest. */
  sizes: string[];
  areas: GarmentArea[];
  variants: GarmentVariant[];
};

export type GarmentArea = {
  print_area: string;
  title: string;
  width_mm: number;
  height_mm: number;
  /** How far from the edges artwork should stay. */
  safe_mm: number;
  methods: {
    method: string;
    title: string;
    dpi_min: number;
  }[];
  backdrop: {
    view: Open<'front' | 'back'>;
    left_mm: number;
    top_mm: number;
    side_mm: number;
  } | null;
};

/** Pictures of it without a print; null where there is none. */
export type GarmentColour = {
  colour: string;
  colour_hex: string;
  front_url: string | null;
  back_url: string | null;
};

/** What it lies on: the outline of the blank, or a panel. */
export type GarmentOutline = {
  /** Paths of SVG, in thousandths of the side; later ones lie above. */
  parts: string[];
  inside: string | null;
  /** Seams and stitches. */
  lines: string[];
  /** Where the print area lies. */
  area: {
    left: number;
    top: number;
    width: number;
    height: number;
  };
};

export type GarmentSummary = {
  id: string;
  title: string;
  description: string;
  colours: GarmentColour[];
  /** From the smallest to the largest. */
  sizes: string[];
  price_from: number | null;
};

export type GarmentSummaryPage = {
  data: GarmentSummary[];
  /** True when another page exists. */
  has_more: boolean;
  next_cursor: string | null;
};

export type GarmentVariant = {
  sku: string;
  colour: string;
  size: string;
  /** What can be ordered now; nothing is reserved. */
  available: number;
};

export type Home = {
  orders: HomeOrders;
  /** Answered in the last 7 days, the latest first. */
  answered_problems: OrderProblem[];
  has_more_answered: boolean;
  /** Disabled by the service, or failed three times in a row or more, so that they are slowed. None for the role orders, which does not see webhooks. */
  troubled_webhooks: WebhookSubscription[];
  money: MoneyTrouble;
};

export type HomeOrders = {
  pending: BoundedCount;
  confirmed: BoundedCount;
  in_production: BoundedCount;
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

export type IssuedDocument = {
  /** Of the one series of invoices and credit notes. */
  number: string;
  kind: Open<'invoice' | 'credit_note'>;
  account_id: string;
  order_id: string;
  order_reference: string;
  credit_note_id: string | null;
  /** ISO 8601, UTC, with milliseconds and Z. */
  issued_at: string;
  /** The date of issue, YYYY-MM-DD, where the seller is. */
  issued_on: string;
  /** YYYY-MM-DD, where the seller is. */
  tax_point: string;
  customer_name: string;
  /** "" where there is none. */
  customer_vat_number: string;
  currency: 'GBP';
  /** As the document shows it: a credit note takes it off. */
  net_total: number;
  /** GBP in major units, rounded to 2 decimals. */
  vat_total: number;
  /** GBP in major units, rounded to 2 decimals. */
  duty_total: number;
  /** GBP in major units, rounded to 2 decimals. */
  total: number;
};

export type IssuedDocumentPage = {
  data: IssuedDocument[];
  /** True when another page exists. */
  has_more: boolean;
  next_cursor: string | null;
};

export type ItemVariant = {
  product_id: string;
  product_name: string;
  variant_sku: string;
};

export type KnownItem = {
  key: string;
  title: string;
  variant: ItemVariant | null;
  /** Whether a person has said that what buyers enter for it does not matter. Saying anew what it is ends that. */
  ignores_entries: boolean;
  /** ISO 8601, UTC, with milliseconds and Z. */
  set_at: string;
};

export type KnownOrderFileItem = {
  key: string;
  /** What the file calls it. */
  title: string;
  /** Rows of the file that have it. */
  rows: number;
  variant: OrderFileItemVariant | null;
};

export type LeftOutVariant = {
  variant_sku: string;
  /** switched_off: in the product, by your people. not_made: the blank is not made any more. */
  reason: Open<'switched_off' | 'not_made'>;
};

export type LineAgain = {
  line_id: string;
  product_id: string;
  variant_sku: string;
  quantity: number;
  /** As it was labelled; "" where that is the name of the product. */
  name: string;
  colour: string;
  size: string;
  declared_unit_price: number | null;
  /** Whether its product can be ordered now. */
  can_be_ordered: boolean;
  /** stored: what the product has now. own: artwork of this order, in `areas`. inputs: of a personalised product. none: blank. */
  artwork: Open<'stored' | 'own' | 'inputs' | 'none'>;
  print_jobs: {
    area: string;
    method: string;
  }[];
  /** The artwork of a line with its own. */
  areas: AreaAgain[];
  /** What was filled in of a personalised product, by layer, as an order takes it. */
  inputs: Record<string, string>;
  notes: {
    code: Open<
      | 'not_orderable'
      | 'variant_dropped'
      | 'area_dropped'
      | 'artwork_gone'
      | 'inputs_gone'
      | 'template_changed'
      | 'erased'
    >;
    /** In words: what is not as it was, and what to do. */
    message: string;
  }[];
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

export type ListedOrderFile = {
  id: string;
  name: string;
  /** unmapped: fields need a column. checking: orders are read and priced. ready: nothing is placed until it is confirmed. */
  status: Open<'unmapped' | 'checking' | 'ready' | 'placing' | 'placed'>;
  /** Grows when the orders are read anew. */
  plan: number;
  row_count: number;
  prefix: string;
  /** Whether orders are placed again under another number. */
  places_repeats: boolean;
  counts: OrderFileCounts;
  /** What the orders that are ready cost at most: a setup that several of them need is paid once. */
  total: number;
  /** Placed orders that were not paid when they were placed. */
  unpaid_count: number;
  /** What the placed orders cost. */
  placed_total: number;
  currency: 'GBP';
  /** ISO 8601, UTC, with milliseconds and Z. */
  created_at: string;
  confirmed_at: string | null;
};

export type ListedOrderFilePage = {
  data: ListedOrderFile[];
  /** True when another page exists. */
  has_more: boolean;
  next_cursor: string | null;
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

export type LookAtDesignsRequest = {
  /** Id of a garment, bprod_…. */
  base_product_id: string;
  /** The blank variants that the product offers. */
  variant_skus: readonly string[];
  decoration: DesignedDecoration;
};

export type LookedAtArea = {
  print_area: string;
  method: string;
  print: PrintedArtwork | null;
  /** How it prints on the smallest and on the largest size that is offered. */
  sizes: {
    size: string;
    width_mm: number;
    height_mm: number;
    dpi: number;
  }[];
  methods: {
    method: string;
    /** The fewest dots per inch that it prints well. */
    dpi_min: number;
    /** Whether the artwork has as many at its place. */
    is_sharp: boolean;
  }[];
  /** What was accepted but may not be what was meant. */
  warnings: Warning[];
  /** The garment in each colour, or a panel where its picture does not show the area. */
  mockups: {
    colour: string;
    colour_hex: string;
    /** Signed, valid for one hour. Do not store it. */
    mockup_url: string;
  }[];
};

export type LookedAtDesigns = {
  areas: LookedAtArea[];
};

export type LowBalanceMail = {
  threshold: number | null;
  /** Whether the balance is below it now. */
  is_low: boolean;
  /** Whether the balance is topped up by itself: then no mail is sent. */
  is_topped_up: boolean;
  /** Whether this service sends mail at all. */
  is_mailed: boolean;
};

export type MethodSaving = {
  id: string;
  kind: Open<'card' | 'direct_debit'>;
  /** `ended` has saved nothing. */
  state: Open<'open' | 'saved' | 'ended'>;
  page_url: string | null;
  /** It can be saved until then. */
  ends_at: string;
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
  /** For how many days it is valid; until it is revoked when left out. */
  valid_days?: number | undefined;
};

export type MintedToken = {
  id: string;
  name: string;
  scopes: Open<'orders:read' | 'orders:write' | 'products:read' | 'products:write' | 'tax:read' | 'shipping:read'>[];
  /** Shown this once. */
  token: string;
  /** ISO 8601, UTC, with milliseconds and Z. */
  created_at: string;
  expires_at: string | null;
};

export type MissingItem = {
  key: string;
  title: string;
  /** Orders that wait for it, of the first thousand that wait. */
  orders: number;
  /** Variants that it may be, the likeliest first. */
  suggestions: ItemVariant[];
};

export type MoneyTrouble = {
  stopped_top_ups: StoppedTopUps | null;
  low_balance: BalanceBelow | null;
};

export type MonthList = {
  data: {
    /** YYYY-MM */
    month: string;
    is_over: boolean;
  }[];
};

export type MonthOfMoney = {
  /** YYYY-MM */
  month: string;
  /** YYYY-MM-DD */
  first_day: string;
  /** YYYY-MM-DD */
  last_day: string;
  /** False while more can be added to it. */
  is_over: boolean;
  invoices: number;
  credit_notes: number;
  /** There are more documents than were counted. */
  is_at_least: boolean;
  /** How many archives its documents are in; 0 without documents. */
  parts: number;
  /** How many documents an archive has at most. */
  documents_of_a_part: number;
  /** GBP in major units, rounded to 2 decimals. */
  opening_balance: number;
  /** GBP in major units, rounded to 2 decimals. */
  closing_balance: number;
  currency: 'GBP';
};

export type NewAppSecret = {
  client_id: string;
  /** Shown this once. */
  client_secret: string;
};

export type NewArtworkLook = {
  print_area: string;
  method: string;
  source: NewArtworkSource;
  print: PrintedArtwork;
  /** The artwork on the garment, or on a panel where its picture does not show the area. Signed, valid for one hour. */
  picture_url: string;
  /** What was accepted but may not be what was meant. */
  warnings: Warning[];
};

export type NewArtworkSource = {
  /** In pixels, after any rotation that EXIF asks for. */
  width: number;
  /** In pixels, after any rotation that EXIF asks for. */
  height: number;
  /** Hash of the file, in hex. Equal files are one design. */
  sha256: string;
  /** Whether the file has an alpha channel. */
  has_transparency: boolean;
  background: string | null;
  colour_space: Open<'rgb' | 'grey' | 'cmyk'>;
  colour_profile: string | null;
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
  /** The same as an address, which apps on this device open. */
  otpauth_url: string;
  /** The same as a QR code: its rows from the top, each module a 1 where it is dark. Leave four modules empty around it. */
  qr: string[];
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
  kind: Open<
    | 'order_on_hold'
    | 'shop_orders_wait'
    | 'shop_faulty'
    | 'held_in_shop'
    | 'artwork_failed'
    | 'order_undone'
    | 'order_dispatched'
    | 'payment_failed'
    | 'method_changed'
    | 'auto_top_up_stopped'
    | 'low_balance'
    | 'problem_answered'
    | 'cancellation_answered'
    | 'vat_decided'
    | 'webhook_failing'
    | 'webhook_disabled'
  >;
  label: string;
  means: string;
};

export type NoticeMatrix = {
  /** Whether this service sends mail at all. */
  is_mailed: boolean;
  kinds: NoticeKind[];
  self: NoticeRecipient;
  /** In the order in which they were added. */
  others: NoticeRecipient[];
  /** True when another page of the others exists. */
  has_more: boolean;
  next_cursor: string | null;
};

export type NoticeRecipient = {
  id: string;
  email: string;
  /** Empty when none was given. */
  name: string;
  /** The mails that the person gets. */
  wants: Open<
    | 'order_on_hold'
    | 'shop_orders_wait'
    | 'shop_faulty'
    | 'held_in_shop'
    | 'artwork_failed'
    | 'order_undone'
    | 'order_dispatched'
    | 'payment_failed'
    | 'method_changed'
    | 'auto_top_up_stopped'
    | 'low_balance'
    | 'problem_answered'
    | 'cancellation_answered'
    | 'vat_decided'
    | 'webhook_failing'
    | 'webhook_disabled'
  >[];
};

export type OauthClient = {
  client_id: string;
  name: string;
  /** Whether it has a secret. */
  confidential: boolean;
  redirect_uris: string[];
  scopes: Open<'orders:read' | 'orders:write' | 'products:read' | 'products:write' | 'tax:read' | 'shipping:read'>[];
  /** ISO 8601, UTC, with milliseconds and Z. */
  created_at: string;
  rotated_at: string | null;
  removed_at: string | null;
};

export type OauthClientPage = {
  data: OauthClient[];
  /** True when another page exists. */
  has_more: boolean;
  next_cursor: string | null;
};

export type OauthGrant = {
  id: string;
  /** The account that the app may act for. */
  account_id: string;
  /** Who has allowed it. */
  user_id: string;
  email: string;
  client_id: string;
  client_name: string;
  scopes: Open<'orders:read' | 'orders:write' | 'products:read' | 'products:write' | 'tax:read' | 'shipping:read'>[];
  /** ISO 8601, UTC, with milliseconds and Z. */
  created_at: string;
  revoked_at: string | null;
};

export type OauthGrantPage = {
  data: OauthGrant[];
  /** True when another page exists. */
  has_more: boolean;
  next_cursor: string | null;
};

/** A member that was not given is "". */
export type OrderAddress = {
  contact_name: string;
  company_name: string;
  line1: string;
  line2: string;
  city: string;
  county: string;
  postcode: string;
  country_code: string;
  phone: string;
  email: string;
};

export type OrderAgain = {
  reference: string;
  lines: LineAgain[];
};

export type OrderFile = {
  id: string;
  name: string;
  /** unmapped: fields need a column. checking: orders are read and priced. ready: nothing is placed until it is confirmed. */
  status: Open<'unmapped' | 'checking' | 'ready' | 'placing' | 'placed'>;
  /** Grows when the orders are read anew. */
  plan: number;
  row_count: number;
  prefix: string;
  /** Whether orders are placed again under another number. */
  places_repeats: boolean;
  headings: string[];
  columns: OrderFileColumn[];
  /** Fields that need a column first. */
  missing: Open<
    | 'number'
    | 'product'
    | 'variant_sku'
    | 'colour'
    | 'size'
    | 'options'
    | 'quantity'
    | 'print_areas'
    | 'artwork_url'
    | 'contact_name'
    | 'last_name'
    | 'company_name'
    | 'line1'
    | 'line2'
    | 'city'
    | 'county'
    | 'postcode'
    | 'country_code'
    | 'phone'
    | 'email'
    | 'shipping_service'
    | 'brand'
    | 'notes'
  >[];
  counts: OrderFileCounts;
  /** What the orders that are ready cost at most: a setup that several of them need is paid once. */
  total: number;
  /** Placed orders that were not paid when they were placed. */
  unpaid_count: number;
  /** What the placed orders cost. */
  placed_total: number;
  currency: 'GBP';
  /** ISO 8601, UTC, with milliseconds and Z. */
  created_at: string;
  confirmed_at: string | null;
};

export type OrderFileColumn = {
  field:
    | 'number'
    | 'product'
    | 'variant_sku'
    | 'colour'
    | 'size'
    | 'options'
    | 'quantity'
    | 'print_areas'
    | 'artwork_url'
    | 'contact_name'
    | 'last_name'
    | 'company_name'
    | 'line1'
    | 'line2'
    | 'city'
    | 'county'
    | 'postcode'
    | 'country_code'
    | 'phone'
    | 'email'
    | 'shipping_service'
    | 'brand'
    | 'notes';
  column: number | null;
};

export type OrderFileCounts = {
  /** Not checked yet. */
  waiting: number;
  /** Checked and priced, and not placed yet. */
  ready: number;
  /** Left out until they are mended. */
  wrong: number;
  /** Placed before, under the same number of the shop; left as they are. */
  existing: number;
  placed: number;
  /** Not placed although they were ready; the reason stands at each. */
  refused: number;
  /** Left to others: nothing of them is made here. */
  others: number;
};

export type OrderFileEntries = {
  data: OrderFileEntry[];
  next_after: number | null;
};

export type OrderFileEntry = {
  /** Within the file, from 1. */
  place: number;
  /** "" where the file gives no number. */
  external_reference: string;
  /** As a spreadsheet counts: the headings are row 1. */
  rows: number[];
  status: Open<'waiting' | 'ready' | 'wrong' | 'existing' | 'placed' | 'refused' | 'others'>;
  total: number | null;
  problems: {
    row: number;
    column: string | null;
    /** What is wrong and what would be right. */
    message: string;
  }[];
  warnings: string[];
  order: {
    id: string;
    reference: string;
  } | null;
};

export type OrderFileItemVariant = {
  product_id: string;
  product_name: string;
  variant_sku: string;
};

export type OrderFileItems = {
  /** Items that are none of yours as the file has them, those of most rows first; at most 50. */
  unknown: UnknownOrderFileItem[];
  /** Items that people have said something of; at most 200. */
  known: KnownOrderFileItem[];
};

export type OrderHistory = {
  /** Latest first. */
  data: OwnMove[];
  /** False where earlier entries are left out. */
  is_whole: boolean;
};

export type OrderProblem = {
  id: string;
  order: ProblemOrder;
  /** damaged, wrong_item or print_fault: of the pieces. missing: not in the parcel. late or lost: the parcel. other: see the text. */
  kind: Open<'damaged' | 'wrong_item' | 'print_fault' | 'missing' | 'late' | 'lost' | 'other'>;
  /** open until it is answered: replaced (the pieces are made again), refunded or refused. withdrawn: by you, before an answer. */
  status: Open<'open' | 'replaced' | 'refunded' | 'refused' | 'withdrawn'>;
  /** Empty once the personal data of the order is erased. */
  text: string;
  items: ProblemItem[];
  /** Deleted some months after the answer. */
  photos: ProblemPhoto[];
  external_reference: string;
  /** ISO 8601, UTC, with milliseconds and Z. */
  reported_at: string;
  /** By when the shop means to answer. */
  answer_due_at: string;
  ended_at: string | null;
  answer: ProblemAnswer | null;
  actions: {
    withdraw: {
      /** Whether it can be withdrawn now. */
      available: boolean;
    };
  };
};

export type OwnMove = {
  kind: Open<
    | 'placed'
    | 'payment_failed'
    | 'payment_tried'
    | 'paid'
    | 'held'
    | 'resumed'
    | 'confirmed'
    | 'in_production'
    | 'line_held'
    | 'line_resumed'
    | 'artwork_replaced'
    | 'address_changed'
    | 'pieces_cancelled'
    | 'tracking_corrected'
    | 'remade'
    | 'dispatched'
    | 'cancel_asked'
    | 'cancel_withdrawn'
    | 'cancel_refused'
    | 'cancelled'
  >;
  /** ISO 8601, UTC, with milliseconds and Z. */
  at: string;
  /** Who did it; people of the shop are not named. */
  by: Open<'customer' | 'shop' | 'system'>;
  /** Why it is held, as the shop says it to its customer; "" for anything else. */
  reason: string;
  line_id: string | null;
  print_area: string | null;
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

export type PaymentMethod = {
  saved: {
    kind: Open<'card' | 'direct_debit'>;
    /** `Visa ending in 4242`; empty where the provider does not say. */
    label: string;
    expires_on: string | null;
    /** ISO 8601, UTC, with milliseconds and Z. */
    saved_at: string;
  } | null;
  /** What can be saved; empty where no card is taken. */
  kinds: Open<'card' | 'direct_debit'>[];
  /** Whether automatic top-ups are set, also where they have stopped. */
  has_auto_top_up: boolean;
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
  last_sign_in: {
    /** ISO 8601, UTC, with milliseconds and Z. */
    at: string;
    /** What the browser said of itself. */
    user_agent: string;
  } | null;
};

export type PersonOfAccountPage = {
  data: PersonOfAccount[];
  /** True when another page exists. */
  has_more: boolean;
  next_cursor: string | null;
};

export type PersonalisationPreview = {
  /** The print area that the proof shows. */
  print_area: string;
  /** All print areas that the inputs fill. */
  print_areas: string[];
  /** A JPEG of what will be printed, on the colour of the variant; signed, works for one hour. */
  proof_url: string;
  /** When the proof ends. Ask for another then. */
  expires_at: string;
  /** What was accepted but may not be what was meant. */
  warnings: Warning[];
};

/** The draft: what is published, until something is changed. */
export type PersonalisationTemplate = {
  areas: {
    print_area: string;
    method: string;
  }[];
  layers: (
    | {
        id: string;
        name: string;
        /** False: null, or no input, leaves the layer empty. */
        required: boolean;
        print_area: string;
        z_order: number;
        box: {
          x_px: number;
          y_px: number;
          width_px: number;
          height_px: number;
        };
        type: 'text';
        /** Unicode code points. */
        length_max: number;
        align: Open<'left' | 'centre' | 'right'>;
        /** Size of the letters: the largest at which the text fits its box; a line takes 1.2 times as much, in Thai and other scripts with high marks 1.4 times, in Burmese, Khmer and others that stack letters 1.6 times. */
        size_px: {
          min: number;
          max: number;
        };
        /** Font families; without choices `#font` is not allowed. */
        font: {
          default: string;
          choices?: string[];
        };
        /** Without choices `#color` is not allowed. */
        color: {
          default: string;
          choices?: 'any' | string[];
        };
      }
    | {
        id: string;
        name: string;
        /** False: null, or no input, leaves the layer empty. */
        required: boolean;
        print_area: string;
        z_order: number;
        box: {
          x_px: number;
          y_px: number;
          width_px: number;
          height_px: number;
        };
        type: 'image';
        fit: Open<'contain' | 'cover'>;
      }
    | {
        id: string;
        name: string;
        /** False: null, or no input, leaves the layer empty. */
        required: boolean;
        print_area: string;
        z_order: number;
        box: {
          x_px: number;
          y_px: number;
          width_px: number;
          height_px: number;
        };
        type: 'photo_collage';
        /** Cells of equal size, filled row by row; each picture covers its cell. */
        grid: {
          columns: number;
          rows: number;
          gap_px: number;
        };
        pictures_max: number;
      }
    | {
        id: string;
        name: string;
        /** False: null, or no input, leaves the layer empty. */
        required: boolean;
        print_area: string;
        z_order: number;
        box: {
          x_px: number;
          y_px: number;
          width_px: number;
          height_px: number;
        };
        type: 'image_select';
        options: {
          id: string;
          name: string;
          /** The stored design, by its key. */
          design: string;
        }[];
      }
  )[];
};

export type PlaceOrderFileRequest = {
  /** The plan that was shown; 409 once there is another. */
  plan: number;
};

export type PlacedDesignBody = {
  /** A print area of the base product, each once. */
  print_area: string;
  /** A method of that area. */
  method: string;
  /** The `design` that taking its artwork in has answered, or that a product of the account has. */
  design: string;
  position?: PositionBody | undefined;
};

export type PlacedShopOrder = {
  id: string;
  reference: string;
  /** It is placed, and made once it is paid. */
  is_unpaid: boolean;
};

/** x and y are fractions of the area: 0.5, 0.5 is centred. rotation is in degrees. */
export type Position = {
  x: number;
  y: number;
  scale: number;
  rotation: number;
};

/** x and y are fractions of the print area. Centred, at scale 1, unless given. */
export type PositionBody = {
  /** Of the centre: 0.5 is the middle. */
  x?: number | undefined;
  /** Of the centre: 0.5 is the middle. */
  y?: number | undefined;
  /** At 1 the artwork just fits its area. */
  scale?: number | undefined;
  /** Degrees clockwise; whole turns are removed. */
  rotation?: number | undefined;
};

export type PreviewPersonalisationBody = {
  /** A value for each layer by its id: the text; the address of an image; a list of addresses as JSON text for a photo collage; the id of an option. null leaves an optional layer empty. `<id>#font` and `<id>#color` override where the layer allows it. GET /products/{id}/personalisation lists the layers. */
  inputs: Record<string, string | null>;
  /** The variant whose colour lies behind the print; the first active one when left out. */
  variant_sku?: string | undefined;
  /** The print area to show; the first that the inputs fill when left out. */
  print_area?: string | undefined;
};

export type PriceProductRequest = {
  /** Id of a garment, bprod_…. */
  base_product_id: string;
  variant_skus: readonly string[];
  /** What is printed, each area once. */
  areas: readonly {
    print_area: string;
    method: string;
  }[];
  /** Pieces of an order; 1 by default. */
  quantity?: number | undefined;
  /** For a personalised product: whether each piece has values of its own, so that its prints count alone, or all have the same. Setups are not charged then. */
  personalised?: ('each_its_own' | 'alike') | undefined;
  retail_price?: (number | null) | undefined;
  /** GBP by SKU, at most 2 decimals. A variant that is not named, or null, has `retail_price`. */
  retail_prices?: Record<string, number | null> | undefined;
};

/** How the artwork prints on the area, at its position. */
export type PrintedArtwork = {
  /** Of the whole artwork on the product. */
  width_mm: number;
  /** Of the whole artwork on the product. */
  height_mm: number;
  /** The pixels of the artwork for each inch of the print. */
  dpi: number;
  /** From 0 to 1: the part that its print area cuts off. */
  share_outside: number;
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

export type ProblemAnswer = {
  /** What the shop says. */
  message: string;
  replacement: ProblemOrder | null;
  refund_gbp: number | null;
};

export type ProblemItem = {
  line_id: string;
  variant_sku: string;
  name: string;
  quantity: number;
};

export type ProblemOrder = {
  id: string;
  reference: string;
};

export type ProblemPhoto = {
  /** The picture as it was sent. Signed, valid for one hour. */
  url: string;
  /** A small picture. Signed, valid for one hour. */
  thumbnail_url: string;
};

export type ProductArea = {
  print_area: string;
  method: string;
  position: Position;
};

export type ProductPrices = {
  currency: 'GBP';
  quantity: number;
  /** By pieces of the product in an order. */
  breaks: {
    from_quantity: number;
    /** Of the cheapest variant, with its prints. */
    unit_price_min: number;
    /** Of the dearest. */
    unit_price_max: number;
  }[];
  /** Charged once for each design and method. */
  setups: {
    method: string;
    price: number;
  }[];
  /** In the order sent. */
  variants: {
    sku: string;
    colour: string;
    size: string;
    /** What can be ordered now; nothing is reserved. */
    available: number;
    /** Of a piece at that quantity, with its prints. */
    unit_price: number;
    retail_price: number | null;
    margin: number | null;
    margin_percent: number | null;
  }[];
};

export type ProductVariant = {
  id: string;
  /** Send it as variant_sku of an order line. */
  blank_variant_sku: string;
  colour: string;
  colour_hex: string;
  /** Whether it can be ordered. */
  active: boolean;
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

export type PublishProductBody = {
  /** A product of yours that is not archived. */
  product_id: string;
};

export type PublishTemplateRequest = {
  /** Of the draft that was changed. */
  version: number;
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

export type ReadLinkRequest = {
  /** What stands behind # in the link. */
  token: string;
};

export type ReadSignUpRequest = {
  /** What stands behind # in the link. */
  token: string;
};

export type RecoveryCodes = {
  /** Each signs in once. They are shown this once. */
  recovery_codes: string[];
};

export type RedesignProductRequest = {
  /** What the product is called; the label of its order lines. */
  name?: string | undefined;
  /** Blank variants to offer, in this order: active ones of the base product, each once. */
  variant_skus?: readonly string[] | undefined;
  /** In your own words. */
  description?: string | undefined;
  retail_price?: (number | null) | undefined;
  /** Labels of your own. */
  tags?: readonly string[] | undefined;
  /** active by default at creation. */
  status?: ('active' | 'draft') | undefined;
  decoration?: DesignedDecoration | undefined;
  /** GBP by SKU, at most 2 decimals. A variant that is not named, or null, has `retail_price`. */
  retail_prices?: Record<string, number | null> | undefined;
  /** `updated_at` as it was read. A change that was made since is not overwritten: 409. */
  seen_at?: string | undefined;
};

export type RegisterAppRequest = {
  /** What people are shown when the app asks them. */
  name: string;
  /** true for an app on a server, which keeps a secret and may act for this account by itself; false for one on devices, which has none (PKCE). */
  confidential: boolean;
  /** Where people are sent back to, compared to the letter: https, or http on 127.0.0.1, [::1] or localhost while you develop. An app that is confidential needs none to act by itself. */
  redirect_uris: readonly string[];
  /** The most that it can ever be granted. */
  scopes: readonly (
    | 'orders:read'
    | 'orders:write'
    | 'products:read'
    | 'products:write'
    | 'tax:read'
    | 'shipping:read'
  )[];
};

export type RegisteredApp = {
  client_id: string;
  name: string;
  /** Whether it has a secret. */
  confidential: boolean;
  redirect_uris: string[];
  scopes: Open<'orders:read' | 'orders:write' | 'products:read' | 'products:write' | 'tax:read' | 'shipping:read'>[];
  /** ISO 8601, UTC, with milliseconds and Z. */
  created_at: string;
  rotated_at: string | null;
  removed_at: string | null;
  client_secret: string | null;
};

export type ReplaceArtworkBody = {
  /** A print area of the line. */
  print_area: string;
  /** The https URL of the new artwork, fetched at once and checked as that of an order is. */
  url: string;
};

export type SaveAddressRequest = {
  /** The name of its recipient when left out. */
  label?: string | undefined;
  address: Address;
};

export type SaveTemplateRequest = {
  /** Of the draft that was changed. */
  version: number;
  /** The whole draft, `areas` and `layers`, as it is read, of at most 65,536 bytes. A name can be empty and options can lack. */
  template: Record<string, unknown>;
};

export type SaveViewRequest = {
  /** The list that it is of. */
  page:
    | 'orders'
    | 'shop-orders'
    | 'problems'
    | 'statement'
    | 'documents'
    | 'top-ups'
    | 'products'
    | 'templates'
    | 'order-files'
    | 'events'
    | 'requests'
    | 'deliveries';
  /** No two views of a page have the same among the own, or among those for all, whatever its case. */
  name: string;
  /** What the list is narrowed by, as the query of its address without `?`; "" is nothing. */
  filters: string;
  /** The columns that are shown; none stands for those that the page shows by itself. */
  columns: readonly string[];
  /** Whether everyone of the account has it. Only owners and managers make and change such views. */
  is_for_all?: boolean | undefined;
};

export type SavedAddress = {
  id: string;
  label: string;
  address: OrderAddress;
};

export type SavedAddressPage = {
  data: SavedAddress[];
  /** True when another page exists. */
  has_more: boolean;
  next_cursor: string | null;
};

export type SavedView = {
  id: string;
  /** The list that it is of. */
  page: Open<
    | 'orders'
    | 'shop-orders'
    | 'problems'
    | 'statement'
    | 'documents'
    | 'top-ups'
    | 'products'
    | 'templates'
    | 'order-files'
    | 'events'
    | 'requests'
    | 'deliveries'
  >;
  name: string;
  filters: string;
  columns: string[];
  is_for_all: boolean;
  /** Whether the caller may change and delete it. */
  may_change: boolean;
  /** ISO 8601, UTC, with milliseconds and Z. */
  updated_at: string;
};

export type SavedViews = {
  /** The own ones, then those for all; each by their names. */
  data: SavedView[];
  /** Whether the caller may make views for all. */
  may_share: boolean;
};

export type SayOrderFileItemRequest = {
  /** The key of the item. */
  key: string;
  /** The product that it is. */
  product_id?: string | undefined;
  /** Its variant. */
  variant_sku?: string | undefined;
  /** true for what is made by others. */
  not_ours?: boolean | undefined;
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

export type SetItemBody = {
  /** The key of the item. */
  key: string;
  /** What people are shown. */
  title: string;
  /** The product that it is. */
  product_id?: string | undefined;
  /** Its variant. */
  variant_sku?: string | undefined;
  /** true for what is made by others. */
  not_ours?: boolean | undefined;
  /** true where what buyers enter for it does not matter, though it is not personalised. Without it such orders wait. */
  ignores_entries?: boolean | undefined;
};

export type SetLowBalanceMailRequest = {
  /** The balance below which a mail is sent, in GBP with at most two decimals; at least 1. */
  threshold_gbp: number;
};

export type ShippingPreference = {
  service: string | null;
  /** Those that there are, to some destination. */
  services: string[];
};

/** null for what is not personalised here, and once it is placed or ignored. */
export type ShopItemPersonalisation = {
  product_id: string;
  variant_sku: string;
  /** What of it fills the layers of the product, for POST /products/{id}/personalisation/preview. */
  inputs: Record<string, string>;
};

export type ShopOrder = {
  id: string;
  channel: ShopOrderChannel;
  /** The shop's own id of the order. */
  shop_order_id: string;
  /** The number that the shop shows. */
  number: string;
  /** new: about to be looked at. waiting: see reason. placed: it is an order here. ignored: it never will be. failed: by a fault of ours. */
  state: Open<'new' | 'waiting' | 'placed' | 'ignored' | 'failed'>;
  /** Why it waits or was ignored, or what came after it was placed. */
  reason: Open<
    | ''
    | 'gave_up'
    | 'paused'
    | 'earlier'
    | 'unpaid'
    | 'on_hold'
    | 'unknown_status'
    | 'high_risk'
    | 'risk_pending'
    | 'scheduled'
    | 'delayed'
    | 'needs_mapping'
    | 'approval'
    | 'supplement'
    | 'address_refused'
    | 'needs_artwork'
    | 'needs_personalisation'
    | 'out_of_stock'
    | 'refused'
    | 'suspended'
    | 'unreadable'
    | 'test'
    | 'cancelled_in_shop'
    | 'fulfilled_in_shop'
    | 'nothing_ours'
    | 'placed_before'
    | 'by_person'
    | 'erased'
    | 'disconnected'
    | 'too_old'
    | 'cancelled'
    | 'cancel_asked'
    | 'asked_to_cancel'
    | 'cancel_refused'
    | 'change_asked'
    | 'changed_in_shop'
  >;
  /** What is wrong, with the member of what the shop sent. */
  problems: ShopOrderProblem[];
  order: PlacedShopOrder | null;
  items: ShopOrderItem[];
  recipient: ShopOrderRecipient | null;
  /** ISO 8601, UTC, with milliseconds and Z. */
  ordered_at: string;
  /** ISO 8601, UTC, with milliseconds and Z. */
  received_at: string;
  next_look_at: string | null;
  reported: ShopOrderReport | null;
  actions: ShopOrderActions;
};

/** What a person can do with it now. */
export type ShopOrderActions = {
  place: boolean;
  ignore: boolean;
  correct_address: boolean;
  /** It waits because buyers entered something for items that are not personalised. */
  ignore_entries: boolean;
};

export type ShopOrderChannel = {
  id: string;
  name: string;
};

export type ShopOrderItem = {
  id: string;
  /** The name of the item in the mapping. */
  key: string;
  title: string;
  quantity: number;
  /** missing: map it, or mark it as others. others: not made here. unknown: not looked at yet. */
  state: Open<'ours' | 'missing' | 'others' | 'unknown'>;
};

export type ShopOrderItemEntered = {
  id: string;
  /** The name of the item in the mapping. */
  key: string;
  title: string;
  quantity: number;
  /** missing: map it, or mark it as others. others: not made here. unknown: not looked at yet. */
  state: Open<'ours' | 'missing' | 'others' | 'unknown'>;
  /** What its buyer entered, without the bookkeeping of the shop; none once it is placed or ignored: then its order has it. */
  entered: EnteredValue[];
  personalisation: ShopItemPersonalisation | null;
  line: number | null;
};

export type ShopOrderPage = {
  data: ShopOrder[];
  /** True when another page exists. */
  has_more: boolean;
  next_cursor: string | null;
};

export type ShopOrderProblem = {
  path: string;
  message: string;
};

/** Until it is placed: then its order has it. */
export type ShopOrderRecipient = {
  name: string;
  city: string;
  postcode: string;
  country: string;
};

/** null where nothing is reported to the shop. */
export type ShopOrderReport = {
  at: string | null;
  /** Whether the shop knows all of it: parcels, and a cancel here. */
  is_known: boolean;
  problem: string | null;
};

export type ShopOrderWithAddress = {
  id: string;
  channel: ShopOrderChannel;
  /** The shop's own id of the order. */
  shop_order_id: string;
  /** The number that the shop shows. */
  number: string;
  /** new: about to be looked at. waiting: see reason. placed: it is an order here. ignored: it never will be. failed: by a fault of ours. */
  state: Open<'new' | 'waiting' | 'placed' | 'ignored' | 'failed'>;
  /** Why it waits or was ignored, or what came after it was placed. */
  reason: Open<
    | ''
    | 'gave_up'
    | 'paused'
    | 'earlier'
    | 'unpaid'
    | 'on_hold'
    | 'unknown_status'
    | 'high_risk'
    | 'risk_pending'
    | 'scheduled'
    | 'delayed'
    | 'needs_mapping'
    | 'approval'
    | 'supplement'
    | 'address_refused'
    | 'needs_artwork'
    | 'needs_personalisation'
    | 'out_of_stock'
    | 'refused'
    | 'suspended'
    | 'unreadable'
    | 'test'
    | 'cancelled_in_shop'
    | 'fulfilled_in_shop'
    | 'nothing_ours'
    | 'placed_before'
    | 'by_person'
    | 'erased'
    | 'disconnected'
    | 'too_old'
    | 'cancelled'
    | 'cancel_asked'
    | 'asked_to_cancel'
    | 'cancel_refused'
    | 'change_asked'
    | 'changed_in_shop'
  >;
  /** What is wrong, with the member of what the shop sent. */
  problems: ShopOrderProblem[];
  order: PlacedShopOrder | null;
  items: ShopOrderItemEntered[];
  recipient: ShopOrderRecipient | null;
  /** ISO 8601, UTC, with milliseconds and Z. */
  ordered_at: string;
  /** ISO 8601, UTC, with milliseconds and Z. */
  received_at: string;
  next_look_at: string | null;
  reported: ShopOrderReport | null;
  actions: ShopOrderActions;
  shipping_address: OrderAddress | null;
};

export type SignInEntry = {
  id: string;
  /** refused: a wrong password. code_refused: a right password and a wrong code. */
  event: Open<
    | 'signed_in'
    | 'refused'
    | 'code_refused'
    | 'signed_out'
    | 'session_ended'
    | 'password_changed'
    | 'password_reset'
    | 'joined'
    | 'factor_added'
    | 'factor_removed'
  >;
  /** Of the last, where it happened several times within an hour. */
  at: string;
  /** How often within the hour. */
  times: number;
  address: string | null;
  /** What the browser says of itself. */
  user_agent: string;
};

export type SignInEntryPage = {
  data: SignInEntry[];
  /** True when another page exists. */
  has_more: boolean;
  next_cursor: string | null;
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

export type Spending = {
  /** YYYY-MM-DD */
  from: string;
  /** YYYY-MM-DD */
  to: string;
  /** In the order of days; those without a document are left out. */
  data: SpendingDay[];
  sum: SpendingSum;
  currency: 'GBP';
  /** False while documents of the last moments are not in it yet. */
  is_complete: boolean;
};

export type SpendingDay = {
  /** YYYY-MM-DD */
  day: string;
  /** Goods and prints, without VAT. */
  products: number;
  /** Setup fees, without VAT. */
  setup: number;
  /** Without VAT. */
  shipping: number;
  /** GBP in major units, rounded to 2 decimals. */
  vat: number;
  /** GBP in major units, rounded to 2 decimals. */
  duty: number;
  /** What credit notes took back, with VAT and duty. */
  refunds: number;
  /** What was spent, less the refunds. */
  total: number;
  invoices: number;
  credit_notes: number;
};

export type SpendingSum = {
  /** Goods and prints, without VAT. */
  products: number;
  /** Setup fees, without VAT. */
  setup: number;
  /** Without VAT. */
  shipping: number;
  /** GBP in major units, rounded to 2 decimals. */
  vat: number;
  /** GBP in major units, rounded to 2 decimals. */
  duty: number;
  /** What credit notes took back, with VAT and duty. */
  refunds: number;
  /** What was spent, less the refunds. */
  total: number;
  invoices: number;
  credit_notes: number;
};

export type StoppedTopUps = {
  /** Why the last charge failed; empty where it is not known. */
  reason: string;
  /** Below which balance the card was charged. */
  threshold: number;
};

export type TakeDesignRequest = {
  /** The https URL of an image. */
  artwork_url: string;
};

export type TakenDesign = {
  /** Its name in other requests. Kept for a day, and as long as a product has it. */
  design: string;
  /** In pixels, after any rotation that EXIF asks for. */
  width: number;
  /** In pixels, after any rotation that EXIF asks for. */
  height: number;
  /** Whether the file has an alpha channel. */
  has_transparency: boolean;
  background: string | null;
  colour_space: Open<'rgb' | 'grey' | 'cmyk'>;
  colour_profile: string | null;
  /** Signed, valid for one hour. Do not store it. */
  picture_url: string;
  /** What was accepted but may not be what was meant. */
  warnings: Warning[];
};

export type Template = {
  /** Id of the product. */
  id: string;
  name: string;
  /** draft until it is published for the first time. */
  status: Open<'active' | 'draft' | 'archived'>;
  base_product: {
    id: string;
    title: string;
  };
  /** What orders are read by; 0 until it is published. */
  published_version: number;
  published_at: string | null;
  /** Whether the draft differs from what is published. */
  is_changed: boolean;
  /** The first active one of each colour. */
  variants: {
    sku: string;
    colour: string;
    colour_hex: string;
  }[];
  /** Of all active variants, in the order of the product. */
  offered_skus: string[];
  retail_price: number | null;
  /** GBP by SKU, of the variants with a price of their own. */
  retail_prices: Record<string, number>;
  /** Of the draft. Send it with a change. */
  version: number;
  template: PersonalisationTemplate;
  published: PersonalisationTemplate | null;
  /** What publishing would refuse. */
  problems: TemplateProblem[];
  /** The print areas of the base product. */
  areas: TemplateArea[];
  /** The pictures of all options, by their key. Addresses are signed and valid for one hour. */
  pictures: {
    design: string;
    image_url: string;
  }[];
  /** The families that a layer can have. */
  fonts: {
    family: string;
    style: string;
    scripts: string[];
  }[];
  /** Scripts that a text can be in, whatever its family. */
  scripts: string[];
};

export type TemplateArea = {
  print_area: string;
  title: string;
  methods: string[];
  width_mm: number;
  height_mm: number;
  width_px: number;
  height_px: number;
  garment: GarmentOutline | null;
};

export type TemplatePicture = {
  /** The key of the picture, for an option. */
  design: string;
  /** Signed, valid for one hour. */
  image_url: string;
  width_px: number;
  height_px: number;
};

export type TemplateProblem = {
  /** The member of the draft, such as `template.layers[0].box`. */
  path: string;
  code: string;
  message: string;
};

export type TemplateSummary = {
  /** Id of the product. */
  id: string;
  name: string;
  /** draft until it is published for the first time. */
  status: Open<'active' | 'draft' | 'archived'>;
  base_product: {
    id: string;
    title: string;
  };
  /** What orders are read by; 0 until it is published. */
  published_version: number;
  published_at: string | null;
  /** Whether the draft differs from what is published. */
  is_changed: boolean;
  /** How many the draft has. */
  layers: number;
  thumbnail_url: string | null;
  /** ISO 8601, UTC, with milliseconds and Z. */
  updated_at: string;
};

export type TemplateSummaryPage = {
  data: TemplateSummary[];
  /** True when another page exists. */
  has_more: boolean;
  next_cursor: string | null;
};

export type Transaction = {
  id: string;
  type: Open<'top_up' | 'charge' | 'refund'>;
  /** GBP in major units: positive when it adds to the balance, negative when it takes from it. */
  amount: number;
  /** GBP in major units, rounded to 2 decimals. */
  balance_after: number;
  currency: 'GBP';
  order_id: string | null;
  /** The order's reference, or that of the top-up. */
  reference: string;
  /** What it is, in plain words. For a correction, a payout or a write-off also why. */
  description: string;
  /** ISO 8601, UTC, with milliseconds and Z. */
  created_at: string;
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

export type UnknownOrderFileItem = {
  key: string;
  /** What the file calls it. */
  title: string;
  /** Rows of the file that have it. */
  rows: number;
  /** The likeliest first. */
  suggestions: OrderFileItemVariant[];
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

export type UploadOrderFileRequest = {
  /** Of the file, to find it again. */
  name: string;
  /** The text of a CSV file with headings and at most 1000 rows. */
  content: string;
};

export type UploadPermit = {
  /** PUT the file there, from a page of BASE_URL. Keep it to yourself. */
  upload_url: string;
  /** The headers to send with the file, exactly so, beside the length that a browser adds. */
  headers: {
    name: string;
    value: string;
  }[];
  /** Until when the file can be sent; until then a lost try can be repeated. */
  upload_until: string;
  /** The address of the file, to give as artwork. Keep it to yourself. */
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
  shop_orders_wait?: boolean | undefined;
  shop_faulty?: boolean | undefined;
  held_in_shop?: boolean | undefined;
  artwork_failed?: boolean | undefined;
  order_undone?: boolean | undefined;
  order_dispatched?: boolean | undefined;
  payment_failed?: boolean | undefined;
  method_changed?: boolean | undefined;
  auto_top_up_stopped?: boolean | undefined;
  low_balance?: boolean | undefined;
  problem_answered?: boolean | undefined;
  cancellation_answered?: boolean | undefined;
  vat_decided?: boolean | undefined;
  webhook_failing?: boolean | undefined;
  webhook_disabled?: boolean | undefined;
};

export type Warning = {
  /** Machine-readable. /docs/errors#warnings lists the codes; more may be added. */
  code: string;
  /** The member it is about, such as items[0].quantity. */
  path: string;
  message: string;
};

export type WebhookSubscription = {
  id: string;
  url: string;
  /** Empty means all events, future ones included. */
  events: string[];
  description: string;
  active: boolean;
  disabled_reason: string | null;
  failing_since: string | null;
  /** ISO 8601, UTC, with milliseconds and Z. */
  created_at: string;
  /** ISO 8601, UTC, with milliseconds and Z. */
  updated_at: string;
};

export type WrittenDesignedProduct = {
  id: string;
  name: string;
  description: string;
  status: Open<'active' | 'draft' | 'archived'>;
  tags: string[];
  retail_price: number | null;
  /** What it is printed on. */
  base_product: {
    id: string;
    master_sku: string;
    title: string;
  };
  mockup_url: string | null;
  thumbnail_url: string | null;
  /** A drawn garment, or a panel for what has no drawing, with its first print in each colour that can be ordered. Signed, valid for one hour. */
  mockups: ColourMockup[];
  /** Whether its orders take decoration.personalisation. */
  personalised: boolean;
  /** The areas that have artwork on this product. */
  print_areas: ProductArea[];
  variants: ProductVariant[];
  /** ISO 8601, UTC, with milliseconds and Z. */
  created_at: string;
  /** ISO 8601, UTC, with milliseconds and Z. */
  updated_at: string;
  /** What was accepted but may not be what was meant. */
  warnings: Warning[];
  designs: DesignOfArea[];
  /** GBP by SKU, of the variants with a price of their own. */
  retail_prices: Record<string, number>;
};

/** What each operation takes, and the body of its success. */
export type Operations = {
  /** Use a link */
  acceptLink: { input: { body: AcceptLinkRequest }; reply: Session };
  /** Add a picture that buyers choose from */
  addTemplatePicture: {
    input: {
      path: {
        /** Product id. */
        id: string;
      };
      body: AddTemplatePictureRequest;
    };
    reply: TemplatePicture;
  };
  /** Begin to link a shop of a platform */
  beginChannelLink: { input: { body: BeginLinkBody }; reply: BegunLink };
  /** Begin to save a card or direct debit */
  beginSavingMethod: {
    input: {
      body: {
        kind: 'card' | 'direct_debit';
      };
    };
    reply: MethodSaving;
  };
  /** Begin a second factor */
  beginSecondFactor: { input: { path?: undefined }; reply: NewSecondFactor };
  /** Begin a top-up by card */
  beginTopUp: {
    input: {
      body: {
        /** GBP in major units, at most two decimals; at least 5. */
        amount_gbp: number;
      };
    };
    reply: CardTopUp;
  };
  /** Change or pause a connected shop */
  changeChannel: {
    input: {
      path: {
        /** Channel id. */
        id: string;
      };
      body: ChangeChannelBody;
    };
    reply: Channel;
  };
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
    reply: NoticeRecipient;
  };
  /** Read a file of orders by other columns */
  changeOrderFile: {
    input: {
      path: {
        /** The id of a file, file_…. */
        id: string;
      };
      body: ChangeOrderFileRequest;
    };
    reply: OrderFile;
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
  /** Change a view */
  changeSavedView: {
    input: {
      path: {
        /** The id of a view, view_…. */
        id: string;
      };
      body: ChangeSavedViewRequest;
    };
    reply: SavedView;
  };
  /** Choose the preferred shipping service */
  changeShippingPreference: { input: { body: ChangeShippingPreferenceRequest }; reply: ShippingPreference };
  /** Change what a personalised product offers */
  changeTemplateProduct: {
    input: {
      path: {
        /** Product id. */
        id: string;
      };
      body: ChangeTemplateProductRequest;
    };
    reply: Template;
  };
  /** Confirm your second factor */
  confirmSecondFactor: { input: { body: ConfirmSecondFactorRequest }; reply: RecoveryCodes };
  /** Confirm a sign-up */
  confirmSignUp: { input: { body: ConfirmSignUpRequest }; reply: Session | WaitingSignUp };
  /** Connect a shop */
  connectChannel: { input: { body: ConnectChannelBody }; reply: ChannelWithSecret };
  /** Put the address of an order of a shop right */
  correctShopAddress: {
    input: {
      path: {
        /** Shop order id. */
        id: string;
      };
      body: Address;
    };
    reply: ShopOrderWithAddress;
  };
  /** Create a personalised product */
  createTemplate: { input: { body: CreateTemplateRequest }; reply: Template };
  /** Create a product of designs */
  designProduct: { input: { body: DesignProductRequest }; reply: WrittenDesignedProduct };
  /** Disconnect a shop */
  disconnectChannel: {
    input: {
      path: {
        /** Channel id. */
        id: string;
      };
    };
    reply: Channel;
  };
  /** Download a file of orders with its results */
  downloadOrderFile: {
    input: {
      path: {
        /** The id of a file, file_…. */
        id: string;
      };
      query?:
        | {
            /** open: rows of orders that were not placed; all by default. */
            rows?: ('all' | 'open') | undefined;
          }
        | undefined;
    };
    reply: undefined;
  };
  /** Look at the packing slip of a brand */
  drawSampleSlip: {
    input: {
      path: {
        /** Brand id. */
        id: string;
      };
    };
    reply: undefined;
  };
  /** Look at the packing slip of an unsaved brand */
  drawSlipOfDraft: { input: { body: BrandDraft }; reply: undefined };
  /** Make a draft like a product */
  duplicateProduct: {
    input: {
      path: {
        /** Product id. */
        id: string;
      };
    };
    reply: DesignedProduct;
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
  /** Forget what an item of a shop is */
  forgetChannelItem: {
    input: {
      path: {
        /** Channel id. */
        id: string;
      };
      body: ForgetItemBody;
    };
    reply: undefined;
  };
  /** Forget what an item of a file of orders is */
  forgetOrderFileItem: {
    input: {
      path: {
        /** The id of a file, file_…. */
        id: string;
      };
      body: ForgetOrderFileItemRequest;
    };
    reply: OrderFile;
  };
  /** Read how the balance is topped up by itself */
  getAutoTopUp: { input: { path?: undefined }; reply: AutoTopUp };
  /** Read a connected shop */
  getChannel: {
    input: {
      path: {
        /** Channel id. */
        id: string;
      };
    };
    reply: Channel;
  };
  /** Read the company of the account */
  getCompany: { input: { path?: undefined }; reply: Company };
  /** Fetch a product with its designs */
  getDesignedProduct: {
    input: {
      path: {
        /** Product id. */
        id: string;
      };
    };
    reply: DesignedProduct;
  };
  /** Read how people come in */
  getEntrance: { input: { path?: undefined }; reply: Entrance };
  /** Fetch a garment to design on */
  getGarment: {
    input: {
      path: {
        /** Base product id. */
        id: string;
      };
    };
    reply: Garment;
  };
  /** Count orders, and read what needs a person */
  getHome: { input: { path?: undefined }; reply: Home };
  /** Read when a mail says that the balance is low */
  getLowBalanceMail: { input: { path?: undefined }; reply: LowBalanceMail };
  /** Read the money of the account */
  getMoney: { input: { path?: undefined }; reply: AccountMoney };
  /** Read what a month has */
  getMonth: {
    input: {
      query?:
        | {
            /** A month by the days of the seller, as documents are dated. */
            month: string;
          }
        | undefined;
    };
    reply: MonthOfMoney;
  };
  /** Fetch the documents of a month as ZIP */
  getMonthDocuments: {
    input: {
      query?:
        | {
            /** A month by the days of the seller, as documents are dated. */
            month: string;
            /** Which part of the month, 1 by default. `getMonth` and the header `Document-Parts` say how many it has. */
            part?: number | undefined;
          }
        | undefined;
    };
    reply: undefined;
  };
  /** Fetch the statement of a month as PDF */
  getMonthStatement: {
    input: {
      query?:
        | {
            /** A month by the days of the seller, as documents are dated. */
            month: string;
          }
        | undefined;
    };
    reply: undefined;
  };
  /** Read who gets which mails */
  getNotifications: {
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
    reply: NoticeMatrix;
  };
  /** Fetch an order as it was placed */
  getOrderAgain: {
    input: {
      path: {
        /** Order id or reference. */
        id: string;
      };
    };
    reply: OrderAgain;
  };
  /** Fetch a file of orders */
  getOrderFile: {
    input: {
      path: {
        /** The id of a file, file_…. */
        id: string;
      };
    };
    reply: OrderFile;
  };
  /** Fetch what happened to an order */
  getOrderHistory: {
    input: {
      path: {
        /** Order id or reference. */
        id: string;
      };
    };
    reply: OrderHistory;
  };
  /** Read the saved payment method */
  getPaymentMethod: { input: { path?: undefined }; reply: PaymentMethod };
  /** Read your second factor */
  getSecondFactor: { input: { path?: undefined }; reply: SecondFactor };
  /** Read the session */
  getSession: { input: { path?: undefined }; reply: Session };
  /** Read the preferred shipping service */
  getShippingPreference: { input: { path?: undefined }; reply: ShippingPreference };
  /** Read an order of a connected shop */
  getShopOrder: {
    input: {
      path: {
        /** Shop order id. */
        id: string;
      };
    };
    reply: ShopOrderWithAddress;
  };
  /** Read what was spent by day */
  getSpending: {
    input: {
      query?:
        | {
            /** The first day, by the days of the seller; 29 days before the last by default. */
            from?: string | undefined;
            /** The last day; today by default. At most 366 days. */
            to?: string | undefined;
          }
        | undefined;
    };
    reply: Spending;
  };
  /** Read the statement of a period */
  getStatement: {
    input: {
      query?:
        | {
            /** The first day, by the days of the seller; the whole past by default. */
            from?: string | undefined;
            /** The last day, by the days of the seller; until now by default. */
            to?: string | undefined;
            /** Records a page, 1 to 100, 25 by default. */
            limit?: number | undefined;
            /** The next_cursor of the previous page. */
            cursor?: string | undefined;
          }
        | undefined;
    };
    reply: AccountStatement;
  };
  /** Read a template and its draft */
  getTemplate: {
    input: {
      path: {
        /** Product id. */
        id: string;
      };
    };
    reply: Template;
  };
  /** Ignore an order of a shop */
  ignoreShopOrder: {
    input: {
      path: {
        /** Shop order id. */
        id: string;
      };
    };
    reply: ShopOrderWithAddress;
  };
  /** Say that entries for its items do not matter */
  ignoreShopOrderEntries: {
    input: {
      path: {
        /** Shop order id. */
        id: string;
      };
    };
    reply: ShopOrderWithAddress;
  };
  /** Invite a person */
  invitePerson: { input: { body: InvitePersonRequest }; reply: NewInvitation };
  /** Search the address book */
  listAddresses: {
    input: {
      query?:
        | {
            /** Records a page, 1 to 100, 25 by default. */
            limit?: number | undefined;
            /** The next_cursor of the previous page. */
            cursor?: string | undefined;
            /** Only addresses in which each of its words occurs. */
            search?: string | undefined;
          }
        | undefined;
    };
    reply: SavedAddressPage;
  };
  /** List the items of a shop */
  listChannelItems: {
    input: {
      path: {
        /** Channel id. */
        id: string;
      };
      query?:
        | {
            /** The next_key of the answer before. */
            after?: string | undefined;
          }
        | undefined;
    };
    reply: ChannelItems;
  };
  /** List your products in a shop */
  listChannelProducts: {
    input: {
      path: {
        /** Channel id. */
        id: string;
      };
      query?:
        | {
            /** Records a page, 1 to 100, 25 by default. */
            limit?: number | undefined;
            /** The next_cursor of the previous page. */
            cursor?: string | undefined;
          }
        | undefined;
    };
    reply: ChannelProductPage;
  };
  /** List connected shops */
  listChannels: { input: { path?: undefined }; reply: ChannelList };
  /** List products as a gallery */
  listGallery: {
    input: {
      query?:
        | {
            /** Records a page, 1 to 100, 25 by default. */
            limit?: number | undefined;
            /** The next_cursor of the previous page. */
            cursor?: string | undefined;
            /** All but archived by default. */
            status?: ('active' | 'draft' | 'archived') | undefined;
            kind?: ('fixed' | 'personalised') | undefined;
            /** Words, each of which the name, the tags, the garment or a SKU has. A page then may have fewer than others follow. */
            q?: string | undefined;
          }
        | undefined;
    };
    reply: GalleryProductPage;
  };
  /** List garments to design on */
  listGarments: {
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
    reply: GarmentSummaryPage;
  };
  /** List open invitations */
  listInvitations: { input: { path?: undefined }; reply: Invitations };
  /** List the months of the account */
  listMonths: { input: { path?: undefined }; reply: MonthList };
  /** List the orders of a file */
  listOrderFileEntries: {
    input: {
      path: {
        /** The id of a file, file_…. */
        id: string;
      };
      query?:
        | {
            /** Only orders of this status. */
            status?: ('waiting' | 'ready' | 'wrong' | 'existing' | 'placed' | 'refused' | 'others') | undefined;
            /** Only orders after this place; 0 when left out. */
            after?: string | undefined;
          }
        | undefined;
    };
    reply: OrderFileEntries;
  };
  /** List the items of a file of orders */
  listOrderFileItems: {
    input: {
      path: {
        /** The id of a file, file_…. */
        id: string;
      };
    };
    reply: OrderFileItems;
  };
  /** List files of orders */
  listOrderFiles: {
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
    reply: ListedOrderFilePage;
  };
  /** List your apps */
  listOwnApps: {
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
    reply: OauthClientPage;
  };
  /** List invoices and credit notes */
  listOwnDocuments: {
    input: {
      query?:
        | {
            /** Only documents issued on this day or later, by the days of the seller. */
            from?: string | undefined;
            /** Only documents issued on this day or earlier, by the days of the seller. */
            to?: string | undefined;
            /** Only invoices, or only credit notes. */
            kind?: ('invoice' | 'credit_note') | undefined;
            /** Records a page, 1 to 100, 25 by default. */
            limit?: number | undefined;
            /** The next_cursor of the previous page. */
            cursor?: string | undefined;
          }
        | undefined;
    };
    reply: IssuedDocumentPage;
  };
  /** List the apps that may use your account */
  listOwnGrants: {
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
    reply: OauthGrantPage;
  };
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
            /** Only requests of this method. */
            method?: ('GET' | 'HEAD' | 'POST' | 'PATCH' | 'DELETE') | undefined;
            /** Only requests with this status, or of this hundred: 404, 5xx. */
            status?: string | undefined;
            /** Only requests whose path has this text in it. */
            path?: string | undefined;
            /** Only requests of this personal token. */
            token?: string | undefined;
            /** Only the request with this id. */
            id?: string | undefined;
          }
        | undefined;
    };
    reply: OwnRequestPage;
  };
  /** List your sessions */
  listOwnSessions: { input: { path?: undefined }; reply: SessionList };
  /** List what happened to your sign-in */
  listOwnSignIns: {
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
    reply: SignInEntryPage;
  };
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
  listPeople: {
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
    reply: PersonOfAccountPage;
  };
  /** List the views of a page */
  listSavedViews: {
    input: {
      query?:
        | {
            /** The list that it is of. */
            page:
              | 'orders'
              | 'shop-orders'
              | 'problems'
              | 'statement'
              | 'documents'
              | 'top-ups'
              | 'products'
              | 'templates'
              | 'order-files'
              | 'events'
              | 'requests'
              | 'deliveries';
          }
        | undefined;
    };
    reply: SavedViews;
  };
  /** List the orders of connected shops */
  listShopOrders: {
    input: {
      query?:
        | {
            /** Records a page, 1 to 100, 25 by default. */
            limit?: number | undefined;
            /** The next_cursor of the previous page. */
            cursor?: string | undefined;
            /** Only orders of this state. */
            state?: ('new' | 'waiting' | 'placed' | 'ignored' | 'failed') | undefined;
            /** Only orders with this reason. Each reason is one of a single state. report_refused: placed ones of which their shop takes no more news. */
            reason?:
              | (
                  | 'gave_up'
                  | 'paused'
                  | 'earlier'
                  | 'unpaid'
                  | 'on_hold'
                  | 'unknown_status'
                  | 'high_risk'
                  | 'risk_pending'
                  | 'scheduled'
                  | 'delayed'
                  | 'needs_mapping'
                  | 'approval'
                  | 'supplement'
                  | 'address_refused'
                  | 'needs_artwork'
                  | 'needs_personalisation'
                  | 'out_of_stock'
                  | 'refused'
                  | 'suspended'
                  | 'unreadable'
                  | 'test'
                  | 'cancelled_in_shop'
                  | 'fulfilled_in_shop'
                  | 'nothing_ours'
                  | 'placed_before'
                  | 'by_person'
                  | 'erased'
                  | 'disconnected'
                  | 'too_old'
                  | 'cancelled'
                  | 'cancel_asked'
                  | 'asked_to_cancel'
                  | 'cancel_refused'
                  | 'change_asked'
                  | 'changed_in_shop'
                  | 'report_refused'
                )
              | undefined;
            /** Only orders of this shop. */
            channel?: string | undefined;
          }
        | undefined;
    };
    reply: ShopOrderPage;
  };
  /** List what happened to the sign-in of a person */
  listSignInsOfPerson: {
    input: {
      path: {
        /** The person. */
        id: string;
      };
      query?:
        | {
            /** Records a page, 1 to 100, 25 by default. */
            limit?: number | undefined;
            /** The next_cursor of the previous page. */
            cursor?: string | undefined;
          }
        | undefined;
    };
    reply: SignInEntryPage;
  };
  /** List personalised products */
  listTemplates: {
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
    reply: TemplateSummaryPage;
  };
  /** List top-ups by card */
  listTopUps: {
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
    reply: CardTopUpPage;
  };
  /** Look at artwork before it replaces what failed */
  lookAtArtwork: {
    input: {
      path: {
        /** Order id or reference. */
        id: string;
        /** A line of the order: items[].id. */
        line: string;
      };
      body: ReplaceArtworkBody;
    };
    reply: NewArtworkLook;
  };
  /** Look at designs where they are placed */
  lookAtDesigns: { input: { body: LookAtDesignsRequest }; reply: LookedAtDesigns };
  /** Ask the payment provider how a saving stands */
  lookAtSaving: {
    input: {
      path: {
        /** The saving. */
        id: string;
      };
    };
    reply: MethodSaving;
  };
  /** Ask the payment provider how a top-up stands */
  lookAtTopUp: {
    input: {
      path: {
        /** The top-up. */
        id: string;
      };
    };
    reply: CardTopUp;
  };
  /** Mint a token */
  mintOwnToken: { input: { body: MintTokenRequest }; reply: MintedToken };
  /** Permit an upload */
  permitUpload: { input: { body: PermitUploadRequest }; reply: UploadPermit };
  /** Place the orders of a file */
  placeOrderFile: {
    input: {
      path: {
        /** The id of a file, file_…. */
        id: string;
      };
      body: PlaceOrderFileRequest;
    };
    reply: OrderFile;
  };
  /** Have an order of a shop placed */
  placeShopOrder: {
    input: {
      path: {
        /** Shop order id. */
        id: string;
      };
    };
    reply: ShopOrderWithAddress;
  };
  /** Price a product that is designed */
  priceProduct: { input: { body: PriceProductRequest }; reply: ProductPrices };
  /** Propose a VAT number */
  proposeVatNumber: { input: { body: ProposeVatNumberRequest }; reply: Company };
  /** Give your password again */
  proveSession: { input: { body: ProofRequest }; reply: Session };
  /** Publish a product in a shop */
  publishProduct: {
    input: {
      path: {
        /** Channel id. */
        id: string;
      };
      body: PublishProductBody;
    };
    reply: ChannelProduct;
  };
  /** Publish the draft of a template */
  publishTemplate: {
    input: {
      path: {
        /** Product id. */
        id: string;
      };
      body: PublishTemplateRequest;
    };
    reply: Template;
  };
  /** Read what a link is for */
  readLink: { input: { body: ReadLinkRequest }; reply: Link };
  /** Read what a sign-up is for */
  readSignUp: { input: { body: ReadSignUpRequest }; reply: SignUp };
  /** Change a product and its designs */
  redesignProduct: {
    input: {
      path: {
        /** Product id. */
        id: string;
      };
      body: RedesignProductRequest;
    };
    reply: WrittenDesignedProduct;
  };
  /** Register an app */
  registerOwnApp: { input: { body: RegisterAppRequest }; reply: RegisteredApp };
  /** Remove an address */
  removeAddress: {
    input: {
      path: {
        /** The id of a saved address, adr_…. */
        id: string;
      };
    };
    reply: undefined;
  };
  /** Stop topping up by itself */
  removeAutoTopUp: { input: { path?: undefined }; reply: undefined };
  /** Send no mail about a low balance */
  removeLowBalanceMail: { input: { path?: undefined }; reply: undefined };
  /** Remove a file of orders */
  removeOrderFile: {
    input: {
      path: {
        /** The id of a file, file_…. */
        id: string;
      };
    };
    reply: undefined;
  };
  /** Remove your app */
  removeOwnApp: {
    input: {
      path: {
        /** The app, by its `client_id`. */
        id: string;
      };
    };
    reply: undefined;
  };
  /** Remove your second factor */
  removeOwnSecondFactor: { input: { path?: undefined }; reply: undefined };
  /** Remove the saved payment method */
  removePaymentMethod: { input: { path?: undefined }; reply: undefined };
  /** Delete a view */
  removeSavedView: {
    input: {
      path: {
        /** The id of a view, view_…. */
        id: string;
      };
    };
    reply: undefined;
  };
  /** Report an order to its shop again */
  reportShopOrderAgain: {
    input: {
      path: {
        /** Shop order id. */
        id: string;
      };
    };
    reply: ShopOrderWithAddress;
  };
  /** Have a link to a new password mailed */
  requestPasswordReset: { input: { body: PasswordResetRequest }; reply: undefined };
  /** Sign up for an account */
  requestSignUp: { input: { body: SignUpRequest }; reply: undefined };
  /** Revoke what an app may do */
  revokeOwnGrant: {
    input: {
      path: {
        /** The grant. */
        id: string;
      };
    };
    reply: undefined;
  };
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
  /** Replace the signing secret of a shop */
  rotateChannelSecret: {
    input: {
      path: {
        /** Channel id. */
        id: string;
      };
    };
    reply: ChannelWithSecret;
  };
  /** Replace the secret of your app */
  rotateOwnAppSecret: {
    input: {
      path: {
        /** The app, by its `client_id`. */
        id: string;
      };
    };
    reply: NewAppSecret;
  };
  /** Keep an address */
  saveAddress: { input: { body: SaveAddressRequest }; reply: SavedAddress };
  /** Save the draft of a template */
  saveTemplate: {
    input: {
      path: {
        /** Product id. */
        id: string;
      };
      body: SaveTemplateRequest;
    };
    reply: Template;
  };
  /** Save a view of a page */
  saveView: { input: { body: SaveViewRequest }; reply: SavedView };
  /** Say what an item of a file of orders is */
  sayOrderFileItem: {
    input: {
      path: {
        /** The id of a file, file_…. */
        id: string;
      };
      body: SayOrderFileItemRequest;
    };
    reply: OrderFile;
  };
  /** Top up the balance by itself */
  setAutoTopUp: {
    input: {
      body: {
        /** The balance below which it is topped up, in GBP with at most two decimals; at least 1. */
        threshold_gbp: number;
        /** How much is topped up each time, as for a top-up by card. */
        amount_gbp: number;
        /** The most that is topped up by itself within 24 hours; at least the amount. */
        daily_cap_gbp: number;
      };
    };
    reply: AutoTopUp;
  };
  /** Say what an item of a shop is */
  setChannelItem: {
    input: {
      path: {
        /** Channel id. */
        id: string;
      };
      body: SetItemBody;
    };
    reply: undefined;
  };
  /** Have a mail say that the balance is low */
  setLowBalanceMail: { input: { body: SetLowBalanceMailRequest }; reply: LowBalanceMail };
  /** Sign in */
  signIn: { input: { body: SignInRequest }; reply: Session };
  /** Sign out */
  signOut: { input: { path?: undefined }; reply: undefined };
  /** Keep a product in a shop up to date no more */
  stopChannelProduct: {
    input: {
      path: {
        /** Channel id. */
        id: string;
        /** Product id. */
        product_id: string;
      };
    };
    reply: undefined;
  };
  /** Take artwork in */
  takeDesign: { input: { body: TakeDesignRequest }; reply: TakenDesign };
  /** Show a piece of the draft of a template */
  tryTemplate: {
    input: {
      path: {
        /** Product id. */
        id: string;
      };
      body: PreviewPersonalisationBody;
    };
    reply: PersonalisationPreview;
  };
  /** Upload a file of orders */
  uploadOrderFile: { input: { body: UploadOrderFileRequest }; reply: OrderFile };
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
  acceptLink: { method: 'POST', path: '/links/accept' },
  addTemplatePicture: { method: 'POST', path: '/templates/{id}/pictures' },
  beginChannelLink: { method: 'POST', path: '/channels/links' },
  beginSavingMethod: { method: 'POST', path: '/payment-method/savings' },
  beginSecondFactor: { method: 'POST', path: '/second-factor' },
  beginTopUp: { method: 'POST', path: '/top-ups' },
  changeChannel: { method: 'PATCH', path: '/channels/{id}' },
  changeCompany: { method: 'PATCH', path: '/company' },
  changeNotifications: { method: 'PATCH', path: '/notifications/{id}' },
  changeOrderFile: { method: 'PATCH', path: '/order-files/{id}' },
  changePassword: { method: 'POST', path: '/password' },
  changePerson: { method: 'PATCH', path: '/people/{id}' },
  changeSavedView: { method: 'PATCH', path: '/views/{id}' },
  changeShippingPreference: { method: 'PATCH', path: '/shipping-preference' },
  changeTemplateProduct: { method: 'PATCH', path: '/templates/{id}/product' },
  confirmSecondFactor: { method: 'POST', path: '/second-factor/confirm' },
  confirmSignUp: { method: 'POST', path: '/sign-ups/confirm' },
  connectChannel: { method: 'POST', path: '/channels' },
  correctShopAddress: { method: 'POST', path: '/shop-orders/{id}/address' },
  createTemplate: { method: 'POST', path: '/templates' },
  designProduct: { method: 'POST', path: '/products' },
  disconnectChannel: { method: 'POST', path: '/channels/{id}/disconnect' },
  downloadOrderFile: { method: 'GET', path: '/order-files/{id}/rows' },
  drawSampleSlip: { method: 'GET', path: '/brands/{id}/packing-slip' },
  drawSlipOfDraft: { method: 'POST', path: '/brand-drafts/packing-slip' },
  duplicateProduct: { method: 'POST', path: '/products/{id}/duplicate' },
  endOwnSession: { method: 'DELETE', path: '/sessions/{id}' },
  forgetChannelItem: { method: 'POST', path: '/channels/{id}/items/forget' },
  forgetOrderFileItem: { method: 'POST', path: '/order-files/{id}/items/forget' },
  getAutoTopUp: { method: 'GET', path: '/auto-top-up' },
  getChannel: { method: 'GET', path: '/channels/{id}' },
  getCompany: { method: 'GET', path: '/company' },
  getDesignedProduct: { method: 'GET', path: '/products/{id}' },
  getEntrance: { method: 'GET', path: '/entrance' },
  getGarment: { method: 'GET', path: '/garments/{id}' },
  getHome: { method: 'GET', path: '/home' },
  getLowBalanceMail: { method: 'GET', path: '/money/low-balance-mail' },
  getMoney: { method: 'GET', path: '/money' },
  getMonth: { method: 'GET', path: '/money/month' },
  getMonthDocuments: { method: 'GET', path: '/money/month/documents' },
  getMonthStatement: { method: 'GET', path: '/money/month/statement' },
  getNotifications: { method: 'GET', path: '/notifications' },
  getOrderAgain: { method: 'GET', path: '/orders/{id}/again' },
  getOrderFile: { method: 'GET', path: '/order-files/{id}' },
  getOrderHistory: { method: 'GET', path: '/orders/{id}/history' },
  getPaymentMethod: { method: 'GET', path: '/payment-method' },
  getSecondFactor: { method: 'GET', path: '/second-factor' },
  getSession: { method: 'GET', path: '/session' },
  getShippingPreference: { method: 'GET', path: '/shipping-preference' },
  getShopOrder: { method: 'GET', path: '/shop-orders/{id}' },
  getSpending: { method: 'GET', path: '/money/spending' },
  getStatement: { method: 'GET', path: '/money/statement' },
  getTemplate: { method: 'GET', path: '/templates/{id}' },
  ignoreShopOrder: { method: 'POST', path: '/shop-orders/{id}/ignore' },
  ignoreShopOrderEntries: { method: 'POST', path: '/shop-orders/{id}/ignore-entries' },
  invitePerson: { method: 'POST', path: '/people/invitations' },
  listAddresses: { method: 'GET', path: '/addresses' },
  listChannelItems: { method: 'GET', path: '/channels/{id}/items' },
  listChannelProducts: { method: 'GET', path: '/channels/{id}/products' },
  listChannels: { method: 'GET', path: '/channels' },
  listGallery: { method: 'GET', path: '/products' },
  listGarments: { method: 'GET', path: '/garments' },
  listInvitations: { method: 'GET', path: '/people/invitations' },
  listMonths: { method: 'GET', path: '/money/months' },
  listOrderFileEntries: { method: 'GET', path: '/order-files/{id}/orders' },
  listOrderFileItems: { method: 'GET', path: '/order-files/{id}/items' },
  listOrderFiles: { method: 'GET', path: '/order-files' },
  listOwnApps: { method: 'GET', path: '/apps' },
  listOwnDocuments: { method: 'GET', path: '/money/documents' },
  listOwnGrants: { method: 'GET', path: '/grants' },
  listOwnRequests: { method: 'GET', path: '/requests' },
  listOwnSessions: { method: 'GET', path: '/sessions' },
  listOwnSignIns: { method: 'GET', path: '/sign-ins' },
  listOwnTokens: { method: 'GET', path: '/tokens' },
  listPeople: { method: 'GET', path: '/people' },
  listSavedViews: { method: 'GET', path: '/views' },
  listShopOrders: { method: 'GET', path: '/shop-orders' },
  listSignInsOfPerson: { method: 'GET', path: '/sign-ins/{id}' },
  listTemplates: { method: 'GET', path: '/templates' },
  listTopUps: { method: 'GET', path: '/top-ups' },
  lookAtArtwork: { method: 'POST', path: '/orders/{id}/lines/{line}/artwork/look' },
  lookAtDesigns: { method: 'POST', path: '/designs/look' },
  lookAtSaving: { method: 'POST', path: '/payment-method/savings/{id}/look' },
  lookAtTopUp: { method: 'POST', path: '/top-ups/{id}/look' },
  mintOwnToken: { method: 'POST', path: '/tokens' },
  permitUpload: { method: 'POST', path: '/uploads' },
  placeOrderFile: { method: 'POST', path: '/order-files/{id}/place' },
  placeShopOrder: { method: 'POST', path: '/shop-orders/{id}/place' },
  priceProduct: { method: 'POST', path: '/product-prices' },
  proposeVatNumber: { method: 'POST', path: '/company/vat-number' },
  proveSession: { method: 'POST', path: '/session/proof' },
  publishProduct: { method: 'POST', path: '/channels/{id}/products' },
  publishTemplate: { method: 'POST', path: '/templates/{id}/publish' },
  readLink: { method: 'POST', path: '/links/read' },
  readSignUp: { method: 'POST', path: '/sign-ups/read' },
  redesignProduct: { method: 'PATCH', path: '/products/{id}' },
  registerOwnApp: { method: 'POST', path: '/apps' },
  removeAddress: { method: 'DELETE', path: '/addresses/{id}' },
  removeAutoTopUp: { method: 'DELETE', path: '/auto-top-up' },
  removeLowBalanceMail: { method: 'DELETE', path: '/money/low-balance-mail' },
  removeOrderFile: { method: 'DELETE', path: '/order-files/{id}' },
  removeOwnApp: { method: 'DELETE', path: '/apps/{id}' },
  removeOwnSecondFactor: { method: 'DELETE', path: '/second-factor' },
  removePaymentMethod: { method: 'DELETE', path: '/payment-method' },
  removeSavedView: { method: 'DELETE', path: '/views/{id}' },
  reportShopOrderAgain: { method: 'POST', path: '/shop-orders/{id}/report' },
  requestPasswordReset: { method: 'POST', path: '/password-resets' },
  requestSignUp: { method: 'POST', path: '/sign-ups' },
  revokeOwnGrant: { method: 'DELETE', path: '/grants/{id}' },
  revokeOwnToken: { method: 'DELETE', path: '/tokens/{id}' },
  rotateChannelSecret: { method: 'POST', path: '/channels/{id}/secret' },
  rotateOwnAppSecret: { method: 'POST', path: '/apps/{id}/secret' },
  saveAddress: { method: 'POST', path: '/addresses' },
  saveTemplate: { method: 'PATCH', path: '/templates/{id}' },
  saveView: { method: 'POST', path: '/views' },
  sayOrderFileItem: { method: 'POST', path: '/order-files/{id}/items' },
  setAutoTopUp: { method: 'POST', path: '/auto-top-up' },
  setChannelItem: { method: 'POST', path: '/channels/{id}/items' },
  setLowBalanceMail: { method: 'POST', path: '/money/low-balance-mail' },
  signIn: { method: 'POST', path: '/session' },
  signOut: { method: 'DELETE', path: '/session' },
  stopChannelProduct: { method: 'DELETE', path: '/channels/{id}/products/{product_id}' },
  takeDesign: { method: 'POST', path: '/designs' },
  tryTemplate: { method: 'POST', path: '/templates/{id}/preview' },
  uploadOrderFile: { method: 'POST', path: '/order-files' },
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
