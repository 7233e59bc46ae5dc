import type { LookupAddress } from 'node:dns';
import { isIP } from 'node:net';
import { outOfHandles } from '../errors.ts';
import { createCounter } from '../metrics/instruments.ts';
import type { Owner } from '../turns/owner.ts';
import { createTurns, type TurnsCounts } from '../turns/turns.ts';
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
import { ConnectionError } from './failures.ts';
import {
  createSystemLookups,
  isNameServerAnswering,
  lookUpAddresses,
  type NameAnswer,
  untilAborted,
} from './name-lookup.ts';

/** All addresses of a host name; rejects when there is none. */
type Resolver = (hostname: string) => Promise<readonly LookupAddress[]>;

export type GateSettings = {
  /** `host:port`: may be reached although the address is private (operating, `TRUSTED_PRIVATE_HOSTS`). */
  readonly trustedPrivateHosts: ReadonlySet<string>;
  /** Where this service itself listens; never a target, trusted or not. */
  readonly ownAddresses?: readonly { readonly host: string; readonly port: number }[];
  /** The name servers (`host:port`) in place of the machine's; for tests. */
  readonly nameServers?: readonly string[];
  /** In place of every look-up; for tests. */
  readonly resolve?: Resolver;
  /** The port at which a host is reached in place of that of its URL; for tests. */
  readonly portOf?: (host: string) => number | undefined;
};

/** A call that needs an address: whose it is, until when, and what is done once its look-up begins. */
export type LookupTerms = {
  readonly owner: Owner;
  readonly signal: AbortSignal;
  /** Called when the turn has come: what follows takes the time of the name servers, not of a queue. */
  readonly begun?: () => void;
};

/** A target together with the only addresses that it may be reached at. */
export type Reachable = Target & {
  readonly addresses: readonly string[];
  /** In place of the port; for tests. */
  readonly reachedAt?: number;
};

/** A target that may be contacted. */
type Judged = Reachable & {
  /**
   * Whether the operator lets calls through to it although it is private.
   * A caller gets no text of its answers.
   */
  readonly isTrustedPrivate: boolean;
};

export type Gate = {
  /**
   * Refuses by form, port, host and address; `subject` begins the message.
   *
   * Look-ups are in turn by owner. Throws the signal's reason when it aborts, `TurnRefused` when there is no place for
   * a look-up, and a `ConnectionError` when no name server knew.
   */
  readonly judge: (url: string, subject: string, terms: LookupTerms) => Promise<Judged | Refusal>;
  /** `judge`, and beyond it the rules for a webhook target. */
  readonly judgeWebhook: (url: string, terms: LookupTerms) => Promise<Judged | Refusal>;
  /**
   * Whether our name servers answer, as of two seconds ago at most.
   * When they do not, a host that could not be reached is not to blame.
   */
  readonly isNetworkUp: () => Promise<boolean>;
  readonly lookups: () => TurnsCounts;
};

const ALLOWED_PORTS: readonly number[] = [443, 8_443];

const countRefused = createCounter({
  name: 'platen_outbound_refused_total',
  help: 'Addresses that were not called: they lead into a network that is not public, or to the service itself.',
  labels: ['why'],
  series: [{ why: 'private' }, { why: 'own' }],
});

/** Look-ups at once, of all and of one account, whose names may all be silent. Each is a socket. */
const LOOKUPS_AT_ONCE_MAX = 128;
const LOOKUPS_OF_EACH_MAX = 16;
const LOOKUPS_WAITING_MAX = 2_048;
const LOOKUPS_WAITING_OF_EACH_MAX = 512;
/** With this wait, its time-out and the question about the network, a delivery ends in its lease. */
const LOOKUP_WAIT_MS = 5_000;
/** For how long an answer about the network is believed. */
const NETWORK_FRESH_MS = 2_000;

/**
 * Decides which remote hosts may be contacted.
 *
 * Those are https on the ports 443 and 8443 with public addresses only, and beside them exactly the trusted `host:port`
 * pairs (spec 8, "Host"; decisions, "Artwork fetch", "Webhook target"; bad-input G 105 to 112).
 */
