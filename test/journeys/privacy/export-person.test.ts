import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { operatorActor } from '../../../src/accounts/access/act-on-access.ts';
import { disableOperator } from '../../../src/accounts/access/disable-operator.ts';
import { newId, publicId, type Uuid } from '../../../src/lib/ids.ts';
import { exportPerson } from '../../../src/privacy/disclose/export-person.ts';
import { AT_THE_COMMAND_LINE } from '../../harness/actors.ts';
import { openFloor, placeOrder } from '../../harness/floor.ts';
import { startTestService, type TestService } from '../../harness/service.ts';
import { HOME } from '../../harness/shop.ts';
import { rows } from '../../harness/written.ts';

type Disclosed = {
  scope: string;
  account_id: string;
  account?: { account: { name: string }; tokens: object[]; webhooks: object[] };
  postings?: object[];
  pictures?: { sha256: string; url: string }[];
  orders: {
    order: { reference: string; notes: string };
    history: object[];
    events: object[];
    files: { url: string }[];
  }[];
};

let service: TestService;
before(async () => {
  service = await startTestService();
});
after(() => service.stop());

const disclose = async (body: object, role: 'admin' | 'production' = 'admin') => {
  const { request } = await openFloor(service, role);
  const path = `/accounts/${publicId('acct', service.customer.accountId)}/export-person`;
  const answer = await request('POST', path, body);
  return { ...answer, disclosed: answer.status === 200 ? (JSON.parse(answer.text) as Disclosed) : undefined };
};

test('all that is held of an order, a recipient or an account is one JSON document, with links to files', async () => {
  const ada = await placeOrder(service, {
    notes: 'for Ada',
    shipping_address: { ...HOME, contact_name: 'Ada Zed', phone: '07700 900123' },
  });
  const bob = await placeOrder(service, { notes: 'for Bob', shipping_address: { ...HOME, contact_name: 'Bob Zed' } });
  const notesOf = (disclosed: Disclosed | undefined): string[] =>
    (disclosed?.orders ?? []).map(({ order }) => order.notes).toSorted();

  const one = await disclose({ order: ada.reference });
  assert.match(one.headers.get('content-type') ?? '', /^application\/json/);
  assert.deepEqual(notesOf(one.disclosed), ['for Ada']);
  assert.deepEqual([one.disclosed?.orders[0]?.history.length, one.disclosed?.orders[0]?.events.length], [1, 1]);
  assert.equal(one.disclosed?.account, undefined, 'nothing of the account');
  for (const recipient of [{ name: 'zed ADA', postcode: 'ls14dy' }, { phone: '+44 7700 900 123' }]) {
    assert.deepEqual(notesOf((await disclose({ recipient })).disclosed), ['for Ada']);
  }
  assert.deepEqual(notesOf((await disclose({ recipient: { name: 'Eve Zed', postcode: 'LS1 4DY' } })).disclosed), []);
  const whole = await disclose({ whole_account: true });
  assert.deepEqual(notesOf(whole.disclosed), ['for Ada', 'for Bob']);
  assert.equal(whole.disclosed?.account?.account.name, 'Demo Print Club');
  assert.ok((whole.disclosed?.postings?.length ?? 0) >= 3 && (whole.disclosed?.account?.tokens.length ?? 0) > 0);
  const file = whole.disclosed?.pictures?.[0];
  const { pathname, search } = new URL(file?.url ?? '');
  assert.equal((await fetch(`${service.url}${pathname}${search}`)).status, 200, 'a link works');
  assert.doesNotMatch(whole.text, /token_hash|password_hash|secret_sealed|fingerprint/);
  assert.ok(bob.id !== ada.id);
});

test('a disclosure that is under way ends when the token of its operator is revoked', async () => {
  const { email } = await openFloor(service, 'admin');
  const [of] = await rows<{ id: Uuid; token: Uuid }>(
    service,
    'select o.id, t.id as token from operator o join operator_token t on t.operator_id = o.id where o.email = $1',
    [email],
  );
  assert.ok(of);
  const operator = { id: of.id, tokenId: of.token, email, role: 'admin' } as const;
  const once = { key: newId(), requestHash: Buffer.alloc(32) };
  const subject = { scope: 'account', accountId: service.customer.accountId } as const;
  const text = await exportPerson(service.ctx, operatorActor(operator, once), subject, undefined);
  assert.equal((await text.next()).done, false);
  await disableOperator(service.ctx, AT_THE_COMMAND_LINE, email);
  service.shiftMs(2_000);
  await assert.rejects(
    async () => {
      for await (const piece of text) assert.ok(piece);
    },
    { code: 'unauthorized' },
  );
});

test('the audit log says who asked, and nothing that was disclosed or asked for', async () => {
  await disclose({ recipient: { name: 'Ada Zed', postcode: 'LS1 4DY' }, reason: 'request 9' });
  const [act] = await rows<{ detail: object; subject: string }>(
    service,
    `select detail, subject_id as subject from operator_action where action = 'export_person' order by id desc limit 1`,
  );
  assert.deepEqual(act, {
    detail: { account_id: publicId('acct', service.customer.accountId), scope: 'recipient', reason: 'request 9' },
    subject: service.customer.accountId,
  });
});

test('only an admin discloses, and a request must name its subject', async () => {
  assert.equal((await disclose({ whole_account: true }, 'production')).status, 403);
  assert.equal((await disclose({})).status, 422);
  assert.equal((await disclose({ order: 'PF-AAAAAAAA' })).status, 404);
  const unknown = await disclose({ whole_account: true, more: 1 });
  assert.equal(unknown.status, 422);
});
