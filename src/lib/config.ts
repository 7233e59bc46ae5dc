import { existsSync } from 'node:fs';
import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { loadEnvFile } from 'node:process';
import type { LogLevel } from './log.ts';

/** Who sells, as invoices name it; empty where the operator has not said. */
export type Seller = {
  readonly name: string;
  readonly addressLines: readonly string[];
  readonly vatNumber: string;
};

/** Everything an operator can set (docs/runbook.md), checked and typed. */
export type Config = {
  readonly port: number;
  readonly host: string;
  /** The public origin, without `/api/v1` and without a trailing slash. */
  readonly baseUrl: string;
  /** Undefined: the embedded server. */
  readonly databaseUrl: string | undefined;
  readonly dataDir: string;
  readonly blobStore: string;
  readonly cancellationWindowSeconds: number;
  readonly webhookFlushSeconds: number;
  readonly webhookRetrySeconds: readonly number[];
  readonly webhookTimeoutMs: number;
  readonly rateLimitTokenPerMinute: number;
  readonly rateLimitIpPerMinute: number;
  /** `host:port`, lower case. */
  readonly trustedPrivateHosts: ReadonlySet<string>;
  readonly autoSettleHours: number;
  /** Whether paid orders are promoted by themselves once their cancellation window has closed. */
  readonly autoPromote: boolean;
  readonly trustProxy: string | undefined;
  readonly logLevel: LogLevel;
  /** Undefined: generated into the data directory, which only the embedded database allows. */
  readonly secretKey: string | undefined;
  readonly seller: Seller;
  /** How cards and direct debits are charged; undefined: balance only. */
  readonly stripe: StripeSettings | undefined;
};

/** Where the payment provider is and what it knows us by. */
export type StripeSettings = {
  readonly secretKey: string;
  /** Signs the provider's callbacks. */
  readonly webhookSecret: string;
  readonly protocol: 'https' | 'http';
  readonly host: string;
  readonly port: number;
};

/** A setting that cannot be used; the message is one line that names it and says what would be right. */
export class ConfigError extends Error {
  override name = 'ConfigError';
}

/**
 * Reads the settings from the environment, and from `.env` in the working directory for those the environment leaves out.
 * Throws a `ConfigError` for the first wrong one.
 */
export function readConfig(env: NodeJS.ProcessEnv = process.env): Config {
  if (env === process.env) loadSettingsFile();
  refuseUnavailable(env);
  const port = wholeNumber(env, 'PORT', 8080, 0, 65_535);
  const host = text(env, 'HOST') ?? '127.0.0.1';
  const databaseUrl = text(env, 'DATABASE_URL');
  if (databaseUrl !== undefined && !/^postgres(ql)?:\/\//.test(databaseUrl)) {
    throw new ConfigError('DATABASE_URL must begin with postgres:// or postgresql://');
  }
  const secretKey = text(env, 'SECRET_KEY');
  if (secretKey !== undefined && secretKey.length < 32) {
    throw new ConfigError('SECRET_KEY must have at least 32 characters; `openssl rand -hex 32` makes one');
  }
  if (databaseUrl !== undefined && secretKey === undefined) {
    throw new ConfigError(
      'SECRET_KEY is required with DATABASE_URL, so that all nodes share it; `openssl rand -hex 32` makes one',
    );
  }
  return {
    port,
    host,
    baseUrl: origin(env) ?? `http://${host.includes(':') ? `[${host}]` : host}:${port}`,
    databaseUrl,
    dataDir: resolve(text(env, 'DATA_DIR') ?? '.data'),
    blobStore: blobStore(env),
    cancellationWindowSeconds: wholeNumber(env, 'CANCELLATION_WINDOW_SECONDS', 3_600, 0, 31_536_000),
    webhookFlushSeconds: wholeNumber(env, 'WEBHOOK_FLUSH_SECONDS', 300, 0, 86_400),
    webhookRetrySeconds: secondsList(env, 'WEBHOOK_RETRY_SECONDS', [60, 300, 1_500, 7_200, 36_000, 36_000]),
    webhookTimeoutMs: wholeNumber(env, 'WEBHOOK_TIMEOUT_MS', 10_000, 100, 60_000),
    rateLimitTokenPerMinute: wholeNumber(env, 'RATE_LIMIT_TOKEN_PER_MINUTE', 600, 0, 10_000_000),
    rateLimitIpPerMinute: wholeNumber(env, 'RATE_LIMIT_IP_PER_MINUTE', 1_200, 0, 10_000_000),
    trustedPrivateHosts: hostList(env, 'TRUSTED_PRIVATE_HOSTS'),
    autoSettleHours: wholeNumber(env, 'AUTO_SETTLE_HOURS', 72, 0, 87_600),
    autoPromote: isOn(env, 'AUTO_PROMOTE'),
    trustProxy: trustProxy(env),
    logLevel: logLevel(env),
    secretKey,
    seller: {
      name: text(env, 'SELLER_NAME') ?? '',
      addressLines: (text(env, 'SELLER_ADDRESS') ?? '')
        .split(',')
        .map((line) => line.trim())
        .filter((line) => line !== ''),
      vatNumber: text(env, 'SELLER_VAT_NUMBER') ?? '',
    },
    stripe: stripe(env),
  };
}

