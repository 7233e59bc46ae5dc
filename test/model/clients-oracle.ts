import { statement } from '../../src/lib/db.ts';
import type { Uuid } from '../../src/lib/ids.ts';
import { eventProblems } from './clients-events.ts';
import { providerProblems, stuckProblems } from './clients-provider.ts';
import { balanceProblems, shelfProblems } from './clients-shelf.ts';
import { differs, type Summed, summed } from './clients-summed.ts';
import { type Entry, uuidOf, type World } from './clients-world.ts';

// The journal of what clients were told, held against the database. What was acknowledged is there exactly once, what
// was refused is not there, and nothing is there that nobody asked for. What was never answered may be there once or
// not at all.

/** Everything that differs between the journal and the database, a line of text each. */
export async function findUnkept(world: World): Promise<string[]> {
  const entries = world.journal.map(summed);
  const isQuiet = entries.every(({ isOpen }) => !isOpen);
  return [
    ...(await orderProblems(world, entries, isQuiet)),
    ...(await keyProblems(world, entries)),
    ...(await moveProblems(world, entries)),
    ...(await cancelProblems(world, entries, isQuiet)),
    ...(await pieceProblems(world, entries, isQuiet)),
    ...(await creditProblems(world, entries)),
    ...(await shelfProblems(world, entries, isQuiet)),
    ...(await balanceProblems(world, entries)),
    ...(await eventProblems(world)),
    ...(await stuckProblems(world)),
    ...(isQuiet ? await providerProblems(world) : []),
  ];
}

// Orders
// --------------------------------------------------------------------------------------------------------------------

type OrderRow = {
  id: Uuid;
  account_id: Uuid;
  external_reference: string | null;
  source: string;
  total_pence: number;
  lines: { id: Uuid; sku: string; quantity: number }[];
};

const ORDERS = statement<OrderRow>(
  'clients_orders',
  `select o.id, o.account_id, o.external_reference, o.source, o.total_pence,
     (select json_agg(json_build_object('id', l.id, 'sku', l.sku, 'quantity', l.quantity)) from order_line l where l.order_id = o.id)
       as lines
   from orders o where o.account_id = any($1::uuid[])`,
);

type Placed = {
  readonly id: string;
  readonly charged: { readonly total: number };
  readonly items: { readonly lineItems: readonly { id: string; variant_sku: string; quantity: number }[] };
};

async function orderProblems(world: World, entries: readonly Summed[], isQuiet: boolean): Promise<string[]> {
  const rows = await world.ctx.database.all(ORDERS, [world.accounts.map(({ id }) => id)]);
  const byReference = new Map(rows.map((row) => [row.external_reference, row]));
  const problems: string[] = [];
  const told = new Map<string, { ids: Set<string>; made: number; lost: number }>();
  for (const { entry } of entries.filter(({ entry: { kind } }) => kind === 'place' || kind === 'repeat')) {
    const reference = told.get(entry.key) ?? { ids: new Set(), made: 0, lost: 0 };
    told.set(entry.key, reference);
    reference.lost += entry.lost;
    for (const { status, body } of entry.replies.filter((reply) => reply.status < 400)) {
      const placed = body as Placed;
      reference.ids.add(placed.id);
      if (status === 201) reference.made += 1;
      problems.push(...placedProblems(entry, placed, byReference.get(entry.key)));
    }
  }
  for (const [key, { ids, made, lost }] of told) {
    if (ids.size > 1) problems.push(`${key} led to the orders ${[...ids].join(', ')}`);
    if (ids.size > 0 && (made > 1 || (made === 0 && lost === 0))) problems.push(`${key} was made ${made} times`);
    if (isQuiet && ids.size === 0 && byReference.has(key)) problems.push(`${key} was refused and is there`);
  }
  const unasked = rows.filter(({ source, external_reference: key }) => source === 'api' && !told.has(key ?? ''));
  return [...problems, ...unasked.map(({ id }) => `order ${id} was asked for by nobody`)];
}

