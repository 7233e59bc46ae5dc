import { DROP_SETTINGS } from './drop.ts';
import {
  accountCodes,
  anyText,
  blobStore,
  britishVatNumber,
  commaList,
  type Form,
  folder,
  hostList,
  logLevel,
  mailSender,
  mailServer,
  oneWord,
  onOrOff,
  origin,
  postgresUrl,
  providerHost,
  providerKey,
  proxies,
  secondsList,
  secretKey,
  secretKeys,
  timeZone,
  vatRegistration,
  wholeNumber,
} from './forms.ts';
import { KEEPING_SETTINGS } from './keeping.ts';
import { ORDERS, PROBLEM_SETTINGS } from './problems.ts';

/** One setting of an operator: how it is read, and what the runbook and `.env.example` say of it. */
export type Setting<Value> = {
  readonly name: string;
  /** Settings of one group are listed together, under this line in `.env.example`. */
  readonly group: string;
  readonly form: Form<Value>;
  /** Read in place of a setting that is not set; without it the value is then undefined. */
  readonly default?: string;
  /** What the runbook says in place of the default, or of `unset`. */
  readonly defaultText?: string;
  /** The default of commands that have another one. */
  readonly otherDefaults?: string;
  /** A sentence or two, in Markdown. */
  readonly means: string;
  /** What `.env.example` shows in place of the default. */
  readonly example?: string;
};

const LISTENING = 'Where it listens, and how others reach it';
const DATA = 'Data: the database, files, and the key that signs and seals';
const SELLER = 'The seller on invoices. An issued invoice never changes: set these before the first order';
const BOOKS = 'The books';
const PROVIDER = 'Cards and direct debits: set both secrets or neither';
const MAIL = 'Mail to the people of customers: set both or neither';
const SHOPS = 'Connected shops: set both or neither';
const WEBHOOKS = 'Webhooks';
const LIMITS = 'Limits and networks';
const LOG = 'Log';

/**
 * All settings, in the order in which they are read and shown.
 * A key is the name of the value in `Config`. After a change run `npm run settings`, which writes
 * `.env.example` and the table in `docs/runbook.md`.
 */