/** Takes the settings of `.env` in the working directory into the environment, but for those that it has already. */
export function loadSettingsFile(): void {
  if (existsSync('.env')) loadEnvFile('.env');
}

function text(env: NodeJS.ProcessEnv, name: string): string | undefined {
  const value = env[name]?.trim();
  return value === undefined || value === '' ? undefined : value;
}

function wholeNumber(env: NodeJS.ProcessEnv, name: string, fallback: number, min: number, max: number): number {
  const value = text(env, name);
  if (value === undefined) return fallback;
  const number = /^\d+$/.test(value) ? Number(value) : Number.NaN;
  if (!(number >= min && number <= max)) {
    throw new ConfigError(`${name} must be a whole number from ${min} to ${max}, and is "${value}"`);
  }
  return number;
}

function isOn(env: NodeJS.ProcessEnv, name: string): boolean {
  const value = (text(env, name) ?? 'off').toLowerCase();
  if (/^(on|true|yes|1)$/.test(value)) return true;
  if (/^(off|false|no|0)$/.test(value)) return false;
  throw new ConfigError(`${name} must be on or off, and is "${value}"`);
}

function secondsList(env: NodeJS.ProcessEnv, name: string, fallback: readonly number[]): readonly number[] {
  const value = text(env, name);
  if (value === undefined) return fallback;
  const parts = value.split(',').map((part) => part.trim());
  if (parts.length > 20 || !parts.every((part) => /^\d{1,7}$/.test(part))) {
    throw new ConfigError(`${name} must be up to 20 whole numbers of seconds with commas between, and is "${value}"`);
  }
  return parts.map(Number);
}

function hostList(env: NodeJS.ProcessEnv, name: string): ReadonlySet<string> {
  const parts = (text(env, name) ?? '')
    .split(',')
    .map((part) => part.trim().toLowerCase())
    .filter((part) => part !== '');
  for (const part of parts) {
    const port = /^(?:\[[0-9a-f:.]+\]|[^\s:/@]+):(\d{1,5})$/.exec(part)?.[1];
    if (port === undefined || Number(port) < 1 || Number(port) > 65_535) {
      throw new ConfigError(`${name} must be host:port with commas between, and one of them is "${part}"`);
    }
  }
  return new Set(parts);
}

/** `true` for any peer, a number of proxies in front, or their addresses and networks. */
function trustProxy(env: NodeJS.ProcessEnv): string | undefined {
  const value = text(env, 'TRUST_PROXY');
  if (value === undefined || /^(true|false|\d{1,2})$/.test(value)) return value;
  if (!value.split(',').every((part) => isNetwork(part.trim()))) {
    throw new ConfigError(
      `TRUST_PROXY must be true, false, a number of proxies, or their addresses with commas between, and is "${value}"`,
    );
  }
  return value;
}

function isNetwork(part: string): boolean {
  const [address = '', bits, ...rest] = part.split('/');
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128));
}