export function createGate(settings: GateSettings): Gate {
  const trusted = new Set([...settings.trustedPrivateHosts].map((entry) => canonicalHostPort(entry) ?? entry));
  const own = (settings.ownAddresses ?? []).map(({ host, port }) => ({ host: bareHost(host.toLowerCase()), port }));
  const addressesOf = addressLookup(settings);
  const isTrusted = (target: Target): boolean => trusted.has(hostPortOf(target));

  /** An own address is compared as a name and as an IP address, always together with its port. */
  const isOwn = (target: Target, addresses: readonly string[]): boolean =>
    own.some(
      ({ host, port }) =>
        port === target.port && (host === target.host || addresses.some((address) => isSameAddress(address, host))),
    );

  const judge: Gate['judge'] = async (url, subject, terms) => {
    const target = readTarget(url, subject);
    if (target.kind === 'refused') return target;
    const notPublic = (why: 'private' | 'own'): Refusal => {
      countRefused({ why });
      return refusal('ssrf', `${subject} must name a host on the public internet.`);
    };
    if (isOwn(target, [])) return notPublic('own');
    if (!isTrusted(target)) {
      if (!ALLOWED_PORTS.includes(target.port)) {
        return refusal('ssrf', `${subject} must use one of the ports ${ALLOWED_PORTS.join(' and ')}.`);
      }
      if (isPrivateName(target.host)) return notPublic('private');
    }
    const addresses = await addressesOf.find(target.host, isTrusted(target), terms);
    if (addresses.length === 0) return refusal('fetch', `${subject} names a host that cannot be found.`);
    if (isOwn(target, addresses)) return notPublic('own');
    // One private address among public ones is refused too: which of them is used would be the remote host's choice.
    if (!isTrusted(target) && !addresses.every(isPublicAddress)) return notPublic('private');
    const reachedAt = settings.portOf?.(target.host);
    const reachable = { ...target, addresses, ...(reachedAt === undefined ? {} : { reachedAt }) };
    return { ...reachable, isTrustedPrivate: isTrusted(target) };
  };

  const judgeWebhook: Gate['judgeWebhook'] = async (url, terms) => {
    const target = readTarget(url, 'The URL');
    if (target.kind === 'refused') return target;
    if (!isWrittenInAscii(target.host, url)) {
      return refusal('url', `The URL must write its host in ASCII: ${target.host}.`);
    }
    const judged = await judge(url, 'The URL', terms);
    if (judged.kind === 'ok' && isIP(target.host) !== 0 && !isTrusted(target)) {
      return refusal('url', 'The URL must name its host by name, not by IP address.');
    }
    return judged;
  };

  return { judge, judgeWebhook, isNetworkUp: addressesOf.isNetworkUp, lookups: addressesOf.lookups };
}

/** False for a name that only URL parsing turned into ASCII: two such names can look alike in a list. */
function isWrittenInAscii(host: string, text: string): boolean {
  const written = text.toLowerCase();
  return host.split('.').every((label) => !label.startsWith('xn--') || written.includes(label));
}

type AddressLookup = Pick<Gate, 'isNetworkUp' | 'lookups'> & {
  readonly find: (host: string, isTrusted: boolean, terms: LookupTerms) => Promise<readonly string[]>;
};

/**
 * Finds the addresses of hosts.
 *
 * Customers' names are asked for at the name servers, in turn by owner. Names that the operator trusts go to the C
 * library.
 */
function addressLookup(settings: GateSettings): AddressLookup {
  const { nameServers, resolve } = settings;
  const turns = createTurns({
    resource: 'lookups',
    capacity: LOOKUPS_AT_ONCE_MAX,
    capOfEach: LOOKUPS_OF_EACH_MAX,
    isCapFirm: true,
    waitingMax: LOOKUPS_WAITING_MAX,
    waitingMaxOfEach: LOOKUPS_WAITING_OF_EACH_MAX,
    waitMs: LOOKUP_WAIT_MS,
  });
  const ofSystem = createSystemLookups();
  let network: { readonly at: number; readonly isUp: Promise<boolean> } | undefined;

  const answer = (host: string, isTrusted: boolean, terms: LookupTerms): Promise<NameAnswer> => {
    if (resolve !== undefined) return replacedLookup(resolve, host, terms.signal);
    if (isTrusted) return ofSystem(host, terms.signal);
    return lookUpAddresses(host, terms.signal, nameServers);
  };

  return {
    find: async (host, isTrusted, terms) => {
      // A connection to an IP address makes no look-up, so the address itself must be judged.
      if (isIP(host) !== 0) {
        terms.begun?.();
        return [host];
      }
      const found = await turns.inTurn({ owner: terms.owner, signal: terms.signal }, () => {
        terms.begun?.();
        return answer(host, isTrusted, terms);
      });
      if (found.kind === 'unanswered') throw new ConnectionError('ERR_NAME_UNANSWERED');
      return found.kind === 'none' ? [] : found.addresses;
    },
    isNetworkUp: () => {
      if (resolve !== undefined) return Promise.resolve(true);
      if (network === undefined || performance.now() - network.at > NETWORK_FRESH_MS) {
        // When not even the question can be put, the network is not up.
        network = { at: performance.now(), isUp: isNameServerAnswering(nameServers).catch(() => false) };
      }
      return network.isUp;
    },
    lookups: turns.counts,
  };
}

async function replacedLookup(resolve: Resolver, host: string, signal: AbortSignal): Promise<NameAnswer> {
  const found = await untilAborted(
    resolve(host).catch((error: unknown): readonly LookupAddress[] => {
      const noHandle = outOfHandles(error);
      if (noHandle !== undefined) throw noHandle;
      return [];
    }),
    signal,
  );
  return { kind: 'found', addresses: found.map(({ address }) => address) };
}
