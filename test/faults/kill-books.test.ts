import assert from 'node:assert/strict';
import { randomInt, randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { BookEntry } from '../../src/books/entry-schema.ts';
import { type Killable, openKillable } from '../harness/killable.ts';
import { platenJson } from '../harness/process.ts';

/** How often the service is killed while entries of the books are made; the nightly run sets it higher. */
const KILLS = Number(process.env.PLATEN_TEST_KILLS ?? 2);
const ENTRIES_A_KILL = 16;

let shop: Killable;
let operatorToken: string;
before(async () => {
  shop = await openKillable();
  const operator = ['operator', 'create', '--email', 'ada@shop.example', '--password', 'a password of the tests'];
  operatorToken = (await platenJson<{ token: string }>(operator, shop.env)).token;
});
after(() => shop?.close());

test(`killed ${KILLS} times while balances are paid out and payouts entered: each is posted once, whole, under its key`, async () => {
  let unanswered = 0;
  let asked = 0;
  for (let kill = 0; kill < KILLS; kill += 1) {
    const requests = Array.from({ length: ENTRIES_A_KILL }, (_, index) => {
      const common = { reference: randomUUID(), reason: 'as on the statement' };
      return index % 2 === 0
        ? {
            path: `/ops/v1/accounts/${shop.demo.account_id}/withdrawals`,
            body: { ...common, amount_gbp: 0.07 },
            key: randomUUID(),
          }
        : {
            path: '/ops/v1/books/entries',
            body: { ...common, kind: 'payout', method: 'card', amount_gbp: 3, fees_gbp: 0.05 },
            key: randomUUID(),
          };
    });
    asked += requests.length;
    const acting = requests.map(({ path, body, key }) => shop.post(path, operatorToken, body, key));
    await sleep(randomInt(0, 60));
    await shop.kill();
    unanswered += (await Promise.all(acting)).filter((answer) => answer === undefined).length;
    await shop.restart();
    const answers = await Promise.all(
      requests.map(({ path, body, key }) => shop.postAtLast<BookEntry>(path, operatorToken, body, key)),
    );
    assert.ok(answers.every(({ status }) => status === 'posted'));
  }
  assert.ok(unanswered > 0, 'a kill met a request under way');
  const [counted] = await shop.query<Record<string, string>>(
    `select (select count(*) from book_entry) as entries, (select count(*) from operator_action) as actions,
       (select coalesce(sum(amount_pence), 0)::bigint from posting where kind = 'withdrawal') as withdrawn,
       (select coalesce(sum(amount_pence), 0)::bigint from posting where credit_account = 'card_clearing') as paid_out`,
  );
  const half = asked / 2;
  const numbers = Object.fromEntries(Object.entries(counted ?? {}).map(([name, value]) => [name, Number(value)]));
  assert.deepEqual(numbers, { entries: asked, actions: asked, withdrawn: half * 7, paid_out: half * 300 });
  await shop.assertSound();
});