function placedProblems(entry: Entry, placed: Placed, row: OrderRow | undefined): string[] {
  if (row === undefined) return [`${entry.key} was acknowledged and is not there`];
  const told = placed.items.lineItems
    .map((line) => `${uuidOf(line.id)} ${line.variant_sku} ${line.quantity}`)
    .toSorted();
  const kept = row.lines.map(({ id, sku, quantity }) => `${id} ${sku} ${quantity}`).toSorted();
  return [
    ...(uuidOf(placed.id) === row.id && entry.account?.id === row.account_id ? [] : [`${entry.key} is another order`]),
    ...(told.join() === kept.join() ? [] : [`${entry.key} has other lines than it was told to have`]),
    ...differs(`the total of ${entry.key}`, row.total_pence, Math.round(placed.charged.total * 100)),
  ];
}

// What operators did
// ----------------------------------------------------------------------------------------------------------

const KEYS = statement<{ email: string; key: string; count: number }>(
  'clients_keys',
  `select p.email, split_part(a.idempotency_key, ' ', 1) as key, count(*) filter (where strpos(a.idempotency_key, ' ') = 0) as count
   from operator_action a join operator p on p.id = a.operator_id where a.idempotency_key is not null group by 1, 2`,
);

/** Every request of an operator that was acknowledged is in the audit log once, and none that was refused. */
async function keyProblems(world: World, entries: readonly Summed[]): Promise<string[]> {
  const rows = new Map((await world.ctx.database.all(KEYS, [])).map((row) => [`${row.email} ${row.key}`, row.count]));
  const problems: string[] = [];
  for (const { entry, isDone, isOpen } of entries) {
    if (!OF_OPERATORS.has(entry.kind)) continue;
    const name = `${world.operators[entry.client]?.email} ${entry.key}`;
    // What an operator read first and did then has one key.
    problems.push(...differs(`${entry.kind} ${name}`, rows.get(name) ?? 0, isDone ? 1 : 0, isDone || isOpen ? 1 : 0));
    rows.delete(name);
  }
  return [...problems, ...[...rows.keys()].map((name) => `${name} is in the audit log and was asked for by nobody`)];
}

/** Moves of the history by what clients do. `cancel_by_ops` and `refund_paid` may find nothing left to do. */
const MOVES: Readonly<Record<string, readonly string[]>> = {
  promote: ['promote'],
  hold: ['hold'],
  resume: ['resume'],
  start: ['start_line'],
  finish: ['finish'],
  spoil: ['spoil'],
  ship: ['ship'],
  correct: ['correct_shipment'],
  refund: ['refund'],
  settle: ['settle'],
  replace: ['replace'],
  retry_payment: ['retry_payment', 'settle'],
  cancel_pieces: ['cancel_lines', 'cancel'],
  cancel_by_ops: ['cancel', 'nothing'],
  refund_paid: ['refund_paid', 'nothing'],
};
const OF_OPERATORS = new Set([...Object.keys(MOVES), 'promote_many', 'receive', 'count']);

const HISTORY = statement<{ order_id: Uuid; actor: string; action: string; count: number }>(
  'clients_moves',
  `select order_id, actor, action, count(*) as count from order_history where actor like 'operator client-%' and action <> 'place'
   group by 1, 2, 3`,
);

/** Every move by an operator stands in the history of its order as often as it was acknowledged. */
async function moveProblems(world: World, entries: readonly Summed[]): Promise<string[]> {
  const history = new Map<string, number>();
  for (const row of await world.ctx.database.all(HISTORY, [])) {
    const name = `${row.order_id} ${row.actor}`;
    history.set(`${name} ${row.action}`, row.count);
  }
  const groups = new Map<string, { actions: Set<string>; least: number; most: number }>();
  const expect = (orderId: string, client: number, kind: string, is: { isDone: boolean; isOpen: boolean }): void => {
    const name = `${uuidOf(orderId)} operator ${world.operators[client]?.email}`;
    const group = groups.get(name) ?? { actions: new Set(), least: 0, most: 0 };
    groups.set(name, group);
    const actions = MOVES[kind] ?? [];
    for (const action of actions) group.actions.add(action);
    if (is.isDone && !actions.includes('nothing')) group.least += 1;
    if (is.isDone || is.isOpen) group.most += 1;
  };
  for (const { entry, ...is } of entries) {
    if (entry.kind === 'promote_many') {
      for (const id of promotedIds(entry)) expect(id, entry.client, 'promote', { isDone: true, isOpen: false });
      for (const id of is.isOpen ? askedIds(entry) : []) expect(id, entry.client, 'promote', is);
    } else if (entry.order !== undefined && MOVES[entry.kind] !== undefined) {
      expect(entry.order.id, entry.client, entry.kind, is);
    }
  }
  const problems: string[] = [];
  for (const [name, { actions, least, most }] of groups) {
    let there = 0;
    for (const action of actions) {
      there += history.get(`${name} ${action}`) ?? 0;
      history.delete(`${name} ${action}`);
    }
    problems.push(...differs(`${[...actions].join(', ')} of ${name}`, there, least, most));
  }
  return [...problems, ...[...history.keys()].map((name) => `${name} is in the history and was asked for by nobody`)];
}

