import { existsSync } from 'node:fs';
import { loadEnvFile } from 'node:process';
import { ConfigError, type ProviderHost } from './settings/forms.ts';
import { SETTINGS, type Setting, type Settings, UNAVAILABLE } from './settings/table.ts';

/** Who sells, as invoices name it; empty where the operator has not said. */
export type Seller = {
  readonly name: string;
  readonly addressLines: readonly string[];
  readonly vatNumber: string;
};

/** Where the payment provider is and what it knows us by. */
export type StripeSettings = ProviderHost & {
  readonly secretKey: string;
  /** Signs the provider's callbacks. */
  readonly webhookSecret: string;
};

/** Everything an operator can set, checked and typed: the settings of the table, and what several of them make together. */
export type Config = Omit<Settings, 'baseUrl' | `seller${string}` | `stripe${string}`> & {
  /** The public origin, without `/api/v1` and without a trailing slash. */
  readonly baseUrl: string;
  readonly seller: Seller;
  /** How cards and direct debits are charged; undefined: balance only. */
  readonly stripe: StripeSettings | undefined;
};

/**
 * Reads the settings from the environment, and from `.env` in the working directory for those the environment leaves out.
 * Throws a `ConfigError` for the first wrong one.
 */
export function readConfig(env: NodeJS.ProcessEnv = process.env): Config {
  if (env === process.env) loadSettingsFile();
  refuseWithoutEffect(env);
  const {
    baseUrl,
    sellerName,
    sellerAddressLines,
    sellerVatNumber,
    stripeSecretKey,
    stripeWebhookSecret,
    stripeHost,
    ...settings
  } = readSettings(env);
  const { host, port } = settings;
  if (settings.databaseUrl !== undefined && settings.secretKey === undefined) {
    throw new ConfigError(
      'SECRET_KEY is required with DATABASE_URL, so that all nodes share it; `openssl rand -hex 32` makes one',
    );
  }
  return {
    ...settings,
    baseUrl: baseUrl ?? `http://${host.includes(':') ? `[${host}]` : host}:${port}`,
    seller: { name: sellerName, addressLines: sellerAddressLines, vatNumber: sellerVatNumber },
    stripe: stripeOf({ secretKey: stripeSecretKey, webhookSecret: stripeWebhookSecret, ...stripeHost }),
  };
}

/** Takes the settings of `.env` in the working directory into the environment, but for those that it has already. */
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

/** What is set, without the blanks around it; an empty text is not set. */
function textOf(env: NodeJS.ProcessEnv, name: string): string | undefined {
  const text = env[name]?.trim();
  return text === '' ? undefined : text;
}

/** Neither half of the secrets without the other: charges whose end is never learned, or callbacks of nothing. */
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

/** A setting that is set and does nothing is refused, whatever it says. */
function refuseWithoutEffect(env: NodeJS.ProcessEnv): void {
  const isSet = (name: string): boolean => textOf(env, name) !== undefined;
  for (const name of UNAVAILABLE.filter(isSet)) {
    throw new ConfigError(`${name} is not available in this version; unset it`);
  }
  if (isSet('STRIPE_SECRET_KEY')) return;
  for (const name of ['STRIPE_WEBHOOK_SECRET', 'STRIPE_HOST'].filter(isSet)) {
    throw new ConfigError(`${name} does nothing without STRIPE_SECRET_KEY; set both or unset it`);
  }
}
