import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { creditAccount } from '../../../src/billing/credit-account.ts';
import { readBalanceAt } from '../../../src/billing/ledger.ts';
import type { AccountStatement } from '../../../src/billing/statement/statement-schema.ts';
import { newId, type Uuid } from '../../../src/lib/ids.ts';
import { pence } from '../../../src/lib/money.ts';
import { openRole, type PortalClient } from '../../harness/portal.ts';
import { startTestService, type TestService } from '../../harness/service.ts';
import { problemsOf } from '../../harness/shop.ts';

const DAY_MS = 86_400_000;

let service: TestService;
before(async () => {
  service = await startTestService({ role: 'api' });
});
after(() => service.stop());

const today = (): string => service.ctx.clock.now().toISOString().slice(0, 10);

const read = async (client: PortalClient, query: string): Promise<AccountStatement> => {
  const answer = await client.request<AccountStatement>('GET', `/money/statement${query}`);
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
};

async function topUp(accountId: Uuid, amountPence: number): Promise<void> {
  await creditAccount(service.ctx, { accountId, amountPence: pence(amountPence), reference: newId() });
}

test('a period has its entries, latest first, and begins and ends with the balances of the ledger at those times', async () => {
  const { accountId } = await service.openCustomer({ balancePence: 0 });
  const days: string[] = [];
  for (const amountPence of [100, 200, 300]) {
    // Noon, so that days of any time zone of the seller are the same.
    const now = service.ctx.clock.now().getTime();
    service.shiftMs(DAY_MS - (now % DAY_MS) + DAY_MS / 2);
    await topUp(accountId, amountPence);
    await topUp(accountId, 1);
    days.push(today());
  }
  const reader = await openRole(service, 'reader', accountId);
  const [first = '', second = '', third = ''] = days;
  const middle = await read(reader, `?from=${second}&to=${second}`);
  assert.deepEqual(
    middle.data.map(({ amount, balance_after: balance }) => [amount, balance]),
    [
      [0.01, 3.02],
      [2, 3.01],
    ],
  );
  assert.deepEqual([middle.opening_balance, middle.closing_balance, middle.has_more], [1.01, 3.02, false]);
  const closing = await readBalanceAt(service.ctx.database, accountId, new Date(`${third}T00:00:00.000Z`));
  assert.equal(middle.closing_balance * 100, closing);
  const all = await read(reader, '');
  assert.deepEqual([all.data.length, all.opening_balance, all.closing_balance], [6, 0, 6.03]);
  const before = await read(reader, `?to=${first}&limit=1`);
  assert.deepEqual([before.data.length, before.closing_balance, before.has_more], [1, 1.01, true]);
  const rest = await read(reader, `?to=${first}&limit=1&cursor=${before.next_cursor ?? ''}`);
  assert.deepEqual([rest.data.map(({ amount }) => amount), rest.has_more], [[1], false]);
  const empty = await read(reader, '?to=2020-01-01');
  assert.deepEqual([empty.data, empty.opening_balance, empty.closing_balance], [[], 0, 0]);
});

test('as CSV it has all entries of the period; another account’s are never in it', async () => {
  const { accountId } = await service.openCustomer({ balancePence: 0 });
  const reader = await openRole(service, 'reader', accountId);
  for (let n = 1; n <= 120; n += 1) await topUp(accountId, n);
  const answer = await fetch(`${service.url}/portal/api/v1/money/statement?from=${today()}`, {
    headers: { cookie: `platen_session=${reader.secret}`, accept: 'text/csv' },
  });
  const lines = (await answer.text()).trimEnd().split('\r\n');
  assert.match(answer.headers.get('content-type') ?? '', /^text\/csv/);
  assert.equal(lines.length, 121);
  assert.match(lines[0] ?? '', /^id,type,amount,balance_after,/);
});

test('a day that is none and a period that ends before it begins are refused', async () => {
  const reader = await openRole(service, 'reader');
  for (const [query, problem] of [
    ['from=2026-02-30', 'from time'],
    ['to=2026-13-01', 'to time'],
    ['from=yesterday', 'from pattern'],
    ['from=2026-02-02&to=2026-02-01', 'from out_of_bounds'],
    ['cursor=ord_x', 'cursor pattern'],
    ['type=charge', 'type unknown_field'],
  ]) {
    const answer = await reader.request('GET', `/money/statement?${query}`);
    assert.deepEqual([answer.status, problemsOf(answer)], [422, [problem]], query);
  }
});