function promotedIds(entry: Entry): Set<string> {
  const bodies = entry.replies.map(({ body }) => body as { results?: { id: string; ok: boolean }[] });
  return new Set(bodies.flatMap(({ results = [] }) => results.filter(({ ok }) => ok).map(({ id }) => id)));
}

const askedIds = (entry: Entry): readonly string[] => (entry.items ?? []).map(({ id }) => id);

// Money and pieces that were given back
// ---------------------------------------------------------------------------------------

const CANCELS = statement<{ order_id: Uuid; by_customer: number; all: number; events: number; balance_pence: number }>(
  'clients_cancels',
  `select h.order_id, count(*) filter (where actor = 'customer') as by_customer, count(*) as all,
     (select count(*) from event e where e.order_id = h.order_id and e.event = 'order.cancelled') as events,
     (select coalesce(sum(amount_pence), 0)::bigint from refund r where r.order_id = h.order_id and r.method = 'balance')
       as balance_pence
   from order_history h where action = 'cancel' group by 1`,
);

async function cancelProblems(world: World, entries: readonly Summed[], isQuiet: boolean): Promise<string[]> {
  const rows = new Map((await world.ctx.database.all(CANCELS, [])).map((row) => [row.order_id, row]));
  const problems = [...rows.values()].flatMap((row) => [
    ...differs(`cancels of ${row.order_id}`, row.all, 1),
    ...differs(`events of the cancel of ${row.order_id}`, row.events, 1),
  ]);
  const byOrder = Map.groupBy(
    entries.filter(({ entry }) => entry.kind === 'cancel'),
    ({ entry }) => entry.order?.id ?? '',
  );
  for (const [id, cancels] of byOrder) {
    const row = rows.get(uuidOf(id));
    const replies = cancels.flatMap(({ entry }) => entry.replies).filter(({ status }) => status === 200);
    const bodies = replies.map(({ body }) => body as { already_cancelled?: boolean; refunded_gbp: number });
    const firsts = bodies.filter(({ already_cancelled: isRepeat }) => isRepeat !== true).length;
    const lost = cancels.reduce((sum, { entry }) => sum + entry.lost, 0);
    const byCustomer = row?.by_customer ?? 0;
    if (bodies.length > 0 && row === undefined) problems.push(`${id} was cancelled for its owner and is not`);
    problems.push(...differs(`first cancels of ${id}`, byCustomer, firsts, firsts + Math.min(lost, 1)));
    for (const { refunded_gbp: pounds, already_cancelled: isRepeat } of bodies) {
      // An operator may have cancelled it and kept the money; some of that may be given back after a repeat has told
      // what was.
      const told = Math.round(pounds * 100);
      const most = isRepeat === true ? Number.POSITIVE_INFINITY : told;
      problems.push(...differs(`pence given back for ${id}`, row?.balance_pence ?? 0, told, most));
    }
  }
  const told = new Set([...byOrder.keys()].map((id) => uuidOf(id) as string));
  const unasked = [...rows.values()].filter((row) => row.by_customer > 0 && !told.has(row.order_id));
  return isQuiet ? [...problems, ...unasked.map(({ order_id: id }) => `${id} was cancelled by no customer`)] : problems;
}

