import { ofCustomer, type Personal, type TableEntry } from './entry.ts';

/** Of a person who is no customer yet. */
const ofSignUp = (what: string): Personal => ({
  of: 'caller',
  what,
  purpose: 'account',
  ground: 'contract',
  kept: 'sign_up',
  erasure: 'ends by itself, or when an operator refuses it',
});
const SECRET = ofCustomer('only as a hash: it cannot be read back', 'removed with the account');
const ofSaved = (what: string): Personal => ({
  of: 'recipient',
  what,
  purpose: 'account',
  ground: 'contract',
  kept: 'account',
  erasure: 'removed with an order to the same name and postcode that is erased, or with the account',
});
const ofBrand = (what: string): Personal => ({
  ...ofCustomer(what, 'removed with the account, once no order that has it is being made'),
  kept: 'brand',
});
const SIGN_IN = 'removed with the account';

/** The tables of accounts, their people, and how these sign in and get mail. */
export const ACCOUNT_TABLES: Readonly<Record<string, TableEntry>> = {
  account: {
    about: 'Customers',
    plain: 'id vat_status suspended_at created_at has_billing default_brand_id',
    personal: {
      name: ofCustomer('the name of the customer, who may be a person'),
      vat_number: ofCustomer('VAT number'),
      eori_number: ofCustomer('customs number'),
      ioss_number: ofCustomer('number of the one-stop shop'),
      suspended_reason: ofCustomer('why it is suspended; free text'),
    },
  },
  account_billing: {
    about: 'Whom invoices are addressed to',
    plain: 'account_id country_code company_number updated_at',
    personal: {
      legal_name: ofCustomer('the legal name, which may be of a person'),
      line1: ofCustomer('address'),
      line2: ofCustomer('address'),
      city: ofCustomer('address'),
      county: ofCustomer('address'),
      postcode: ofCustomer('address'),
      contact_name: ofCustomer('who to write to about accounts'),
      contact_email: ofCustomer('e-mail address of that person'),
    },
  },
  vat_proposal: {
    about: 'VAT numbers that customers have proposed',
    plain: 'account_id task_id proposed_at',
    personal: { vat_number: ofCustomer('VAT number') },
  },
  saved_address: {
    about: 'Addresses that customers keep, to send to again',
    plain: 'account_id id created_at',
    personal: {
      label: ofSaved('what a person calls it; free text'),
      address: ofSaved('name, address, phone and e-mail of a recipient'),
    },
  },
  brand: {
    about: 'Shop names of customers',
    plain: 'account_id id created_at updated_at archived_at',
    personal: { name_key: ofBrand('its name, to compare it with others') },
  },
  brand_revision: {
    about: 'What packing slips show of a brand',
    plain: 'account_id id brand_id created_at superseded_at',
    personal: {
      name: ofBrand('the name of the shop, which may be of a person'),
      message: ofBrand('what stands there for recipients; free text'),
      support_email: ofBrand('e-mail address for recipients'),
      website: ofBrand('address of the shop'),
      return_lines: ofBrand('where returns go, which may be where a person lives'),
      logo_hash: ofBrand('which picture is the logo'),
    },
  },
  order_file_item: {
    about: 'Which items of the customers’ own files are products here',
    plain: 'account_id product_id variant_sku set_at',
    personal: {
      key: ofCustomer('the SKU or the title of the item, with its options', 'removed with the account'),
      title: ofCustomer('the title of the item, with its options', 'removed with the account'),
    },
  },
  order_file_memory: {
    about: 'Headings that customers chose for their files of orders',
    plain: 'account_id',
    personal: {
      headings: ofCustomer('headings of the customer’s own; free text'),
      prefix: ofCustomer('what stands before the customer’s own numbers; free text'),
    },
  },
  shipping_preference: { about: 'Shipping services that customers prefer', plain: 'account_id service' },
  account_balance: { about: 'Balances', plain: 'account_id balance_pence entries last_entry_at' },
  account_user: {
    about: 'People of a customer who sign in',
    plain: 'account_id id role created_at disabled_at',
    personal: {
      email: ofCustomer('e-mail address', SIGN_IN),
      name: ofCustomer('name, as the person gives it', SIGN_IN),
      password_hash: SECRET,
    },
  },
  sign_in_log: {
    about: 'What happened to the sign-in of people',
    plain: 'account_id id kind at hour alike times',
    personal: {
      user_id: { ...ofCustomer('which person', SIGN_IN), kept: 'sign_ins' },
      ip: { ...ofCustomer('the address of the network; of IPv6 its first half', SIGN_IN), kept: 'sign_ins' },
      user_agent: { ...ofCustomer('what the browser says it is, shortened', SIGN_IN), kept: 'sign_ins' },
    },
  },
  portal_session: {
    about: 'Where people are signed in to the portal',
    plain: 'account_id id created_at last_seen_at ends_at proven_at',
    personal: {
      user_id: { ...ofCustomer('which person', SIGN_IN), kept: 'session' },
      token_hash: { ...SECRET, kept: 'session' },
      user_agent: { ...ofCustomer('what the browser says it is, shortened', SIGN_IN), kept: 'session' },
    },
  },
  account_link: {
    about: 'Invitations, and links to choose a new password',
    plain: 'account_id id kind role created_at ends_at',
    personal: {
      token_hash: { ...SECRET, kept: 'session' },
      email: { ...ofCustomer('e-mail address', SIGN_IN), kept: 'session' },
      name: { ...ofCustomer('name, as given by the inviting person', SIGN_IN), kept: 'session' },
    },
  },
  sign_up: {
    about: 'People who have signed up, until the account is open',
    plain: 'id country_code created_at ends_at confirmed_at',
    personal: {
      email: ofSignUp('e-mail address'),
      name: ofSignUp('the name of the person'),
      company: ofSignUp('what the account is to be called'),
      token_hash: ofSignUp('only as a hash: it cannot be read back'),
      password_hash: ofSignUp('only as a hash: it cannot be read back'),
    },
  },
  mail_choice: {
    about: 'Which mails people want',
    plain: 'account_id kind is_wanted',
    personal: { user_id: ofCustomer('which person', SIGN_IN) },
  },
  saved_view: {
    about: 'Lists of the portal as people have narrowed them',
    plain: 'account_id id page columns created_at updated_at',
    personal: {
      user_id: ofCustomer('which person; of a view for all no one', SIGN_IN),
      name: ofCustomer('what a person calls it; free text', SIGN_IN),
      name_key: ofCustomer('its name, to compare it with others', SIGN_IN),
      filters: ofCustomer('what a list is narrowed to, such as a text that is searched for', SIGN_IN),
    },
  },
  second_factor: {
    about: 'The app that shows a person codes for signing in',
    plain: 'account_id sealed_with created_at confirmed_at last_step',
    personal: {
      user_id: ofCustomer('which person', SIGN_IN),
      secret_sealed: ofCustomer('what the codes are made from, encrypted', SIGN_IN),
      recovery_hashes: SECRET,
    },
  },
  mail: {
    about: 'Mail to people of a customer',
    plain: 'account_id id kind once_key created_at useless_at ended_at outcome',
    personal: {
      recipient: { ...ofCustomer('e-mail address', SIGN_IN), kept: 'mail' },
      last_answer: { ...ofCustomer('what the mail server answered, without the address', SIGN_IN), kept: 'mail' },
    },
  },
  mail_content: {
    about: 'What a mail says, until it is sent or given up',
    plain: 'account_id mail_id sealed_with',
    personal: { sealed: { ...ofCustomer('what the mail says, encrypted', SIGN_IN), kept: 'mail' } },
  },
  access_token: {
    about: 'Tokens of the public API',
    plain: 'account_id id scopes client_id grant_id created_at expires_at revoked_at secret_version last_used_at',
    personal: { name: ofCustomer('the customer’s name of the token', SIGN_IN), token_hash: SECRET },
  },
  oauth_client: {
    about: 'Apps',
    plain: 'id account_id scopes created_at secret_version rotated_at removed_at',
    personal: {
      name: ofCustomer('the customer’s name of the app'),
      secret_hash: SECRET,
      redirect_uris: ofCustomer('where the app sends people back to'),
    },
  },
  oauth_grant: {
    about: 'What a person has allowed an app',
    plain: 'account_id id client_id scopes created_at revoked_at',
    personal: { user_id: ofCustomer('which person', SIGN_IN) },
  },
  oauth_record: {
    about: 'Codes, refresh tokens and sessions, sealed',
    plain: 'kind account_id grant_id created_at expires_at consumed_at id sealed_with',
    personal: {
      key_hash: { ...SECRET, kept: 'oauth' },
      uid_hash: { ...SECRET, kept: 'oauth' },
      user_id: { ...ofCustomer('which person', SIGN_IN), kept: 'oauth' },
      sealed: { ...ofCustomer('the state of a sign-in, encrypted', SIGN_IN), kept: 'oauth' },
    },
  },
  sign_in_attempt: {
    about: 'Failed attempts to sign in',
    plain: 'attempts ends_at',
    personal: {
      subject: {
        of: 'caller',
        what: 'a keyed hash of an address of the network or of e-mail',
        purpose: 'protect',
        ground: 'interest',
        kept: 'minutes',
        erasure: 'ends by itself',
      },
    },
  },
};
