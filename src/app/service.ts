import { setTimeout as delay } from 'node:timers/promises';
import { createAuthenticator, createOperatorAuthenticator } from '../accounts/authenticate.ts';
import { accountRoutes } from '../accounts/billing-identity/routes.ts';
import { createSessionAuthenticator } from '../accounts/portal/authenticate-session.ts';
import { isCsrfToken } from '../accounts/portal/csrf.ts';
import { sessionCookieName } from '../accounts/portal/session-cookie.ts';
import { noteRequest } from '../accounts/requests/note-request.ts';
import { artworkRoutes } from '../artwork/routes.ts';
import { openStore, refuseOtherStore, WrongStore } from '../artwork/store/marker.ts';
import { billingRoutes } from '../billing/routes.ts';
import { agreeOnTimeZone } from '../billing/seller-days.ts';
import { refuseUnknownCodes } from '../books/reports/codes.ts';
import { brandRoutes } from '../brands/routes.ts';
import { catalogueRoutes } from '../catalogue/routes.ts';
import { newArtworkRoutes } from '../checkout/new-artwork/routes.ts';
import { previewRoutes } from '../checkout/personalisation/preview-routes.ts';
import { checkoutRoutes } from '../checkout/routes.ts';
import { mountChannels } from '../http/channels/mount-channels.ts';
import { mountConsoles } from '../http/consoles/mount-consoles.ts';
import { mountDocs } from '../http/contract/docs-page.ts';
import { mountFiles } from '../http/files.ts';
import { mountFrontPage } from '../http/front-page.ts';
import type { Readiness } from '../http/health.ts';
import { mountPictures } from '../http/pictures/mount-pictures.ts';
import { personOfBrowser } from '../http/portal/take-session.ts';
import { buildServer } from '../http/server.ts';
import { mountStripeHook } from '../http/stripe-hook.ts';
import { invoiceRoutes } from '../invoices/routes.ts';
import { BlobStoreAway } from '../lib/blobs/failures.ts';
import type { Config } from '../lib/config.ts';
import type { DatabaseAddress } from '../lib/db.ts';
import { ApiError } from '../lib/errors.ts';
import type { Log } from '../lib/log.ts';
import { isMigrated } from '../lib/migrations/migrate.ts';
import type { Route } from '../lib/route.ts';
import { OPERATORS } from '../lib/turns/owner.ts';
import { mountOauth } from '../oauth/routes.ts';
import { eventRoutes } from '../orders/event-routes.ts';
import { orderRoutes } from '../orders/routes.ts';
import { refuseIncompleteBooks } from '../pricing/check-stored-books.ts';
import { quoteRoutes } from '../pricing/quote-routes.ts';
import { pricingRoutes } from '../pricing/routes.ts';
import { problemRoutes } from '../problems/routes.ts';
import { productRoutes } from '../products/routes.ts';
import { askingRoutes } from '../refunds/asking/routes.ts';
import { refundRoutes } from '../refunds/routes.ts';
import { shipmentRoutes } from '../shipments/routes.ts';
import { recoveryRoutes } from '../webhooks/recovery/recovery-routes.ts';
import { webhookRoutes } from '../webhooks/routes.ts';
import { type AppContext, contextFor, type Outside, openContext } from './context.ts';
import { OPS_ROUTES } from './ops-routes.ts';
import { PORTAL_ROUTES } from './portal-routes.ts';
import { startWorkers, WORKERS, type WorkerEntry } from './workers.ts';

export type Role = 'all' | 'api' | 'worker';

/** The public API, slice by slice. */
export const API_ROUTES: readonly Route<AppContext>[] = [
  ...catalogueRoutes,
  ...pricingRoutes,
  ...productRoutes,
  ...brandRoutes,
  ...orderRoutes,
  ...checkoutRoutes,
  ...previewRoutes,
  ...newArtworkRoutes,
  ...refundRoutes,
  ...askingRoutes,
  ...problemRoutes,
  ...shipmentRoutes,
  ...invoiceRoutes,
  ...billingRoutes,
  ...accountRoutes,
  ...artworkRoutes,
  ...webhookRoutes,
  ...recoveryRoutes,
  ...eventRoutes,
  ...quoteRoutes,
];

