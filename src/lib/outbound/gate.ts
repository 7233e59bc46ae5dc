import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { outOfHandles } from '../errors.ts';
import {
  bareHost,
  canonicalHostPort,
  hostPortOf,
  isPrivateName,
  isPublicAddress,
  isSameAddress,
  type Refusal,
  readTarget,
  refusal,
  type Target,
} from './addresses.ts';

/** All addresses of a host name; rejects when there is none. */
type Resolver = (hostname: string) => Promise<readonly LookupAddress[]>;

export type GateSettings = {
  /** `host:port`: may be reached although the address is private (operating, `TRUSTED_PRIVATE_HOSTS`). */
  readonly trustedPrivateHosts: ReadonlySet<string>;
  /** Where this service itself listens; never a target, trusted or not. */
  readonly ownAddresses?: readonly { readonly host: string; readonly port: number }[];
  /** The system's resolver when left out. */
  readonly resolve?: Resolver;
};

/** A target together with the only addresses that it may be reached at. */
export type Reachable = Target & { readonly addresses: readonly string[] };

export type Gate = {
  /**
   * Refuses by form, port, host and address; `subject` begins the message.
   *
   * Throws the signal's reason when it aborts.
   */
  readonly judge: (url: string, subject: string, signal: AbortSignal) => Promise<Reachable | Refusal>;
  /** `judge`, and beyond it the rules for a webhook target. */
  readonly judgeWebhook: (url: string, signal: AbortSignal) => Promise<Reachable | Refusal>;
};

const ALLOWED_PORTS: readonly number[] = [443, 8_443];

/**
 * Decides which remote hosts may be contacted.
 *
 * Those are https on the ports 443 and 8443 with public addresses only, and beside them exactly the trusted `host:port`
 * pairs (spec 8, "Host"; decisions, "Artwork fetch", "Webhook target"; bad-input G 105 to 112).
 */
export function createGate(settings: GateSettings): Gate {
  const trusted = new Set([...settings.trustedPrivateHosts].map((entry) => canonicalHostPort(entry) ?? entry));
  const own = (settings.ownAddresses ?? []).map(({ host, port }) => ({ host: bareHost(host.toLowerCase()), port }));
  const resolve = settings.resolve ?? systemResolver;
  const isTrusted = (target: Target): boolean => trusted.has(hostPortOf(target));

  /** An own address is compared as a name and as an IP address, always together with its port. */
  const isOwn = (target: Target, addresses: readonly string[]): boolean =>
    own.some(
      ({ host, port }) =>
        port === target.port && (host === target.host || addresses.some((address) => isSameAddress(address, host))),
    );

  const judge: Gate['judge'] = async (url, subject, signal) => {
    const target = readTarget(url, subject);
    if (target.kind === 'refused') return target;
    const notPublic = refusal('ssrf', `${subject} must name a host on the public internet.`);
    if (isOwn(target, [])) return notPublic;
    if (!isTrusted(target)) {
      if (!ALLOWED_PORTS.includes(target.port)) {
        return refusal('ssrf', `${subject} must use one of the ports ${ALLOWED_PORTS.join(' and ')}.`);
      }
      if (isPrivateName(target.host)) return notPublic;
    }
    const addresses = await addressesOf(resolve, target.host, signal);
    if (addresses.length === 0) return refusal('fetch', `${subject} names a host that cannot be found.`);
    if (isOwn(target, addresses)) return notPublic;
    // One private address among public ones is refused too: which of them is used would be the remote host's choice.
    if (!isTrusted(target) && !addresses.every(isPublicAddress)) return notPublic;
    return { ...target, addresses };
  };

  const judgeWebhook: Gate['judgeWebhook'] = async (url, signal) => {
    const target = readTarget(url, 'The URL');
    if (target.kind === 'refused') return target;
    if (!isWrittenInAscii(target.host, url)) {
      return refusal('url', `The URL must write its host in ASCII: ${target.host}.`);
    }
    const judged = await judge(url, 'The URL', signal);
    if (judged.kind === 'ok' && isIP(target.host) !== 0 && !isTrusted(target)) {
      return refusal('url', 'The URL must name its host by name, not by IP address.');
    }
    return judged;
  };

  return { judge, judgeWebhook };
}

/** False for a name that only URL parsing turned into ASCII: two such names can look alike in a list. */
function isWrittenInAscii(host: string, text: string): boolean {
  const written = text.toLowerCase();
  return host.split('.').every((label) => !label.startsWith('xn--') || written.includes(label));
}

async function addressesOf(resolve: Resolver, host: string, signal: AbortSignal): Promise<readonly string[]> {
  // A connection to an IP address makes no look-up, so the address itself must be judged.
  if (isIP(host) !== 0) return [host];
  const found = await untilAborted(
    resolve(host).catch((error: unknown): readonly LookupAddress[] => {
      const noHandle = outOfHandles(error);
      if (noHandle !== undefined) throw noHandle;
      return [];
    }),
    signal,
  );
  return found.map(({ address }) => address);
}

/** Stops waiting when the signal aborts and throws its reason; a look-up itself cannot be stopped. */
async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

function systemResolver(hostname: string): Promise<readonly LookupAddress[]> {
  return lookup(hostname, { all: true, order: 'verbatim' });
}
