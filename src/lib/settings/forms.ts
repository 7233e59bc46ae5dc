import { isIP } from 'node:net';
import { resolve } from 'node:path';
import type { LogLevel } from '../log.ts';
import { parseDay, parseTimeZone } from '../seller-day.ts';
import { readBritishVatNumber } from './british-vat-number.ts';

/** A setting that cannot be used; the message is one line that names it and says what would be right. */
export class ConfigError extends Error {
  override name = 'ConfigError';
}

/** How a setting is written. */
export type Form<Value> = {
  /** What is allowed, for the runbook; empty where any text is. */
  readonly bounds: string;
  /** Parses a text that is not empty, or the default. Throws a `ConfigError` that names the setting. */
  readonly read: (text: string, name: string) => Value;
};

/** Where the payment provider is reached. */
export type ProviderHost = { readonly protocol: 'https' | 'http'; readonly host: string; readonly port: number };

/** Whether the seller is registered for VAT, or from which day on, which begins at `from`. */
export type VatRegistration = 'yes' | 'no' | { readonly day: string; readonly from: Date };

export const anyText: Form<string> = { bounds: '', read: (text) => text };

export const commaList: Form<readonly string[]> = {
  bounds: 'texts with commas between them',
  read: (text) =>
    text
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== ''),
};

/** A whole number with both bounds allowed. */
export function wholeNumber(min: number, max: number): Form<number> {
  return {
    bounds: `${min} to ${max.toLocaleString('en-GB')}`,
    read: (text, name) => {
      const number = /^\d+$/.test(text) ? Number(text) : Number.NaN;
      if (!(number >= min && number <= max)) {
        throw new ConfigError(`${name} must be a whole number from ${min} to ${max}, and is "${text}"`);
      }
      return number;
    },
  };
}

/** Days for which something is kept; 0, where the law allows it, keeps it for ever. */
export function daysKept(min: number, max = 36_500): Form<number> {
  return {
    bounds: `0, or ${min} to ${max.toLocaleString('en-GB')}`,
    read: (text, name) => {
      const days = /^\d+$/.test(text) ? Number(text) : Number.NaN;
      if (days !== 0 && !(days >= min && days <= max)) {
        throw new ConfigError(`${name} must be 0 (kept for ever) or ${min} to ${max} days, and is "${text}"`);
      }
      return days;
    },
  };
}

export const onOrOff: Form<boolean> = {
  bounds: '`on`, `off`',
  read: (text, name) => {
    if (/^(on|true|yes|1)$/i.test(text)) return true;
    if (/^(off|false|no|0)$/i.test(text)) return false;
    throw new ConfigError(`${name} must be on or off, and is "${text.toLowerCase()}"`);
  },
};

/** Codes by account: `sales=200,bank=891`. */
export const accountCodes: Form<ReadonlyMap<string, string>> = {
  bounds: '`account=code`, with commas between them',
  read: (text, name) => {
    const pairs = commaList
      .read(text, name)
      .map((part) => /^([a-z_]+(?::\d{1,5})?) *= *([A-Za-z0-9.-]{1,10})$/.exec(part));
    if (pairs.includes(null)) {
      throw new ConfigError(`${name} must be account=code with commas between, such as sales=200, and is "${text}"`);
    }
    return new Map(pairs.map((pair) => [pair?.[1] ?? '', pair?.[2] ?? '']));
  },
};

/** One of some words, in any letter case. */
export function oneWord<const Word extends string>(...words: readonly Word[]): Form<Word> {
  return {
    bounds: words.map((word) => `\`${word}\``).join(', '),
    read: (text, name) => {
      const found = words.find((word) => word === text.toLowerCase());
      if (found === undefined) throw new ConfigError(`${name} must be ${words.join(' or ')}, and is "${text}"`);
      return found;
    },
  };
}

export const secondsList: Form<readonly number[]> = {
  bounds: 'up to 20 whole numbers of at most seven digits, with commas between them',
  read: (text, name) => {
    const parts = text.split(',').map((part) => part.trim());
    if (parts.length > 20 || !parts.every((part) => /^\d{1,7}$/.test(part))) {
      throw new ConfigError(`${name} must be up to 20 whole numbers of seconds with commas between, and is "${text}"`);
    }
    return parts.map(Number);
  },
};

