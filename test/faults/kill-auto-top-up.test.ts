import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type CardProcess, openCardProcess } from '../harness/card-process.ts';
import { eventually } from '../harness/context.ts';
import { runPlaten, type ServiceProcess, startServiceProcess } from '../harness/process.ts';
import type { Call, FakeProvider, Fault } from '../harness/provider.ts';

let card: CardProcess;
let provider: FakeProvider;
let service: ServiceProcess;

before(async () => {
  card = await openCardProcess();
  ({ provider, service } = card);
});
after(() => card?.close(service));

const balanceOf = async (): Promise<number> => {
  const [row] = await card.query<{ pence: number }>(
    'select balance_pence::integer as pence from account_balance where account_id = (select account_id from payment_method limit 1)',
  );
  assert.ok(row !== undefined);
  return row.pence;
};

/** Turns automatic top-ups of £20 on, with a threshold that one of them reaches. */
const wantOne = async (thresholdPence: number): Promise<void> => {
  await card.query(
    `insert into auto_top_up (account_id, threshold_pence, amount_pence, daily_cap_pence, state, not_before, updated_at)
     select account_id, $1, 2000, 100000000, 'on', now() - interval '1 second', now() from payment_method limit 1
     on conflict (account_id) do update set threshold_pence = $1, not_before = excluded.not_before, state = 'on'`,
    [thresholdPence],
  );
};

const POINTS: readonly { title: string; at: Call; fault: Fault | undefined }[] = [
  { title: 'before the provider has heard of the charge', at: 'create', fault: undefined },
  { title: 'after the intent was made and before its id was stored', at: 'create', fault: 'hang after' },
  { title: 'before the charge', at: 'confirm', fault: undefined },
  { title: 'after the charge and before it was booked', at: 'confirm', fault: 'hang after' },
];

for (const { title, at, fault } of POINTS) {
  test(`N206 killed ${title}: an automatic top-up charges the saved card once and credits once`, async () => {
    const balanceBefore = await balanceOf();
    const intentsBefore = provider.intents.length;
    let reached = false;
    provider.before(at, async () => {
      if (reached) return;
      reached = true;
      if (fault === undefined) await service.kill();
    });
    if (fault !== undefined) provider.fail(at, fault);
    await wantOne(balanceBefore + 1);
    await eventually('the provider was asked', () => reached);
    if (fault !== undefined) {
      await eventually('the provider has done it', () =>
        at === 'create' ? provider.intents.length > intentsBefore : (provider.intents.at(-1)?.charges ?? 0) > 0,
      );
      await service.kill();
    }
    provider.letGo();
    service = await startServiceProcess(card.env);
    // The head start of the process that is gone is over.
    await card.query("update card_top_up set look_at = created_at where state = 'open'");
    await eventually('it is credited', async () => (await balanceOf()) > balanceBefore);

    const made = provider.intents.slice(intentsBefore);
    assert.deepEqual(
      made.map(({ charges }) => charges),
      [1],
    );
    assert.equal(await balanceOf(), balanceBefore + 2_000);
    const topUps = await card.query<{ state: string }>('select state from card_top_up where intent_id = $1', [
      made[0]?.id,
    ]);
    assert.deepEqual(topUps, [{ state: 'paid' }]);
    const { status, stdout } = await runPlaten(['verify', '--json'], card.env);
    assert.equal(status, 0, stdout);
  });
}
