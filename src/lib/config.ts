import { existsSync } from 'node:fs';
import { loadEnvFile } from 'node:process';
import type { MailSettings } from './mail/smtp.ts';
import { sellerDayBounds } from './seller-day.ts';
import { BUCKET_NAMES, type DropBucket, readDropBucket } from './settings/drop.ts';
import { ConfigError, type ProviderHost, type VatRegistration } from './settings/forms.ts';
import { refuseSeller, type Seller } from './settings/seller.ts';
import { SETTINGS, type Setting, type Settings, UNAVAILABLE } from './settings/table.ts';

/** Where the payment provider is, and the keys it knows us by. */
export type StripeSettings = ProviderHost & {
  readonly secretKey: string;
  /** Signs the provider's callbacks. */
  readonly webhookSecret: string;
};

/** As what Shopify knows this service. */
export type ShopifyApp = { readonly clientId: string; readonly clientSecret: string };

/**
 * Everything an operator can set, checked and typed.
 * The settings of the table, and the values that several of them make together.
 */
export type Config = Omit<
  Settings,
  'baseUrl' | `seller${string}` | `stripe${string}` | `shopify${string}` | `mail${string}` | `dropS3${string}`
> & {
  /** The public origin, without `/api/v1` and without a trailing slash. */
  readonly baseUrl: string;
  readonly seller: Seller;
  /** How cards and direct debits are charged; undefined: balance only. */
  readonly stripe: StripeSettings | undefined;
  /** How shops of Shopify are connected; undefined: they cannot be. */
  readonly shopify: ShopifyApp | undefined;
  /** The origin at which this service fetches dropped files, where it is not that of `dropUrl`. */
  readonly dropFilesUrl?: string;
  /** Where dropped files go in place of `dropUrl`. */
  readonly dropBucket: DropBucket | undefined;
  /** How mails are sent; undefined: none are. */
  readonly mail: MailSettings | undefined;
};

/**
 * Reads the settings from the environment.
 * `.env` in the working directory supplies those that the environment leaves out. Throws a
 * `ConfigError` for the first wrong one.
 */
export function readConfig(env: NodeJS.ProcessEnv = process.env): Config {
  if (env === process.env) loadSettingsFile();
  refuseWithoutEffect(env);
  const {
    baseUrl,
    sellerName,
    sellerAddressLines,
    sellerVatNumber,
    sellerVatRegistration,
    sellerTimeZone,
    stripeSecretKey,
    stripeWebhookSecret,
    stripeHost,
    shopifyClientId,
    shopifyClientSecret,
    mailServer,
    mailSender,
    dropS3Url,
    dropS3Region,
    dropS3Prefix,
    dropS3KeyId,
    dropS3Secret,
    ...settings
  } = readSettings(env);
  const { host, port } = settings;
  if (settings.databaseUrl !== undefined && settings.secretKey === undefined) {
    throw new ConfigError(
      'SECRET_KEY is required with DATABASE_URL, so that all nodes share it; `openssl rand -hex 32` makes one',
    );
  }
  if (settings.keepAddressesDays < settings.keepArtworkDays) {
    throw new ConfigError(
      `KEEP_ADDRESSES_DAYS must be at least KEEP_ARTWORK_DAYS (${settings.keepArtworkDays}): a replacement needs both, and it is ${settings.keepAddressesDays}`,
    );
  }
  if (settings.problemWindowDays > settings.keepArtworkDays) {
    throw new ConfigError(
      `PROBLEM_WINDOW_DAYS must be at most KEEP_ARTWORK_DAYS (${settings.keepArtworkDays}): a replacement needs the artwork, and it is ${settings.problemWindowDays}`,
    );
  }
  const dropBucket = readDropBucket(
    { dropUrl: settings.dropUrl, dropS3Url, dropS3Region, dropS3Prefix, dropS3KeyId, dropS3Secret },
    baseUrl,
  );
  const seller = {
    name: sellerName,
    addressLines: sellerAddressLines,
    vatNumber: sellerVatNumber,
    vatRegistration: registrationOf(sellerVatRegistration, sellerTimeZone),
    timeZone: sellerTimeZone,
  };
  refuseSeller(seller);
  if (settings.signUp !== 'closed' && mailServer === undefined) {
    throw new ConfigError(
      `SIGN_UP=${settings.signUp} needs SMTP_URL and MAIL_FROM, since addresses are confirmed by mail`,
    );
  }
  return {
    ...settings,
    baseUrl: baseUrl ?? `http://${host.includes(':') ? `[${host}]` : host}:${port}`,
    seller,
    dropBucket,
    mail: mailServer && mailSender && { ...mailServer, from: mailSender },
    shopify:
      shopifyClientId === undefined || shopifyClientSecret === undefined
        ? undefined
        : { clientId: shopifyClientId, clientSecret: shopifyClientSecret },
    stripe: stripeOf({ secretKey: stripeSecretKey, webhookSecret: stripeWebhookSecret, ...stripeHost }),
  };
}