export type Service = {
  readonly ctx: AppContext;
  /** False when a stop was requested while it still waited for its database. */
  readonly hasStarted: boolean;
  /** The bound port. With `--role worker` only the probes answer on it. */
  readonly port: number;
  /** Drains: lets requests, jobs and deliveries end, within the grace, then closes the connections. */
  readonly stop: () => Promise<void>;
};

/** What the preparation of a start is given. */
export type Starting = {
  /** Says what readiness answers meanwhile. */
  readonly say: (reason: string) => void;
  /** Aborted when the start is to end before it is complete. */
  readonly signal: AbortSignal;
  /** Opens the store of files, unless it is open; done after `prepare` at the latest. */
  readonly openStore: () => Promise<void>;
};

/** How long a stop waits for work in progress (bad input N199). */
const GRACE_MS = 30_000;

/**
 * Starts the API, the workers or both once `prepare` has made the database ready.
 * Until then requests are answered with 503, and readiness says why. Waits for a database that cannot be reached,
 * unless `until` settles first (bad input N202). Throws what `prepare` throws, when a stored price book lacks a
 * territory, and when days of the books are closed by another time zone than that of the settings.
 */
export async function startService(options: {
  config: Config;
  address: DatabaseAddress;
  secretKey: string;
  /** Earlier keys, which are only read with. */
  formerKeys?: readonly string[];
  log: Log;
  role: Role;
  /**
   * Runs before the first job and the first request.
   * Runs again from its beginning if the connection to the database is lost meanwhile.
   */
  prepare: (ctx: AppContext, starting: Starting) => Promise<void>;
  /** Ends the wait for the database and its migrations when it settles. */
  until?: Promise<unknown>;
  outside?: Outside;
  /** Started beside `WORKERS`, in this process alone. */
  workers?: readonly WorkerEntry<AppContext>[];
}): Promise<Service> {
  const { config, log, role } = options;
  const { ctx, hints, close } = await openContext(options);
  try {
    const prepare = async (starting: Omit<Starting, 'openStore'>): Promise<void> => {
      let opened: Promise<void> | undefined;
      const openOnce = (): Promise<void> => (opened ??= openStore(ctx));
      await options.prepare(ctx, { ...starting, openStore: openOnce });
      await openOnce();
      refuseUnknownCodes(ctx.config);
      await agreeOnTimeZone(ctx);
      // Only the API prices orders.
      if (role !== 'worker') await refuseIncompleteBooks(ctx);
    };
    const start = createStart(ctx, prepare, options.until);
    let isOpen = false;
    const sessions = {
      cookieName: sessionCookieName(config.baseUrl),
      authenticate: createSessionAuthenticator({ ...ctx, database: ctx.database.priority }, ctx.tokenUses.sessions),
    };
    const server = buildServer<AppContext>({
      ctx,
      routes: role === 'worker' ? [] : API_ROUTES,
      // Tokens are checked on the priority pool: otherwise, under load, a cancel would not get as far as its own
      // connection.
      authenticate: createAuthenticator({ ...ctx, database: ctx.database.priority }, ctx.tokenUses.customers),
      operations: {
        routes: role === 'worker' ? [] : OPS_ROUTES,
        authenticate: createOperatorAuthenticator(
          { ...ctx, database: ctx.database.of({ owner: OPERATORS }) },
          ctx.tokenUses.operators,
        ),
      },
      portal: {
        routes: role === 'worker' ? [] : PORTAL_ROUTES,
        sessions: {
          ...sessions,
          isCsrfToken: (sessionId, text) => isCsrfToken(ctx, sessionId, text),
        },
      },
      log,
      clock: ctx.clock,
      settings: config,
      contextFor,
      noteRequest: (request) => noteRequest(ctx, request),
      ready: async () => (isOpen ? await readiness(ctx) : { ready: false, reason: start.reason() }),
      isOpen: () => isOpen,
      extend: (app) => {
        if (role === 'worker') return;
        mountFiles(app, ctx);
        mountPictures(app, ctx, (asker) => contextFor(ctx, asker, true));
        mountOauth(app, ctx);
        mountStripeHook(app, ctx);
        mountChannels(app, ctx, {
          contextFor: (asker) => contextFor(ctx, asker, false),
          personOf: (request) => personOfBrowser(request, sessions),
        });
        mountFrontPage(app, { isSandbox: options.outside?.isSandbox === true });
        mountConsoles(app, log, { dropOrigin: dropOriginOf(config), baseUrl: config.baseUrl });
        mountDocs(app, { api: API_ROUTES, ops: OPS_ROUTES, portal: PORTAL_ROUTES });
      },
    });
    const { port } = await server.listen(config.port, config.host);
    // Migrations may take hours. A supervisor sees meanwhile that the process is alive, and why it is not ready.
    try {
      isOpen = await start.untilReady();
    } catch (error) {
      await server.drain(0);
      throw error;
    }
    // Last, when nothing can fail any more: a service that does not start leaves no worker behind.
    const ofRole = role === 'api' ? WORKERS.filter(({ everywhere }) => everywhere) : WORKERS;
    const workers = isOpen ? startWorkers(ctx, [...ofRole, ...(options.workers ?? [])]) : undefined;
    if (workers !== undefined) hints.wake = workers.wake;
    return {
      ctx,
      hasStarted: isOpen,
      port,
      stop: async () => {
        await server.drain(GRACE_MS);
        await workers?.stop(GRACE_MS);
        await close();
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

const UNREACHABLE = 'The database cannot be reached.';
const START_RETRY_MS = 1_000;

/** Makes the database ready, at once or as soon as it can be reached. Any other failure is thrown. */
function createStart(
  ctx: AppContext,
  prepare: (starting: Omit<Starting, 'openStore'>) => Promise<void>,
  until?: Promise<unknown>,
) {
  let reason = 'The service is starting.';
  const ended = new AbortController();
  void until?.finally(() => ended.abort());
  const say = (text: string): void => {
    reason = text;
  };
  const isReady = async (): Promise<boolean> => {
    try {
      await ctx.database.readClock();
      await prepare({ say, signal: ended.signal });
      return true;
    } catch (error) {
      if (error instanceof ApiError && error.code === 'unavailable') return false;
      throw error;
    }
  };
  return {
    reason: () => reason,
    untilReady: async (): Promise<boolean> => {
      for (let isFirst = true; !ended.signal.aborted; isFirst = false) {
        if (await isReady()) return true;
        if (ended.signal.aborted) break;
        say(UNREACHABLE);
        if (isFirst) {
          ctx.log.warn({}, 'the database cannot be reached: waiting for it, and answering 503 until then');
        }
        await delay(START_RETRY_MS, undefined, { signal: ended.signal }).catch(() => undefined);
      }
      return false;
    },
  };
}

/** The one origin beside our own that a page sends to. */
function dropOriginOf({ dropUrl, dropBucket }: Config): string | undefined {
  return dropBucket === undefined ? dropUrl : new URL(dropBucket.url).origin;
}

/** Says it to those who ask for readiness, without the folders of this machine. */
function sentence(message: string): string {
  return `${message.charAt(0).toUpperCase()}${message.slice(1).replace(/\.$/, '')}.`;
}

async function readiness(ctx: AppContext): Promise<Readiness> {
  try {
    if (!(await isMigrated(ctx.database))) {
      return { ready: false, reason: 'Migrations are missing: run platen migrate.' };
    }
    await refuseOtherStore(ctx);
    return { ready: true };
  } catch (error) {
    if (error instanceof WrongStore || error instanceof BlobStoreAway)
      return { ready: false, reason: sentence(error.message) };
    return { ready: false, reason: UNREACHABLE };
  }
}