const LINES = statement<{
  id: Uuid;
  shipped: number;
  spoiled: number;
  cancelled: number;
  is_cancelled: boolean;
  consumes: number;
}>(
  'clients_lines',
  `select l.id, quantity_shipped as shipped, quantity_spoiled as spoiled, quantity_cancelled as cancelled,
     o.state = 'cancelled' as is_cancelled,
     (select count(*) from stock_movement m where m.order_id = l.order_id and m.line_id = l.id and m.kind = 'consume') as consumes
   from order_line l join orders o on o.id = l.order_id where l.account_id = any($1::uuid[])`,
);

/** What was shipped, spoiled, cancelled and started of each line is the sum of what was acknowledged. */
async function pieceProblems(world: World, entries: readonly Summed[], isQuiet: boolean): Promise<string[]> {
  const sums = new Map<string, Record<string, { least: number; most: number }>>();
  const add = (lineId: string, what: string, quantity: number, { isDone, isOpen }: Summed): void => {
    const id = uuidOf(lineId);
    const line = sums.get(id) ?? {};
    sums.set(id, line);
    const sum = line[what] ?? { least: 0, most: 0 };
    line[what] = sum;
    if (isDone) sum.least += quantity;
    if (isDone || isOpen) sum.most += quantity;
  };
  for (const is of entries) {
    const { kind, items = [], lineId } = is.entry;
    if (kind === 'start' && lineId !== undefined) add(lineId, 'start', 1, is);
    if (kind === 'ship' || kind === 'spoil' || kind === 'cancel_pieces') {
      for (const { id, quantity } of items) add(id, kind, quantity, is);
    }
  }
  const rows = await world.ctx.database.all(LINES, [world.accounts.map(({ id }) => id)]);
  return rows.flatMap((line) => {
    const told = sums.get(line.id);
    const check = (what: string, is: number, isOfAll = true): string[] => {
      const { least = 0, most = 0 } = told?.[what] ?? {};
      return differs(`${what} of line ${line.id}`, is, least, isOfAll ? most : Number.POSITIVE_INFINITY);
    };
    return [
      ...check('ship', line.shipped),
      ...check('spoil', line.spoiled),
      ...check('start', line.consumes),
      ...check('cancel_pieces', line.cancelled, isQuiet && !line.is_cancelled),
    ];
  });
}

const GIVEN = statement<{ what: string; key: string; count: number; pence: number }>(
  'clients_given',
  `select 'refund' as what, reason as key, count(*) as count, sum(total_pence)::bigint as pence from order_credit
   where kind = 'goodwill' group by 2
   union all
   select 'top_up', reference, count(*), sum(amount_pence)::bigint from posting
   where kind = 'top_up' and order_id is null and account_id = any($1::uuid[])
     and reference not in ('opening', 'demo opening balance') group by 2
   union all
   select 'ship', tracking_number, count(*), 0 from shipment group by 2
   union all
   select 'replace', split_part(h.reason, ': ', 2), count(*), 0 from order_history h where action = 'replace' group by 2`,
);

/** Every goodwill, top-up, parcel and replacement is there once under its key, with its amount. */
async function creditProblems(world: World, entries: readonly Summed[]): Promise<string[]> {
  const rows = await world.ctx.database.all(GIVEN, [world.accounts.map(({ id }) => id)]);
  const there = new Map(rows.map((row) => [`${row.what} ${row.key}`, row]));
  const problems = entries.flatMap(({ entry, isDone, isOpen }) => {
    const name = `${entry.kind} ${entry.key}`;
    if (!['refund', 'top_up', 'ship', 'replace'].includes(entry.kind)) return [];
    const row = there.get(name);
    there.delete(name);
    return [
      ...differs(name, row?.count ?? 0, isDone ? 1 : 0, isDone || isOpen ? 1 : 0),
      ...(row === undefined || entry.amountPence === undefined
        ? []
        : differs(`${name}, pence`, row.pence, entry.amountPence)),
    ];
  });
  return [...problems, ...[...there.keys()].map((name) => `${name} is there and was asked for by nobody`)];
}