/** The registration with the instant at which its day begins where the seller is. */
function registrationOf(given: Settings['sellerVatRegistration'], timeZone: string): VatRegistration | undefined {
  if (typeof given !== 'object') return given;
  return { ...given, from: sellerDayBounds({ timeZone, from: new Date(0) }, given.day).from };
}

/** Copies the settings of `.env` in the working directory into the environment. Those already set stay. */
export function loadSettingsFile(): void {
  if (existsSync('.env')) loadEnvFile('.env');
}

function readSettings(env: NodeJS.ProcessEnv): Settings {
  const rows: [key: string, row: Setting<unknown>][] = Object.entries(SETTINGS);
  return Object.fromEntries(
    rows.map(([key, { name, form, default: unset }]) => {
      const text = textOf(env, name) ?? unset;
      return [key, text === undefined ? undefined : form.read(text, name)];
    }),
  ) as Settings;
}

/** The value without the blanks around it; an empty text counts as not set. */
function textOf(env: NodeJS.ProcessEnv, name: string): string | undefined {
  const text = env[name]?.trim();
  return text === '' ? undefined : text;
}

/** Both secrets or neither: otherwise charges never learn their outcome, or callbacks match no charge. */
function stripeOf(
  given: ProviderHost & { readonly secretKey: string | undefined; readonly webhookSecret: string | undefined },
): StripeSettings | undefined {
  const { secretKey, webhookSecret } = given;
  if (secretKey === undefined) return undefined;
  if (webhookSecret === undefined) {
    throw new ConfigError(
      'STRIPE_SECRET_KEY needs STRIPE_WEBHOOK_SECRET beside it: the signing secret of the endpoint /hooks/stripe',
    );
  }
  return { ...given, secretKey, webhookSecret };
}

/** Refuses a setting that has no effect in this version, whatever its value. */
function refuseWithoutEffect(env: NodeJS.ProcessEnv): void {
  const isSet = (name: string): boolean => textOf(env, name) !== undefined;
  for (const name of UNAVAILABLE.filter(isSet)) {
    throw new ConfigError(`${name} is not available in this version; unset it`);
  }
  for (const [one, other] of [
    ['SMTP_URL', 'MAIL_FROM'],
    ['MAIL_FROM', 'SMTP_URL'],
    ['SHOPIFY_CLIENT_ID', 'SHOPIFY_CLIENT_SECRET'],
    ['SHOPIFY_CLIENT_SECRET', 'SHOPIFY_CLIENT_ID'],
  ] as const) {
    if (isSet(one) && !isSet(other))
      throw new ConfigError(`${one} does nothing without ${other}; set both or unset it`);
  }
  for (const name of BUCKET_NAMES.filter(isSet)) {
    if (!isSet('DROP_S3_URL')) throw new ConfigError(`${name} does nothing without DROP_S3_URL; set both or unset it`);
  }
  if (isSet('STRIPE_SECRET_KEY')) return;
  for (const name of ['STRIPE_WEBHOOK_SECRET', 'STRIPE_HOST'].filter(isSet)) {
    throw new ConfigError(`${name} does nothing without STRIPE_SECRET_KEY; set both or unset it`);
  }
}
