import { type AllTokenUses, createAllTokenUses } from '../accounts/access/token-uses.ts';
import { createRequestLog, type RequestLog } from '../accounts/requests/request-log.ts';
import type { ProofContext } from '../artwork/context.ts';
import { openImagePool } from '../artwork/image-pool.ts';
import { openProofTurns } from '../artwork/proof/turns.ts';
import { createCatalogueCache } from '../catalogue/reference.ts';
import type { CheckoutContext } from '../checkout/context.ts';
import { openGathering } from '../checkout/gather.ts';
import { openPlacing } from '../checkout/place-together.ts';
import { openBlobStore } from '../lib/blobs.ts';
import { type DatabaseClock, databaseClock } from '../lib/clock.ts';
import type { Config } from '../lib/config.ts';
import { type DatabaseAddress, openDatabase } from '../lib/db.ts';
import type { Log } from '../lib/log.ts';
import { createOutbound, type OutboundSettings } from '../lib/outbound/outbound.ts';
import { createSecrets } from '../lib/secrets.ts';
import { type Asker, awayFor, SERVICE } from '../lib/turns/owner.ts';
import { openReading } from '../orders/reading/read-together.ts';
import type { PaymentProvider } from '../payments/provider.ts';
import { openStripe } from '../payments/stripe/stripe.ts';
import { createPriceCache } from '../pricing/price-cache.ts';
import type { PricingContext } from '../pricing/read-prices.ts';
import { DELIVERIES_RECORDED } from '../webhooks/deliver.ts';

/** Everything that the use cases of all slices need; one for each process. */
export type AppContext = CheckoutContext &
  PricingContext &
  ProofContext & { readonly tokenUses: AllTokenUses; readonly requestLog: RequestLog };

/** Hints from code that records work to the workers of the same process; set once the workers run. */
export type Hints = { wake: (hint: string) => void };

/**
 * What `npm start` and `platen sandbox` add, and tests replace.
 * Addresses and authorities of remote hosts, a clock that tests move, the payment provider of a sandbox in place of the
 * one that the settings name, and that `/` calls the service a sandbox.
 */
export type Outside = {
  readonly outbound?: Partial<OutboundSettings>;
  readonly clock?: DatabaseClock;
  readonly payments?: PaymentProvider;
  readonly isSandbox?: true;
};

/** Database connections of one process at most; PostgreSQL's default of 100 leaves room for several. */
const CONNECTIONS_MAX = 20;

/**
 * Opens what a process holds: database, outbound calls, image workers and caches.
 * `close` ends all of it.
 */
export async function openContext(options: {
  config: Config;
  address: DatabaseAddress;
  secretKey: string;
  /** Earlier keys, which are only read with. */
  formerKeys?: readonly string[];
  log: Log;
  outside?: Outside;
}): Promise<{ ctx: AppContext; hints: Hints; close: () => Promise<void> }> {
  const { config, log } = options;
  const clock = options.outside?.clock ?? databaseClock();
  const database = await openDatabase({ address: options.address, clock, log, connectionsMax: CONNECTIONS_MAX });
  const outbound = createOutbound({
    trustedPrivateHosts: config.trustedPrivateHosts,
    ownAddresses: ownAddresses(config),
    ...options.outside?.outbound,
  });
  const images = openImagePool();
  const proofs = openProofTurns();
  const catalogue = createCatalogueCache(database);
  const hints: Hints = { wake: () => {} };
  const ctx: AppContext = {
    asker: { owner: SERVICE },
    config,
    database,
    clock,
    log,
    blobs: openBlobStore(config.blobStore, config.dataDir),
    outbound,
    secrets: createSecrets(options.secretKey, options.formerKeys),
    wake: (kind) => hints.wake(kind),
    wakeDeliveries: () => hints.wake(DELIVERIES_RECORDED),
    images,
    proofs,
    catalogue,
    payments: options.outside?.payments ?? (config.stripe === undefined ? undefined : openStripe(config.stripe, log)),
    prices: createPriceCache(database, clock, catalogue),
    gathering: openGathering(database),
    reading: openReading(database),
    placing: openPlacing(database),
    tokenUses: createAllTokenUses(),
    requestLog: createRequestLog(),
  };
  return {
    ctx,
    hints,
    close: async () => {
      await outbound.close();
      proofs.close();
      await images.close();
      await database.close();
    },
  };
}

/**
 * The context of one request: what it takes of shared resources waits for its caller's turn.
 * A change that has begun is not ended by its caller's going, so its statements do not know of that.
 */
export function contextFor(ctx: AppContext, asker: Asker, isRead: boolean): AppContext {
  let database: AppContext['database'] | undefined;
  let outbound: AppContext['outbound'] | undefined;
  let payments: AppContext['payments'];
  return {
    ...ctx,
    asker,
    // Made when they are first used: most requests use one of them or none.
    get database() {
      database ??= ctx.database.of(isRead ? asker : { owner: asker.owner });
      return database;
    },
    get images() {
      return ctx.images.of(asker);
    },
    get outbound() {
      outbound ??= outboundFor(ctx.outbound, asker);
      return outbound;
    },
    get payments() {
      payments ??= ctx.payments && awayDuring(asker, ctx.payments);
      return payments;
    },
  };
}

function outboundFor({ counts, ...calls }: AppContext['outbound'], asker: Asker): AppContext['outbound'] {
  return { ...awayDuring(asker, calls), counts };
}

type Remote = Readonly<Record<string, (...values: never[]) => Promise<unknown>>>;

/** Calls of remote hosts that give back the place of the request meanwhile. */
function awayDuring<Calls extends Remote>(asker: Asker, calls: Calls): Calls {
  const away = Object.entries(calls).map(([name, call]) => [
    name,
    (...values: never[]) => awayFor(asker, () => call(...values)),
  ]);
  return Object.fromEntries(away) as Calls;
}

/**
 * Lists the addresses of this service.
 * It must not be its own webhook receiver or artwork host (bad input G112, K178).
 */
function ownAddresses(config: Config): { host: string; port: number }[] {
  const { hostname, port, protocol } = new URL(config.baseUrl);
  const publicPort = port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port);
  return [
    { host: hostname, port: publicPort },
    { host: config.host, port: config.port },
  ];
}