export const SETTINGS = {
  port: {
    name: 'PORT',
    group: LISTENING,
    form: wholeNumber(0, 65_535),
    default: '8080',
    means: 'The port to listen on. 0 picks a free one, which the default `BASE_URL` then has.',
  },
  host: {
    name: 'HOST',
    group: LISTENING,
    form: anyText,
    default: '127.0.0.1',
    means: 'The address to listen on; `0.0.0.0` or `::` for all.',
  },
  baseUrl: {
    name: 'BASE_URL',
    group: LISTENING,
    form: origin,
    defaultText: '`http://HOST:PORT`',
    means: 'How others reach the service, without `/api/v1`. Stands in signed links, and is never fetched.',
    example: 'https://print.example',
  },
  ...DROP_SETTINGS,
  databaseUrl: {
    name: 'DATABASE_URL',
    group: DATA,
    form: postgresUrl,
    means: 'PostgreSQL 15 or later. Unset: an embedded PostgreSQL in `DATA_DIR`.',
    example: 'postgresql://platen:password@db.example:5432/platen',
  },
  dataDir: {
    name: 'DATA_DIR',
    group: DATA,
    form: folder,
    default: '.data',
    means:
      'Holds the embedded database, `secret.key`, and blobs unless `BLOB_STORE` says otherwise. Made with mode 0700.',
  },
  blobStore: {
    name: 'BLOB_STORE',
    group: DATA,
    form: blobStore,
    default: 'file:',
    means: 'Where artwork and print files are kept. `file:` is `DATA_DIR/blobs`; all nodes must share the folder.',
  },
  erasureLedger: {
    name: 'ERASURE_LEDGER',
    group: DATA,
    form: folder,
    defaultText: '`DATA_DIR/erasures`',
    means:
      'The folder of the ledger of erasures, by which a restored backup is erased again. Better on another disk than the database, and not in its backups; all nodes share it.',
    example: '/srv/platen-erasures',
  },
  secretKey: {
    name: 'SECRET_KEY',
    group: DATA,
    form: secretKey,
    defaultText: 'made once and kept in `DATA_DIR/secret.key`',
    means:
      'Signs links and seals webhook secrets; the same on all nodes. Required with `DATABASE_URL`. `openssl rand -hex 32` makes one.',
    example: '',
  },
  formerSecretKeys: {
    name: 'SECRET_KEY_OLD',
    group: DATA,
    form: secretKeys,
    default: '',
    defaultText: 'none, and those in `DATA_DIR/secret.key.old`',
    means:
      'Keys that what is stored or was signed can still be read with, beside `SECRET_KEY`. Read [Exchange the secret key](#exchange-the-secret-key) before you set it.',
    example: '',
  },
  cancellationWindowSeconds: {
    name: 'CANCELLATION_WINDOW_SECONDS',
    group: ORDERS,
    form: wholeNumber(0, 31_536_000),
    default: '3600',
    means: 'How long a new order can be cancelled by its customer (`cancellable_until`).',
  },
  ...PROBLEM_SETTINGS,
  autoSettleHours: {
    name: 'AUTO_SETTLE_HOURS',
    group: ORDERS,
    form: wholeNumber(0, 87_600),
    default: '72',
    means: 'A top-up settles waiting orders that are no older than this.',
  },
  autoPromote: {
    name: 'AUTO_PROMOTE',
    group: ORDERS,
    form: onOrOff,
    default: 'off',
    means:
      'Paid orders go to production by themselves once their cancellation window has closed, the oldest first. One that is short is passed over and tried again when there is enough.',
  },
  shipRequires: {
    name: 'SHIP_REQUIRES',
    group: ORDERS,
    form: oneWord('started', 'finished'),
    default: 'started',
    means:
      'What a piece needs before it ships. `finished`: a parcel with unfinished pieces is refused. `started`: it goes, with the warning `unfinished_pieces`. Blanks need no finishing.',
  },
  secondPersonFromGbp: {
    name: 'SECOND_PERSON_FROM_GBP',
    group: BOOKS,
    form: wholeNumber(0, 1_000_000_000),
    default: '500',
    means:
      'From how many pounds on a correction, a withdrawal, a write-off, an opening balance or an adjustment waits for a second person. Those of one customer within 24 hours count together. 0: always.',
  },
  topUpMaxGbp: {
    name: 'TOP_UP_MAX_GBP',
    group: BOOKS,
    form: wholeNumber(0, 1_000_000_000),
    default: '0',
    means:
      'The most pounds of one top-up that an operator enters by the operations API, or types as a command at a terminal: above it the amount is taken for a slip of the keyboard. 0: no limit.',
  },
  xeroCodes: {
    name: 'XERO_CODES',
    group: BOOKS,
    form: accountCodes,
    default: '',
    defaultText: 'those in [the bookkeeping page](bookkeeping.md#codes)',
    means: 'Codes of accounts in Xero, for journals. Those that are left out keep the default.',
    example: 'sales=200,vat:2000=820',
  },
  sageCodes: {
    name: 'SAGE_CODES',
    group: BOOKS,
    form: accountCodes,
    default: '',
    defaultText: 'those in [the bookkeeping page](bookkeeping.md#codes)',
    means: 'Nominal codes of accounts in Sage 50, for journals. Those that are left out keep the default.',
    example: 'sales=4000,vat:2000=2200',
  },
  sellerName: {
    name: 'SELLER_NAME',
    group: SELLER,
    form: anyText,
    default: '',
    defaultText: 'none',
    otherDefaults: '`npm start`: a demo shop',
    means: 'The name of the seller. An invoice is issued a minute after its order, and then frozen.',
    example: 'Mill Lane Prints Ltd',
  },
  sellerAddressLines: {
    name: 'SELLER_ADDRESS',
    group: SELLER,
    form: commaList,
    default: '',
    defaultText: 'none',
    otherDefaults: '`npm start`: a demo shop',
    means: 'The address of the seller, with commas between its lines.',
    example: '12 Mill Lane, Leeds, LS1 4DY',
  },
  sellerTimeZone: {
    name: 'SELLER_TIME_ZONE',
    group: SELLER,
    form: timeZone,
    default: 'Europe/London',
    means:
      'Where the seller is: by its days documents are dated and the days of the books closed. It cannot change once a day is closed by it.',
  },
  sellerVatRegistration: {
    name: 'SELLER_VAT_REGISTERED',
    group: SELLER,
    form: vatRegistration,
    defaultText: 'VAT is charged, also without a number',
    means:
      'Whether the seller is registered for VAT, or the day from which on (it begins at midnight of `SELLER_TIME_ZONE`). Until then no VAT is charged or shown. An order keeps the VAT that it was placed with.',
    example: 'yes',
  },
  sellerVatNumber: {
    name: 'SELLER_VAT_NUMBER',
    group: SELLER,
    form: britishVatNumber,
    default: '',
    defaultText: 'none',
    otherDefaults: '`npm start`: a fictitious one',
    means:
      'The VAT number of the seller, which makes its invoices VAT invoices. Required once `SELLER_VAT_REGISTERED` says that the seller is registered.',
    example: 'GB999999973',
  },
  stripeSecretKey: {
    name: 'STRIPE_SECRET_KEY',
    group: PROVIDER,
    form: providerKey,
    means:
      'Charges cards and direct debits for what the balance leaves. Needs `STRIPE_WEBHOOK_SECRET`. Unset: the balance alone pays.',
    example: '',
  },
  stripeWebhookSecret: {
    name: 'STRIPE_WEBHOOK_SECRET',
    group: PROVIDER,
    form: anyText,
    means:
      'The signing secret of the endpoint `/hooks/stripe`. Have the provider send there `payment_intent.succeeded`, `.processing`, `.payment_failed` and `.canceled`, `checkout.session.completed`, `.expired`, `.async_payment_succeeded` and `.async_payment_failed`, `charge.refunded`, and `charge.dispute.created`, `.funds_withdrawn`, `.funds_reinstated` and `.closed`.',
    example: '',
  },
  stripeHost: {
    name: 'STRIPE_HOST',
    group: PROVIDER,
    form: providerHost,
    default: 'api.stripe.com',
    means: 'Where the payment provider is.',
  },
  mailServer: {
    name: 'SMTP_URL',
    group: MAIL,
    form: mailServer,
    means:
      'Your mail server. Needs `MAIL_FROM`. Unset: nothing is mailed, and links that sign in are shown where they are made. A user or password with other characters than letters and digits is written as in any URL (`%40` for `@`).',
    example: '',
  },
  mailSender: {
    name: 'MAIL_FROM',
    group: MAIL,
    form: mailSender,
    means: 'The sender of all mails. Its domain must allow your mail server (SPF, DKIM), or mails end as spam.',
    example: '',
  },
  signUp: {
    name: 'SIGN_UP',
    group: MAIL,
    form: oneWord('closed', 'approval', 'open'),
    default: 'closed',
    means:
      'Whether people can open an account by themselves at `/portal/sign-up`. Their address is confirmed by mail, so `approval` and `open` need `SMTP_URL`. `approval`: an operator decides (`platen sign-up list`). `open`: the account is there once the address is confirmed.',
  },
  shopifyClientId: {
    name: 'SHOPIFY_CLIENT_ID',
    group: SHOPS,
    form: anyText,
    means:
      'The client id of your app at Shopify. Needs `SHOPIFY_CLIENT_SECRET`. Unset: shops of Shopify cannot be connected.',
    example: '',
  },
  shopifyClientSecret: {
    name: 'SHOPIFY_CLIENT_SECRET',
    group: SHOPS,
    form: anyText,
    means: 'The client secret of your app at Shopify: what Shopify sends is signed with it.',
    example: '',
  },
  webhookFlushSeconds: {
    name: 'WEBHOOK_FLUSH_SECONDS',
    group: WEBHOOKS,
    form: wholeNumber(0, 86_400),
    default: '300',
    otherDefaults: '`npm start`: 0',
    means: 'First attempts are made at multiples of it; 0 is at once.',
  },
  webhookRetrySeconds: {
    name: 'WEBHOOK_RETRY_SECONDS',
    group: WEBHOOKS,
    form: secondsList,
    default: '60,300,1500,7200,36000,36000',
    means:
      'The waits before retries; there are as many retries as numbers. After three failures in a row a subscription gets one attempt at a time, spaced by the first number.',
  },
  webhookTimeoutMs: {
    name: 'WEBHOOK_TIMEOUT_MS',
    group: WEBHOOKS,
    form: wholeNumber(100, 60_000),
    default: '10000',
    means: 'How long one attempt may take in all.',
  },
  ...KEEPING_SETTINGS,
  rateLimitTokenPerMinute: {
    name: 'RATE_LIMIT_TOKEN_PER_MINUTE',
    group: LIMITS,
    form: wholeNumber(0, 10_000_000),
    default: '600',
    means: 'Requests with one token, in each process; 0 is no limit.',
  },
  rateLimitIpPerMinute: {
    name: 'RATE_LIMIT_IP_PER_MINUTE',
    group: LIMITS,
    form: wholeNumber(0, 10_000_000),
    default: '1200',
    means: 'Requests from one address, in each process. An IPv6 address counts by its /64; 0 is no limit.',
  },
  trustedPrivateHosts: {
    name: 'TRUSTED_PRIVATE_HOSTS',
    group: LIMITS,
    form: hostList,
    default: '',
    defaultText: 'none',
    means:
      'What artwork and webhooks may reach although its address is private. Read [SECURITY.md](../SECURITY.md) before you set it.',
  },
  trustProxy: {
    name: 'TRUST_PROXY',
    group: LIMITS,
    form: proxies,
    means: 'Whose `X-Forwarded-For` counts.',
    example: '10.0.0.0/8',
  },
  logLevel: {
    name: 'LOG_LEVEL',
    group: LOG,
    form: logLevel,
    default: 'info',
    otherDefaults: '`npm start`: `warn`; commands: `error`',
    means: 'Logs go to standard error, a JSON object a line.',
  },
} as const satisfies Record<string, Setting<unknown>>;

type ValueOf<Row> = Row extends { form: Form<infer Value> }
  ? Row extends { default: string }
    ? Value
    : Value | undefined
  : never;

/** The value of every setting, by its key in the table. */
export type Settings = { readonly [Key in keyof typeof SETTINGS]: ValueOf<(typeof SETTINGS)[Key]> };

/**
 * Settings of the operating contract that this version does not support.
 * Setting one is refused: an operator who asks for shared rate limits must not run a service that
 * silently has none.
 */
export const UNAVAILABLE: readonly string[] = ['VALKEY_URL'];
