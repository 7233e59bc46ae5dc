import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createAccount } from '../../src/accounts/create-account.ts';
import { creditAccount } from '../../src/billing/credit-account.ts';
import { readBooksAt } from '../../src/billing/read-books.ts';
import type { BooksContext } from '../../src/books/context.ts';
import { correct } from '../../src/books/correct.ts';
import { approveEntry, refuseEntry } from '../../src/books/decide-entry.ts';
import type { BookEntry } from '../../src/books/entry-schema.ts';
import { recordEntry } from '../../src/books/record-entry.ts';
import { withdraw, writeOff } from '../../src/books/withdraw.ts';
import { ApiError } from '../../src/lib/errors.ts';
import { publicId, type Uuid } from '../../src/lib/ids.ts';
import { pence } from '../../src/lib/money.ts';
import { verify } from '../../src/verify/verify.ts';
import { startTestService, type TestService } from '../harness/service.ts';
import { rows } from '../harness/written.ts';
import { type Random, randomOf } from './random.ts';

// Seeded sequences of entries of the books against a model in plain objects: what each account has, what each customer
// has and owes, and what is left to correct of each posting. A failure prints the seed.

const SEED = Number(process.env.PLATEN_MODEL_SEED ?? Math.floor(Math.random() * 2 ** 31));
const STEPS = process.env.PLATEN_NIGHTLY === undefined ? 250 : 5_000;
const LIMIT_PENCE = 50_000;

const ME = { kind: 'command line', osUser: 'model' } as const;

let service: TestService;
let ctx: BooksContext;
before(async () => {
  service = await startTestService({ role: 'api' });
  ctx = service.ctx;
});
after(() => service.stop());

/** A posting that can be corrected, and what is left of it. */
type Known = {
  readonly id: string;
  readonly owner: string | null;
  readonly debit: string;
  readonly credit: string;
  readonly isTopUp: boolean;
  left: number;
};

/** The books as they should be. Ledger accounts are debits less credits; all in pence. */
type Model = {
  readonly ledger: Map<string, number>;
  readonly balance: Map<string, number>;
  readonly owes: Map<string, number>;
  readonly known: Known[];
};

const add = (map: Map<string, number>, key: string, amount: number): void => {
  map.set(key, (map.get(key) ?? 0) + amount);
};

/** Moves the model as a posting moves the books. */
function move(model: Model, owner: string | null, debit: string, credit: string, amount: number): void {
  add(model.ledger, debit, amount);
  add(model.ledger, credit, -amount);
  if (owner === null) return;
  for (const [account, sign] of [
    [debit, -1],
    [credit, 1],
  ] as const) {
    if (account === 'customer_balance') add(model.balance, owner, sign * amount);
    if (account === 'receivables') add(model.owes, owner, -sign * amount);
  }
}

/** Takes an answer over: what was posted, and what of that can be corrected. */
function take(model: Model, entry: BookEntry): void {
  if (entry.status !== 'posted') return;
  for (const { id, account_id: owner, debit, credit, amount, corrects } of entry.postings) {
    const moved = Math.round(amount * 100);
    move(model, owner, debit, credit, moved);
    if (id === null) throw new Error('a posted entry has postings with ids');
    const own = model.known.find((posting) => posting.id === corrects);
    if (own !== undefined) own.left -= moved;
    const isTopUp = entry.kind === 'correction' && corrects === null;
    model.known.push({ id, owner, debit, credit, isTopUp, left: moved });
  }
}

/** Runs a step: true when it was done, false when it was refused. */
async function tried(model: Model, work: () => Promise<BookEntry>): Promise<BookEntry | undefined> {
  try {
    const entry = await work();
    take(model, entry);
    return entry;
  } catch (error) {
    if (error instanceof ApiError && (error.code === 'conflict' || error.code === 'validation_failed'))
      return undefined;
    throw error;
  }
}

