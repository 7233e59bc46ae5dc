import { statement } from '../../src/lib/db.ts';
import type { Uuid } from '../../src/lib/ids.ts';
import { differs, type Summed } from './clients-summed.ts';
import { type Entry, SKUS, type World } from './clients-world.ts';

type Movement = { id: number; sku: string; kind: string; quantity: number; key: string; on_hand: number };

const MOVEMENTS = statement<Movement>(
  'clients_movements',
  `select id, sku, kind, quantity, case kind when 'receipt' then reference else reason end as key,
     sum(case when kind in ('receipt', 'count', 'consume', 'spoil') then quantity else 0 end)
       over (partition by sku order by id)::integer as on_hand
   from stock_movement where sku = any($1) order by id`,
);
const STOCK = statement<{ sku: string; on_hand: number; promised: number }>(
  'clients_stock',
  `select sku, on_hand, (select coalesce(sum(for_spoiled), 0) from allocation a where a.sku = s.sku)::integer as promised
   from stock s where sku = any($1)`,
);

type Started = {
  readonly lines: readonly { readonly id: string; readonly allocation: { readonly consumed: number } | null }[];
};

/** What is on the shelf is what came in and was counted, less what was taken, all as it was acknowledged. */
export async function shelfProblems(world: World, entries: readonly Summed[], isQuiet: boolean): Promise<string[]> {
  const movements = await world.ctx.database.all(MOVEMENTS, [[...SKUS]]);
  const ofKey = Map.groupBy(
    movements.filter(({ kind }) => kind === 'receipt' || kind === 'count'),
    ({ kind, key, sku }) => `${kind === 'receipt' ? 'receive' : kind} ${key} ${sku}`,
  );
  const problems: string[] = [];
  const taken = new Map<string, number>();
  const started = new Map<string, number>();
  const startedSku = new Map<string, string>();
  const take = (sku: string, quantity: number): Map<string, number> => taken.set(sku, (taken.get(sku) ?? 0) + quantity);
  for (const { entry, isDone, isOpen } of entries) {
    const { kind, items = [], order, lineId } = entry;
    if (kind === 'receive' || kind === 'count') {
      for (const { id, quantity } of items) {
        const rows = ofKey.get(`${kind} ${entry.key} ${id}`) ?? [];
        problems.push(
          ...differs(`${kind} ${entry.key} of ${id}`, rows.length, isDone ? 1 : 0, isDone || isOpen ? 1 : 0),
        );
        for (const row of rows) {
          const is = kind === 'receive' ? row.quantity : row.on_hand;
          problems.push(...differs(`pieces of ${kind} ${entry.key} of ${id}`, is, quantity));
        }
      }
    }
    const skuOf = (id: string): string => order?.lines.find((line) => line.id === id)?.sku ?? '';
    if (kind === 'spoil' && isDone) for (const { id, quantity } of items) take(skuOf(id), quantity);
    // A line that is started again has taken what all of its starts took.
    if (kind === 'start' && isDone && lineId !== undefined) {
      started.set(lineId, Math.max(started.get(lineId) ?? 0, consumedOf(entry, lineId)));
      startedSku.set(lineId, skuOf(lineId));
    }
  }
  for (const [lineId, consumed] of started) take(startedSku.get(lineId) ?? '', consumed);
  if (!isQuiet) return problems;
  for (const { sku, on_hand: onHand, promised } of await world.ctx.database.all(STOCK, [[...SKUS]])) {
    const came = movements.filter((row) => row.sku === sku && (row.kind === 'receipt' || row.kind === 'count'));
    const sum = came.reduce((pieces, { quantity }) => pieces + quantity, 0);
    // For a spoiled piece a blank was taken, or the next one was promised to its line.
    problems.push(...differs(`pieces of ${sku} on the shelf`, onHand, sum - (taken.get(sku) ?? 0) + promised));
  }
  return problems;
}

/** What the answer to a start says was taken off the shelf for the line. */
function consumedOf({ replies }: Entry, lineId: string): number {
  const answer = replies.find(({ status }) => status === 200)?.body as Started | undefined;
  return answer?.lines.find(({ id }) => id === lineId)?.allocation?.consumed ?? Number.NaN;
}

const BALANCES = statement<{ id: Uuid; balance_pence: number; top_ups: number; paid: number; refunded: number }>(
  'clients_balances',
  `select b.account_id as id, b.balance_pence,
     (select coalesce(sum(amount_pence), 0)::bigint from posting p where p.account_id = b.account_id and kind = 'top_up' and order_id is not null)
       as top_ups,
     (select coalesce(sum(balance_paid_pence), 0)::bigint from orders o where o.account_id = b.account_id) as paid,
     (select coalesce(sum(amount_pence), 0)::bigint from refund r where r.account_id = b.account_id and r.method = 'balance') as refunded
   from account_balance b where b.account_id = any($1::uuid[])`,
);

/**
 * A balance is what it was, and the top-ups that were acknowledged, less what orders took of it and have not given
 * back.
 */
export async function balanceProblems(world: World, entries: readonly Summed[]): Promise<string[]> {
  const rows = await world.ctx.database.all(BALANCES, [world.accounts.map(({ id }) => id)]);
  return rows.flatMap((row) => {
    const account = world.accounts.find(({ id }) => id === row.id);
    const topUps = entries.filter(({ entry }) => entry.kind === 'top_up' && entry.account === account);
    const sumOf = (some: readonly Summed[]): number =>
      some.reduce((sum, { entry: { amountPence = 0 } }) => sum + amountPence, 0);
    const moved = row.top_ups - row.paid + row.refunded;
    const least = (account?.openingPence ?? 0) + sumOf(topUps.filter(({ isDone }) => isDone)) + moved;
    const open = sumOf(topUps.filter(({ isOpen }) => isOpen));
    return differs(`the balance of ${row.id}`, row.balance_pence, least, least + open);
  });
}
