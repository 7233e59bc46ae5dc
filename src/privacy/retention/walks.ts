import type { Db } from '../../lib/db.ts';
import type { Uuid } from '../../lib/ids.ts';
import { eraseEnded } from '../erase/erase-order.ts';
import {
  ARCHIVED_BRANDS,
  CLOSED_TASKS,
  dropActions,
  ENDED_ATTEMPTS,
  ENDED_LINKS,
  ENDED_MAILS,
  ENDED_PHOTOS,
  ENDED_REPLAYS,
  ENDED_SAVINGS,
  ENDED_SESSIONS,
  ENDED_SHOP_ORDERS,
  ENDED_SIGN_UPS,
  EXPIRED_RECORDS,
  EXPIRED_TOKENS,
  type endingByTime,
  FAILED_JOBS,
  findOldActions,
  OLD_ORDER_FILES,
  OLD_REQUESTS,
  OLD_SIGN_INS,
  REVOKED_GRANTS,
  REVOKED_OPERATOR_TOKENS,
  REVOKED_TOKENS,
  SUPERSEDED_BRANDS,
  UNPAID_TOP_UPS,
} from './by-time-sql.ts';
import { addressTimes, artworkTimes, type OrderTimes } from './ended-sql.ts';
import { dropDesigns, dropFiles, findDueFiles, findUnusedDesigns } from './files-sql.ts';
import { dropDeliveries, dropEvents, findOldDeliveries, findOldEvents } from './log-sql.ts';
import {
  dropLineMocks,
  type EndState,
  endWait,
  findEndedOrders,
  findWaitedOrders,
  letWait,
  type Wanted,
} from './orders-sql.ts';
import {
  DAY_MS,
  type Due,
  daysBefore,
  HOUR_MS,
  type RetentionKind,
  type SweepContext,
  type Walk,
  type WalkTerms,
} from './walk.ts';

/**
 * How long top-ups that came to nothing and savings of methods are kept.
 * Their pages end within an hour.
 */
const UNPAID_TOP_UPS_DAYS = 30;
/** How long the requests of tokens are kept. */
const REQUESTS_DAYS = 7;
/** How long brands that ended and that no order has are kept: longer than an order is being placed. */
const BRANDS_DAYS = 1;
/** How long files of many orders are kept; placing one takes minutes. */
const ORDER_FILES_DAYS = 14;
/** How long it is kept which order of a shop became which order here. */
const SHOP_ORDERS_DAYS = 730;
/** How long it is kept what happened to the sign-in of people. */
const SIGN_INS_DAYS = 90;
/** Small rows without anything that hangs on them. */
const SMALL_BATCH = 500;
/** Events have four indexes, and each is compared with the first delivery of its account. */
const EVENTS_BATCH = 250;
/** Rows whose uses are looked up one by one. */
const LOOKED_UP_BATCH = 200;
/** Orders with their documents, events and audit rows: about 10 ms each. */
const ERASED_BATCH = 10;
/** Orders, of up to a thousand lines each. */
const ORDERS_BATCH = 50;

/**
 * All that ends by time, in the order in which a round looks at it.
 * Deliveries come before the events that they need.
 */
export const WALKS: readonly Walk[] = [
  {
    name: 'deliveries',
    kind: 'deliveries',
    keepDays: (config) => config.keepEventsDays,
    everyMs: HOUR_MS,
    batch: SMALL_BATCH,
    find: findOldDeliveries,
    drop: dropDeliveries,
  },
  {
    name: 'events',
    kind: 'events',
    keepDays: (config) => config.keepEventsDays,
    everyMs: HOUR_MS,
    batch: EVENTS_BATCH,
    find: findOldEvents,
    drop: dropEvents,
  },
  {
    name: 'print_files',
    kind: 'print_files',
    keepDays: (config) => config.keepArtworkDays,
    everyMs: DAY_MS,
    batch: LOOKED_UP_BATCH,
    find: findDueFiles,
    drop: dropFiles,
  },
  ...lineMocks('dispatched'),
  ...lineMocks('cancelled'),
  ...lineMocks('awaiting_payment'),
  ...addresses('dispatched'),
  ...addresses('cancelled'),
  ...addresses('awaiting_payment'),
  {
    name: 'designs',
    kind: 'designs',
    keepDays: (config) => config.keepArtworkDays,
    everyMs: DAY_MS,
    batch: LOOKED_UP_BATCH,
    find: findUnusedDesigns,
    drop: dropDesigns,
  },
  {
    name: 'audit_log',
    kind: 'audit_log',
    keepDays: (config) => config.keepAuditDays,
    everyMs: DAY_MS,
    batch: SMALL_BATCH,
    find: (db, { config, now }, place, limit) =>
      findOldActions(db, daysBefore(now, config.keepAuditDays), place, limit),
    drop: (tx, _terms, { due }) => dropActions(tx, due),
  },
  byTime('problem_photos', 'problem_photos', ENDED_PHOTOS, (config) => config.keepProblemPhotosDays),
  byTime('closed_tasks', 'closed_tasks', CLOSED_TASKS, (config) => config.keepTasksDays),
  byTime('failed_jobs', 'failed_jobs', FAILED_JOBS, (config) => config.keepFailedJobsDays),
  byTime('ended_mails', 'mails', ENDED_MAILS, (config) => config.keepMailDays),
  { ...byTime('old_requests', 'requests', OLD_REQUESTS, () => REQUESTS_DAYS), everyMs: HOUR_MS },
  byTime('old_order_files', 'order_files', OLD_ORDER_FILES, () => ORDER_FILES_DAYS),
  byTime('old_sign_ins', 'sign_ins', OLD_SIGN_INS, () => SIGN_INS_DAYS),
  byTime('ended_shop_orders', 'shop_orders', ENDED_SHOP_ORDERS, () => SHOP_ORDERS_DAYS),
  byTime('ended_replays', 'deliveries', ENDED_REPLAYS, (config) => config.keepEventsDays),
  byTime('revoked_tokens', 'revoked_access', REVOKED_TOKENS, (config) => config.keepRevokedTokensDays),
  byTime(
    'revoked_operator_tokens',
    'revoked_access',
    REVOKED_OPERATOR_TOKENS,
    (config) => config.keepRevokedTokensDays,
  ),
  byTime('revoked_grants', 'revoked_access', REVOKED_GRANTS, (config) => config.keepRevokedTokensDays),
  // What has expired is good for nothing; each write clears a little of it, and this the rest.
  byTime('expired_tokens', 'expired_sign_ins', EXPIRED_TOKENS, () => 1),
  byTime('expired_records', 'expired_sign_ins', EXPIRED_RECORDS, () => 1),
  byTime('ended_links', 'expired_sign_ins', ENDED_LINKS, () => 1),
  // From their end on, which is before the end of their day.
  {
    ...byTime('ended_sign_ups', 'expired_sign_ins', ENDED_SIGN_UPS, () => 1),
    everyMs: HOUR_MS,
    find: (db, { now }, place, limit) => ENDED_SIGN_UPS.find(db, now, place, limit),
    drop: (tx, { now }, { due }) => ENDED_SIGN_UPS.drop(tx, now, due),
  },
  byTime('ended_sessions', 'expired_sign_ins', ENDED_SESSIONS, () => 1),
  byTime('ended_attempts', 'expired_sign_ins', ENDED_ATTEMPTS, () => 1),
  byTime('unpaid_top_ups', 'unpaid_top_ups', UNPAID_TOP_UPS, () => UNPAID_TOP_UPS_DAYS),
  byTime('superseded_brands', 'brands', SUPERSEDED_BRANDS, () => BRANDS_DAYS),
  byTime('archived_brands', 'brands', ARCHIVED_BRANDS, () => BRANDS_DAYS),
  byTime('ended_savings', 'method_savings', ENDED_SAVINGS, () => UNPAID_TOP_UPS_DAYS),
];