/** `host:port` each, lower case. */
export const hostList: Form<ReadonlySet<string>> = {
  bounds: '`host:port`, with commas between them',
  read: (text, name) => {
    const parts = commaList.read(text.toLowerCase(), name);
    for (const part of parts) {
      const port = /^(?:\[[0-9a-f:.]+\]|[^\s:/@]+):(\d{1,5})$/.exec(part)?.[1];
      if (port === undefined || Number(port) < 1 || Number(port) > 65_535) {
        throw new ConfigError(`${name} must be host:port with commas between, and one of them is "${part}"`);
      }
    }
    return new Set(parts);
  },
};

/** `true` for any peer, a number of proxies in front, or their addresses and networks. */
export const proxies: Form<string> = {
  bounds: '`true`, `false`, a number, or addresses and networks',
  read: (text, name) => {
    if (/^(true|false|\d{1,2})$/.test(text)) return text;
    if (!text.split(',').every((part) => isNetwork(part.trim()))) {
      throw new ConfigError(
        `${name} must be true, false, a number of proxies, or their addresses with commas between, and is "${text}"`,
      );
    }
    return text;
  },
};

function isNetwork(part: string): boolean {
  const [address = '', bits, ...rest] = part.split('/');
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128));
}

/** Read without its trailing slash. */
export const origin: Form<string> = {
  bounds: 'an http or https origin without a path',
  read: (text, name) => {
    const url = URL.parse(text);
    if (
      url === null ||
      !/^https?:$/.test(url.protocol) ||
      url.search !== '' ||
      url.hash !== '' ||
      url.username !== ''
    ) {
      throw new ConfigError(`${name} must be the public origin, such as https://print.example, and is "${text}"`);
    }
    if (url.pathname !== '/')
      throw new ConfigError(`${name} must be an origin without a path, and has "${url.pathname}"`);
    return url.origin;
  },
};

export const postgresUrl: Form<string> = {
  bounds: '`postgres://` or `postgresql://`',
  read: (text, name) => {
    if (/^postgres(ql)?:\/\//.test(text)) return text;
    throw new ConfigError(`${name} must begin with postgres:// or postgresql://`);
  },
};

/** Read as an absolute path. */
export const folder: Form<string> = { bounds: 'a folder', read: (text) => resolve(text) };

export const blobStore: Form<string> = {
  bounds: '`file:` or `file:` with an absolute folder',
  read: (text, name) => {
    if (text.startsWith('file:')) return text;
    throw new ConfigError(`${name} must begin with file: (object stores are not available in this version)`);
  },
};

export const secretKey: Form<string> = {
  bounds: '32 characters or more',
  read: (text, name) => {
    if (text.length >= 32) return text;
    throw new ConfigError(`${name} must have at least 32 characters; \`openssl rand -hex 32\` makes one`);
  },
};

/** As many keys are tried for a value at most. */
export const SECRET_KEYS_MAX = 10;

/** Several keys. A comma within a key is written %2C, and a % is written %25. */
export const secretKeys: Form<readonly string[]> = {
  bounds: `up to ${SECRET_KEYS_MAX} keys with commas between them; a comma in a key is \`%2C\`, a % is \`%25\``,
  read: (text, name) => {
    const keys = commaList.read(text, name).map((part) => part.replaceAll(/%2C/gi, ',').replaceAll('%25', '%'));
    if (keys.length > SECRET_KEYS_MAX) {
      throw new ConfigError(`${name} must have at most ${SECRET_KEYS_MAX} keys, and has ${keys.length}`);
    }
    const short = keys.findIndex((key) => key.length < 32);
    if (short === -1) return keys;
    throw new ConfigError(
      `${name} must be keys of at least 32 characters with commas between, and number ${short + 1} is shorter; write %2C for a comma in a key`,
    );
  },
};

export const providerKey: Form<string> = {
  bounds: 'the key as the provider shows it',
  read: (text, name) => {
    if (/^[\x21-\x7e]+$/.test(text)) return text;
    throw new ConfigError(`${name} must be the key as the provider shows it`);
  },
};

/** A host, a host with its port, or an origin. Without a scheme it is https, except for loopback hosts. */
/** Where mails are handed over: the address of a mail server, with the sign-in to it. */
export type MailServer = {
  readonly host: string;
  readonly port: number;
  readonly isSecure: boolean;
  readonly user: string;
  readonly password: string;
};

/** A mail server as an address; the text may hold a password, so no refusal repeats it. */
export const mailServer: Form<MailServer> = {
  bounds: '`smtps://` or `smtp://`, which needs STARTTLS but on this machine',
  read: (text, name) => {
    const url = URL.parse(text);
    const isMail = url !== null && (url.protocol === 'smtp:' || url.protocol === 'smtps:');
    if (!isMail || url.hostname === '' || !['', '/'].includes(url.pathname) || url.search !== '' || url.hash !== '') {
      throw new ConfigError(
        `${name} must be the address of a mail server, such as smtps://user:password@mail.example:465`,
      );
    }
    if (url.username === '' && url.password !== '') {
      throw new ConfigError(`${name} has a password without a user: smtps://user:password@mail.example:465`);
    }
    const isSecure = url.protocol === 'smtps:';
    return {
      host: url.hostname.replace(/^\[|\]$/g, ''),
      port: url.port === '' ? (isSecure ? 465 : 587) : Number(url.port),
      isSecure,
      user: decodedPart(url.username, name),
      password: decodedPart(url.password, name),
    };
  },
};

function decodedPart(text: string, name: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new ConfigError(`${name} has a % that begins no escape; write a percent sign as %25`);
  }
}