test(`random entries leave the books that a model says, to the penny (PLATEN_MODEL_SEED=${SEED})`, async () => {
  const random = randomOf(SEED);
  const model: Model = { ledger: new Map(), balance: new Map(), owes: new Map(), known: [] };
  for (const { account, debitPence, creditPence } of await readBooksAt(ctx, ctx.clock.now())) {
    model.ledger.set(account, debitPence - creditPence);
  }
  const accounts: { uuid: Uuid; id: string }[] = [];
  for (let made = 0; made < 4; made += 1) {
    const uuid = await createAccount(ctx, { name: `Model ${made}`, vatNumber: '' });
    accounts.push({ uuid, id: publicId('acct', uuid) });
  }
  const proposals: string[] = [];
  let done = 0;
  for (let step = 0; step < STEPS; step += 1) {
    const entry = await play(model, random, accounts, proposals, step);
    if (entry === undefined) continue;
    done += 1;
    if (entry.status === 'proposed') proposals.push(entry.id);
    for (const { id, uuid } of accounts) {
      const [row] = await rows<{ balance_pence: number }>(
        service,
        'select balance_pence from account_balance where account_id = $1',
        [uuid],
      );
      assert.equal(row?.balance_pence, model.balance.get(id) ?? 0, `step ${step}: ${entry.kind} left another balance`);
    }
  }
  assert.ok(done > STEPS / 3, `only ${done} of ${STEPS} steps were done`);
  service.shiftMs(1_000);
  for (const { account, debitPence, creditPence } of await readBooksAt(ctx, ctx.clock.now())) {
    assert.equal(debitPence - creditPence, model.ledger.get(account) ?? 0, account);
  }
  assert.ok(
    model.known.every(({ left }) => left >= 0),
    'more was corrected than there was',
  );
  const broken = (await verify(ctx)).checks.flatMap(({ violations }) => violations);
  assert.deepEqual(broken, []);
});

async function play(
  model: Model,
  random: Random,
  accounts: readonly { uuid: Uuid; id: string }[],
  proposals: string[],
  step: number,
): Promise<BookEntry | undefined> {
  const account = random.pick(accounts);
  const amount = random.chance(0.1) ? random.between(LIMIT_PENCE, 3 * LIMIT_PENCE) : random.between(1, 20_000);
  const amount_gbp = amount / 100;
  const [reference, reason] = [`step ${step}`, 'as the model says'];
  const known = model.known.length === 0 ? undefined : random.pick(model.known);
  switch (random.between(0, 8)) {
    case 0:
    case 1: {
      await creditAccount(ctx, { accountId: account.uuid, amountPence: pence(amount), reference });
      move(model, account.id, 'bank', 'customer_balance', amount);
      const [row] = await rows<{ id: Uuid }>(
        service,
        "select id from posting where account_id = $1 and reference = $2 and kind = 'top_up'",
        [account.uuid, reference],
      );
      const id = publicId('pst', row?.id ?? account.uuid);
      const posting = { id, owner: account.id, debit: 'bank', credit: 'customer_balance', isTopUp: true, left: amount };
      model.known.push(posting);
      return undefined;
    }
    case 2: {
      const entry = await tried(model, () => withdraw(ctx, ME, account.id, { amount_gbp, reference, reason }));
      const isThere = (model.balance.get(account.id) ?? 0) + (entry?.status === 'posted' ? amount : 0) >= amount;
      assert.equal(entry !== undefined, isThere, `step ${step}: a withdrawal of ${amount}`);
      return entry;
    }
    case 3: {
      const of = random.pick(['receivable', 'balance'] as const);
      return tried(model, () => writeOff(ctx, ME, account.id, { of, amount_gbp, reason }));
    }
    case 4: {
      const through = random.pick(['bank', 'balance'] as const);
      const body = { kind: 'receivable_paid', account_id: account.id, through, amount_gbp, reference, reason } as const;
      return tried(model, () => recordEntry(ctx, ME, body));
    }
    case 5: {
      const kind = random.pick(['bank_charge', 'vat_paid', 'duty_paid', 'payout_arrived', 'input_vat'] as const);
      return tried(model, () => recordEntry(ctx, ME, { kind, amount_gbp, reference, reason }));
    }
    case 6: {
      const id = proposals.length === 0 ? undefined : random.pick(proposals);
      if (id === undefined) return undefined;
      if (random.chance(0.3)) return tried(model, () => refuseEntry(ctx, ME, id, reason));
      return tried(model, () => approveEntry(ctx, ME, id));
    }
    default: {
      if (known === undefined) return undefined;
      const part = random.chance(0.5) ? undefined : Math.min(amount, known.left + random.between(0, 1)) / 100;
      const moveTo = known.isTopUp && random.chance(0.3) ? random.pick(accounts).id : undefined;
      const body = {
        posting_id: known.id,
        account_id: known.owner,
        reason,
        ...(part === undefined || part === 0 ? {} : { amount_gbp: part }),
        ...(moveTo === undefined ? {} : { move_to: moveTo }),
        ...(random.chance(0.5) ? { shortfall: 'receivable' as const } : {}),
      };
      return tried(model, () => correct(ctx, ME, body));
    }
  }
}
