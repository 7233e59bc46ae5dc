import { statement } from '../../src/lib/db.ts';
import type { Uuid } from '../../src/lib/ids.ts';
import type { Kind } from './clients-intentions.ts';
import { uuidOf, type World } from './clients-world.ts';

type Told = {
  id: Uuid;
  version: number;
  had_attempt: boolean;
  moves: { action: string; from: string | null; to: string; at: string }[];
  events: { sequence: number; event: string; at: string }[];
};

const TOLD = statement<Told>(
  'clients_told',
  `select o.id, o.version,
     exists (select from payment_attempt a where a.order_id = o.id and a.created_at = o.placed_at) as had_attempt,
     (select json_agg(json_build_object('action', action, 'from', from_state, 'to', to_state, 'at', created_at) order by h.created_at, h.id)
      from order_history h where h.order_id = o.id) as moves,
     coalesce((select json_agg(json_build_object('sequence', sequence, 'event', event, 'at', created_at) order by sequence)
      from event e where e.order_id = o.id), '[]') as events
   from orders o where o.account_id = any($1::uuid[])`,
);

/**
 * The events of each order are those of its moves, in their order, numbered from 1, each later than the one before;
 * and no move is written as earlier than the one that it followed.
 */
export async function eventProblems(world: World): Promise<string[]> {
  const orders = await world.ctx.database.all(TOLD, [world.accounts.map(({ id }) => id)]);
  return [...orders.flatMap(problemsOf), ...refusalProblems(world, orders)];
}

/** A refusal as a conflict is explained by a state that the order had come to by then. */
const EXPLAINED_BY: Readonly<Partial<Record<Kind, (state: string) => boolean>>> = {
  promote: (state) => state !== 'placed',
  hold: (state) => state !== 'placed' && state !== 'released',
  cancel: (state) => state === 'dispatched',
  refund: (state) => state === 'awaiting_payment',
  settle: (state) => state !== 'awaiting_payment',
};

/** The test and the service each measure the database's clock. */
const CLOCKS_APART_MS = 1_000;

function refusalProblems(world: World, orders: readonly Told[]): string[] {
  const movesOf = new Map<string, Told['moves']>(orders.map(({ id, moves }) => [id, moves]));
  return world.journal.flatMap(({ kind, key, order, replies }) => {
    const explains = EXPLAINED_BY[kind];
    // A charge under way, too, keeps an order from being settled.
    if (explains === undefined || order === undefined || (kind === 'settle' && order.account.hasMethod)) return [];
    const moves = movesOf.get(uuidOf(order.id)) ?? [];
    return replies
      .filter(({ code }) => code === 'conflict')
      .filter(({ at }) => {
        const before = moves.filter((move) => Date.parse(move.at) <= at.getTime() + CLOCKS_APART_MS);
        return !before.some(({ to }) => explains(to));
      })
      .map(() => `${kind} ${key} of order ${order.id} was refused for no reason`);
  });
}

function problemsOf(order: Told): string[] {
  const due = order.moves.flatMap((move) => eventsOf(move, order.had_attempt));
  const told = order.events.map(({ event }) => event);
  const isNumbered = order.events.every(({ sequence }, index) => sequence === index + 1);
  const moves = order.moves.map(({ action, from, to, at }) => `${action} ${from}→${to} ${at}`).join('; ');
  return [
    ...(told.join() === due.join() ? [] : [`order ${order.id} told ${told.join()} of the moves ${moves}`]),
    ...(isNumbered && order.version === told.length ? [] : [`order ${order.id} has numbered its events wrongly`]),
    ...(isRising(order.events, (a, b) => a < b) ? [] : [`order ${order.id} has two events of one time`]),
    ...(isRising(order.moves, (a, b) => a <= b)
      ? []
      : [`order ${order.id} has moves before those they followed: ${moves}`]),
  ];
}

function isRising(rows: readonly { at: string }[], isBefore: (a: number, b: number) => boolean): boolean {
  const times = rows.map(({ at }) => Date.parse(at));
  return times.every((time, index) => index === 0 || isBefore(times[index - 1] ?? 0, time));
}

/** What a move tells (spec 3.1 and 6.1; decisions, "A charge that fails"). */
const TELLS: Readonly<Record<string, readonly string[]>> = {
  settle: ['order.created'],
  payment_failed: ['order.payment_failed'],
  hold: ['order.on_hold'],
  cancel: ['order.cancelled'],
  ship: ['order.shipment_created'],
};

function eventsOf({ action, from, to }: Told['moves'][number], hadAttempt: boolean): string[] {
  if (action === 'place' && to === 'placed') return ['order.created'];
  // While a charge is under way nobody knows which event it will be.
  if (action === 'place') return hadAttempt ? [] : ['order.payment_failed'];
  const begins = action === 'start_line' && from === 'released' ? ['order.in_production'] : [];
  const ends = to === 'dispatched' && from !== 'dispatched' ? ['order.dispatched'] : [];
  return [...(TELLS[action] ?? []), ...begins, ...ends];
}