/** A sender: an address, or a name with the address in angle brackets. */
export const mailSender: Form<{ readonly name: string; readonly address: string }> = {
  bounds: 'an address, or `Name <address>`',
  read: (text, name) => {
    const [, label = '', address = text] = /^([^<>]*)<([^<>]*)>$/.exec(text) ?? [];
    if (!/^[^\s@<>,;"]+@[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i.test(address.trim())) {
      throw new ConfigError(`${name} must be an address, such as Print shop <orders@print.example>, and is "${text}"`);
    }
    return { name: label.trim().replaceAll(/^"|"$/g, ''), address: address.trim() };
  },
};

export const providerHost: Form<ProviderHost> = {
  bounds: 'a host or an origin; https but on this machine',
  read: (text, name) => {
    const isLocal = (host: string): boolean => /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(host);
    const withScheme = (scheme: string): URL | null =>
      URL.parse(/^https?:\/\//.test(text) ? text : `${scheme}://${text}`);
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
      throw new ConfigError(`${name} must be a host, such as api.stripe.com, or an origin, and is "${text}"`);
    }
    if (url.protocol === 'http:' && !isLocal(url.hostname)) {
      throw new ConfigError(`${name} must be reached by https, but for this machine itself, and is "${text}"`);
    }
    const protocol = url.protocol === 'http:' ? 'http' : 'https';
    const port = url.port === '' ? (protocol === 'http' ? 80 : 443) : Number(url.port);
    return { protocol, host: url.hostname, port };
  },
};

const LOG_LEVELS: readonly LogLevel[] = ['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace'];

export const logLevel: Form<LogLevel> = {
  bounds: LOG_LEVELS.map((level) => `\`${level}\``).join(' '),
  read: (text, name) => {
    const level = LOG_LEVELS.find((known) => known === text);
    if (level === undefined) {
      throw new ConfigError(`${name} must be one of ${LOG_LEVELS.join(', ')}, and is "${text}"`);
    }
    return level;
  },
};

/** `yes`, `no` or a day, whose beginning depends on the time zone. */
export const vatRegistration: Form<'yes' | 'no' | { readonly day: string }> = {
  bounds: '`yes`, `no`, or the day from which on, such as `2027-01-01`',
  read: (text, name) => {
    const answer = text.toLowerCase();
    if (answer === 'yes' || answer === 'no') return answer;
    const day = parseDay(text);
    if (day === undefined) {
      throw new ConfigError(`${name} must be yes, no or a day such as 2027-01-01, and is "${text}"`);
    }
    return { day };
  },
};

/** A time zone that this Node.js knows, in its spelling. */
export const timeZone: Form<string> = {
  bounds: 'a name of the IANA database',
  read: (text, name) => {
    const known = parseTimeZone(text);
    if (known === undefined)
      throw new ConfigError(`${name} must be a time zone such as Europe/London, and is "${text}"`);
    return known;
  },
};

/** Kept in capitals, without blanks, dots and hyphens; empty for none. */
export const britishVatNumber: Form<string> = {
  bounds: 'GB or XI and 9 or 12 digits (or GD or HA and 3), with the right check digits',
  read: (text, name) => {
    if (text === '') return '';
    const vatNumber = readBritishVatNumber(text);
    if (vatNumber !== undefined) return vatNumber;
    throw new ConfigError(
      `${name} must be a British VAT number with its prefix and the right check digits, such as GB999999973, and is "${text}"`,
    );
  },
};
