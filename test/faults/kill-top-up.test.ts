import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Session } from '../../src/accounts/portal/schema.ts';
import { newId } from '../../src/lib/ids.ts';
import type { CardTopUp } from '../../src/payments/top-ups/top-up-schema.ts';
import { type CardProcess, openCardProcess } from '../harness/card-process.ts';
import { eventually } from '../harness/context.ts';
import { COOKIE, secretOf, signIn } from '../harness/portal.ts';
import { runPlaten, type ServiceProcess, startServiceProcess } from '../harness/process.ts';
import type { Call, FakeProvider, Fault } from '../harness/provider.ts';

const OWNER = { email: 'owner@example.com', password: 'correct horse battery' };

let card: CardProcess;
let provider: FakeProvider;
let service: ServiceProcess;
let session: { readonly secret: string; readonly csrf: string };

before(async () => {
  card = await openCardProcess();
  ({ provider, service } = card);
  const created = await runPlaten(
    ['user', 'create', '--account', card.demo.account_id, '--email', OWNER.email],
    card.env,
    `${OWNER.password}\n`,
  );
  assert.equal(created.status, 0, created.stderr);
  const answer = await signIn(service, OWNER);
  assert.equal(answer.status, 201, answer.text);
  session = { secret: secretOf(answer), csrf: (answer.body satisfies Session).csrf_token };
});
after(() => card?.close(service));

/** A request of the portal; undefined when the service died meanwhile. */
async function ask(
  path: string,
  body?: object,
  key?: string,
): Promise<{ status: number; body: CardTopUp } | undefined> {
  try {
    const response = await fetch(`${service.url}/portal/api/v1${path}`, {
      method: 'POST',
      headers: {
        cookie: `${COOKIE}=${session.secret}`,
        origin: new URL(service.url).origin,
        'x-platen-csrf': session.csrf,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(key === undefined ? {} : { 'idempotency-key': key }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(20_000),
    });
    return { status: response.status, body: (await response.json()) as CardTopUp };
  } catch {
    return undefined;
  }
}

const POINTS: readonly { title: string; at: Call; fault: Fault | undefined }[] = [
  { title: 'before the provider has heard of it', at: 'page', fault: undefined },
  { title: 'after the page was made and before its id was stored', at: 'page', fault: 'hang after' },
  { title: 'after the payment and before it was read', at: 'read page', fault: undefined },
  { title: 'after the payment was read and before it was booked', at: 'read page', fault: 'hang after' },
];

for (const { title, at, fault } of POINTS) {
  test(`N206 killed ${title}: the top-up is paid on one page and credited exactly once`, async () => {
    const key = newId();
    const pagesBefore = provider.pages.length;
    const begin = () => ask('/top-ups', { amount_gbp: 75 }, key);
    let first = at === 'page' ? undefined : (await begin())?.body;
    const paid = provider.pages.at(-1);
    if (first !== undefined && paid !== undefined) provider.pay(paid);
    let reached = false;
    provider.before(at, async () => {
      if (reached) return;
      reached = true;
      if (fault === undefined) await service.kill();
    });
    if (fault !== undefined) provider.fail(at, fault);
    const asked = first === undefined ? begin() : ask(`/top-ups/${first.id}/look`);
    await eventually('the provider was asked', () => reached);
    if (fault !== undefined) {
      await eventually('the provider has done it', () => provider.pages.length > pagesBefore);
      await service.kill();
    }
    assert.equal(await asked, undefined);
    provider.letGo();
    service = await startServiceProcess(card.env);

    if (first === undefined) {
      const again = await begin();
      assert.deepEqual([again?.status, again?.body.state], [201, 'open']);
      first = again?.body;
      assert.equal(provider.pages.length, pagesBefore + 1, 'the same page, whoever asked for it');
      const page = provider.pages.at(-1);
      assert.equal(first?.pay_url, page?.url);
      if (page !== undefined) provider.pay(page);
    }
    // Nobody comes back from the page: the head start of the process that is gone is over.
    await card.query("update card_top_up set look_at = created_at where state = 'open'");
    await eventually(
      'the sweep has booked it',
      async () =>
        (await card.query('select 1 from card_top_up where reference = $1 and state = $2', [first?.id, 'paid']))
          .length > 0,
    );
    assert.equal((await ask(`/top-ups/${first?.id}/look`))?.body.state, 'paid');
    const posted = await card.query(
      "select debit_account, amount_pence::integer from posting where reference = $1 and kind = 'top_up'",
      [first?.id],
    );
    assert.deepEqual(posted, [{ debit_account: 'card_clearing', amount_pence: 7_500 }]);
    const { status, stdout } = await runPlaten(['verify', '--json'], card.env);
    assert.equal(status, 0, stdout);
  });
}