function byTime(
  name: string,
  kind: RetentionKind,
  { find, drop }: ReturnType<typeof endingByTime>,
  keepDays: Walk['keepDays'],
): Walk {
  return {
    name,
    kind,
    keepDays,
    everyMs: DAY_MS,
    batch: SMALL_BATCH,
    find: (db, { config, now }, place, limit) => find(db, daysBefore(now, keepDays(config)), place, limit),
    drop: (tx, { config, now }, { due }) => drop(tx, daysBefore(now, keepDays(config)), due),
  };
}

/** What ends of the orders of a state: from which times on, and how. */
type OrderEnd = {
  readonly kind: RetentionKind;
  readonly wanted: Wanted;
  readonly state: EndState;
  readonly keepDays: Walk['keepDays'];
  readonly batch: number;
  readonly timesOf: (terms: WalkTerms) => OrderTimes;
  readonly end: (tx: Db, due: readonly Due[], terms: WalkTerms, ctx: SweepContext) => Promise<number>;
};

/**
 * What ends of the orders of a state, in two walks.
 * The first passes each order once, in the order in which they ended. The second looks at those again that kept theirs
 * then.
 */
function ofOrders({ kind, wanted, state, keepDays, batch, timesOf, end }: OrderEnd): Walk[] {
  const name = `${kind}_${state}`;
  const waiting = `${name}_waiting`;
  const common = { kind, keepDays, everyMs: DAY_MS, batch };
  return [
    {
      ...common,
      name,
      keepsPlace: true,
      find: (db, terms, place, limit) => {
        const times = timesOf(terms);
        const before = { dispatched: times.dispatched, cancelled: times.cancelled, awaiting_payment: times.unpaid };
        return findEndedOrders(db, times, { wanted, state, before: before[state], place, limit });
      },
      drop: async (tx, terms, { due, waiting: kept = [] }, ctx) => {
        await letWait(tx, waiting, kept);
        return end(tx, due, terms, ctx);
      },
    },
    {
      ...common,
      name: waiting,
      find: (db, terms, place, limit) => findWaitedOrders(db, timesOf(terms), { wanted, walk: waiting, place, limit }),
      drop: async (tx, terms, { due }, ctx) => {
        await endWait(tx, waiting, due);
        return end(tx, due, terms, ctx);
      },
    },
  ];
}

/** The mocks of the lines of orders. */
function lineMocks(state: EndState): Walk[] {
  return ofOrders({
    kind: 'line_mocks',
    wanted: 'mocks',
    state,
    keepDays: state === 'dispatched' ? (config) => config.keepArtworkDays : (config) => config.keepCancelledArtworkDays,
    batch: ORDERS_BATCH,
    timesOf: artworkTimes,
    end: dropLineMocks,
  });
}

/** What orders hold of people: their addresses and every free text, as by an erasure. */
function addresses(state: EndState): Walk[] {
  return ofOrders({
    kind: 'addresses',
    wanted: 'address',
    state,
    keepDays: (config) => (state === 'awaiting_payment' ? config.keepUnpaidAddressesDays : config.keepAddressesDays),
    batch: ERASED_BATCH,
    timesOf: addressTimes,
    end: async (tx, due, { now }, ctx) => {
      const orders = due.flatMap(({ account_id: accountId, key }) =>
        accountId === null ? [] : [{ accountId, orderId: key as Uuid }],
      );
      return eraseEnded(ctx, tx, orders, now);
    },
  });
}