function origin(env: NodeJS.ProcessEnv): string | undefined {
  const value = text(env, 'BASE_URL');
  if (value === undefined) return undefined;
  const url = URL.parse(value);
  if (url === null || !/^https?:$/.test(url.protocol) || url.search !== '' || url.hash !== '' || url.username !== '') {
    throw new ConfigError(`BASE_URL must be the public origin, such as https://print.example, and is "${value}"`);
  }
  if (url.pathname !== '/')
    throw new ConfigError(`BASE_URL must be an origin without a path, and has "${url.pathname}"`);
  return url.origin;
}

function blobStore(env: NodeJS.ProcessEnv): string {
  const value = text(env, 'BLOB_STORE') ?? 'file:';
  if (!value.startsWith('file:')) {
    throw new ConfigError('BLOB_STORE must begin with file: (object stores are not available in this version)');
  }
  return value;
}

/** Neither half of the secrets without the other: charges whose end nobody hears of, or callbacks of nothing. */
function stripe(env: NodeJS.ProcessEnv): StripeSettings | undefined {
  const secretKey = text(env, 'STRIPE_SECRET_KEY');
  const webhookSecret = text(env, 'STRIPE_WEBHOOK_SECRET');
  const host = text(env, 'STRIPE_HOST');
  if (secretKey === undefined) {
    const alone =
      webhookSecret !== undefined ? 'STRIPE_WEBHOOK_SECRET' : host !== undefined ? 'STRIPE_HOST' : undefined;
    if (alone === undefined) return undefined;
    throw new ConfigError(`${alone} does nothing without STRIPE_SECRET_KEY; set both or unset it`);
  }
  if (!/^[\x21-\x7e]+$/.test(secretKey))
    throw new ConfigError('STRIPE_SECRET_KEY must be the key as the provider shows it');
  if (webhookSecret === undefined) {
    throw new ConfigError(
      'STRIPE_SECRET_KEY needs STRIPE_WEBHOOK_SECRET beside it: the signing secret of the endpoint /hooks/stripe',
    );
  }
  return { secretKey, webhookSecret, ...stripeHost(host ?? 'api.stripe.com') };
}

/** A host, a host with its port, or an origin. Without a scheme it is https, but for this machine itself. */
function stripeHost(value: string): Pick<StripeSettings, 'protocol' | 'host' | 'port'> {
  const isLocal = (host: string): boolean => /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(host);
  const withScheme = (scheme: string): URL | null =>
    URL.parse(/^https?:\/\//.test(value) ? value : `${scheme}://${value}`);
  const bare = withScheme('https');
  const url = bare !== null && isLocal(bare.hostname) ? withScheme('http') : bare;
  if (
    url === null ||
    url.hostname === '' ||
    url.username !== '' ||
    url.search !== '' ||
    url.hash !== '' ||
    url.pathname !== '/'
  ) {
    throw new ConfigError(`STRIPE_HOST must be a host, such as api.stripe.com, or an origin, and is "${value}"`);
  }
  if (url.protocol === 'http:' && !isLocal(url.hostname)) {
    throw new ConfigError(`STRIPE_HOST must be reached by https, but for this machine itself, and is "${value}"`);
  }
  const protocol = url.protocol === 'http:' ? 'http' : 'https';
  const port = url.port === '' ? (protocol === 'http' ? 80 : 443) : Number(url.port);
  return { protocol, host: url.hostname, port };
}

const LOG_LEVELS: readonly LogLevel[] = ['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace'];

function logLevel(env: NodeJS.ProcessEnv): LogLevel {
  const value = text(env, 'LOG_LEVEL') ?? 'info';
  const level = LOG_LEVELS.find((known) => known === value);
  if (level === undefined)
    throw new ConfigError(`LOG_LEVEL must be one of ${LOG_LEVELS.join(', ')}, and is "${value}"`);
  return level;
}

/**
 * Settings of the operating contract whose capability this version does not have. Set, they are refused: an operator who
 * asks for shared rate limits must not run a service that silently has none.
 */
function refuseUnavailable(env: NodeJS.ProcessEnv): void {
  for (const name of ['VALKEY_URL']) {
    if (text(env, name) !== undefined) throw new ConfigError(`${name} is not available in this version; unset it`);
  }
}
