import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { disableOperator } from '../../../src/accounts/access/disable-operator.ts';
import { approveEntry } from '../../../src/books/decide-entry.ts';
import { newId } from '../../../src/lib/ids.ts';
import { AT_THE_COMMAND_LINE } from '../../harness/actors.ts';
import { assertSound, balancePence, rows } from '../../harness/written.ts';
import {
  adjustment,
  bankCharge,
  closeEntries,
  credited,
  finance,
  made,
  moved,
  openEntries,
  post,
  refused,
  second,
  service,
} from './entries.ts';

before(() => openEntries());
after(closeEntries);
afterEach(() => assertSound(service));

const PATH = '/books/entries';

const DAY_MS = 86_400_000;

describe('an entry from the limit on', () => {
  test('is proposed, moves nothing, and is posted once another person approves it', async () => {
    let id = '';
    const asked = await moved(async () => {
      const entry = await made(PATH, adjustment({ amount_gbp: 500 }));
      assert.deepEqual([entry.status, entry.decided_by, entry.postings[0]?.id], ['proposed', null, null]);
      assert.ok(entry.expires_at);
      id = entry.id;
    });
    assert.deepEqual(asked, {});
    assert.deepEqual(await refused(`${PATH}/${id}/approve`, undefined), [409, 'conflict']);
    const approved = await moved(async () => {
      const entry = await made(`${PATH}/${id}/approve`, { reason: 'I saw the letter.' }, second);
      assert.deepEqual(
        [entry.status, entry.own_approval, entry.decision_reason],
        ['posted', false, 'I saw the letter.'],
      );
      assert.deepEqual(
        [entry.proposed_by, entry.decided_by],
        [`operator ${finance.email}`, `operator ${second.email}`],
      );
    });
    assert.deepEqual(approved, { suspense: 50_000, bank: -50_000 });
    assert.deepEqual(await refused(`${PATH}/${id}/approve`, undefined, second), [409, 'conflict']);
    assert.deepEqual(await refused(`${PATH}/${id}/refuse`, { reason: 'no' }, second), [409, 'conflict']);
  });

  test('below the limit, or copied from the statement of others, is posted at once', async () => {
    assert.equal((await made(PATH, adjustment({ amount_gbp: 499.99 }))).status, 'posted');
    assert.equal((await made(PATH, bankCharge({ amount_gbp: 5_000 }))).status, 'posted');
  });

  test('is not split into many: what one customer gets within a day counts together', async () => {
    const to = await credited(200_000);
    const withdraw = (by = finance) =>
      made(`/accounts/${to.id}/withdrawals`, { amount_gbp: 300, reference: newId(), reason: 'asked for' }, by);
    assert.equal((await withdraw()).status, 'posted');
    assert.equal((await withdraw()).status, 'proposed');
    service.shiftMs(DAY_MS + 60_000);
    assert.equal((await withdraw()).status, 'posted');
  });

  test('nor by sending the parts at the same moment', async () => {
    const to = await credited(300_000);
    const parts = Array.from({ length: 6 }, () => ({ amount_gbp: 400, reference: newId(), reason: 'asked for' }));
    const answers = await Promise.all(parts.map((body) => post(`/accounts/${to.id}/withdrawals`, body)));
    assert.deepEqual(
      answers.map(({ status }) => status),
      parts.map(() => 201),
    );
    const posted = answers.filter(({ body }) => (body.status as string) === 'posted');
    assert.equal(posted.length, 1, 'the others wait for a second person');
    assert.equal(await balancePence(service, to.customer), 260_000);
  });

  test('of two approvals and a refusal at once exactly one has an effect', async () => {
    const third = await service.openOperator('finance');
    for (let round = 0; round < 5; round += 1) {
      const { id } = await made(PATH, adjustment());
      const change = await moved(async () => {
        const answers = await Promise.all([
          post(`${PATH}/${id}/approve`, undefined, second),
          post(`${PATH}/${id}/refuse`, { reason: 'no' }, finance),
          post(`${PATH}/${id}/approve`, undefined, third),
        ]);
        assert.deepEqual(
          answers.map(({ status }) => status).toSorted((a, b) => a - b),
          [200, 409, 409],
        );
      });
      const { body } = await finance.request<{ status: string }>('GET', `${PATH}/${id}`);
      assert.deepEqual(change, body.status === 'posted' ? { suspense: 90_000, bank: -90_000 } : {});
    }
  });

  test('is not approved by an operator who is disabled meanwhile', async () => {
    const leaver = await service.openOperator('finance');
    const { id } = await made(PATH, adjustment());
    await disableOperator(service.ctx, AT_THE_COMMAND_LINE, leaver.email);
    const operator = {
      id: leaver.id as never,
      tokenId: leaver.id as never,
      email: leaver.email,
      role: 'finance' as const,
    };
    const once = { key: newId(), requestHash: Buffer.alloc(32) };
    // As a request that was let in just before.
    await assert.rejects(approveEntry(service.ctx, { kind: 'operator', operator, once }, id), { code: 'unauthorized' });
    await made(`${PATH}/${id}/approve`, undefined, second);
  });

  test('expires after 30 days: it is refused or entered again, and no longer waits in the list', async () => {
    const reference = newId();
    const { id } = await made(PATH, adjustment({ reference }));
    service.shiftMs(30 * DAY_MS);
    const expired = await post(`${PATH}/${id}/approve`, undefined, second);
    assert.equal(expired.status, 409);
    assert.match(expired.body.detail, /expired/);
    const { body } = await finance.request<{ status: string }>('GET', `${PATH}/${id}`);
    assert.equal(body.status, 'expired');
    assert.deepEqual(await refused(PATH, adjustment({ reference })), [409, 'conflict']);
    assert.equal((await made(`${PATH}/${id}/refuse`, { reason: 'too old' })).status, 'refused');
    assert.equal((await made(PATH, adjustment({ reference }))).status, 'proposed');
  });

  test('is judged by the books as they are when it is approved', async () => {
    const to = await credited(100_000);
    const body = { amount_gbp: 600, reference: newId(), reason: 'asked for' };
    const { id } = await made(`/accounts/${to.id}/withdrawals`, body);
    const correction = { posting_id: to.posting, account_id: to.id, amount_gbp: 450, reason: 'wrong amount' };
    assert.equal((await made('/books/corrections', correction)).status, 'posted');
    assert.deepEqual(await refused(`${PATH}/${id}/approve`, undefined, second), [409, 'conflict']);
    assert.equal(await balancePence(service, to.customer), 55_000);
    assert.equal((await finance.request<{ status: string }>('GET', `${PATH}/${id}`)).body.status, 'proposed');
  });
});

describe('a shop of one', () => {
  test('records its own approval in a second step, and only while no other could give it', async () => {
    await rows(service, "update operator set disabled_at = now() where id <> $1 and role in ('finance', 'admin')", [
      finance.id,
    ]);
    const { id, status } = await made(PATH, adjustment());
    assert.equal(status, 'proposed', 'the first step posts nothing');
    const entry = await made(`${PATH}/${id}/approve`, { reason: 'I am alone.' });
    assert.deepEqual([entry.status, entry.own_approval], ['posted', true]);
    const { id: next } = await made(PATH, adjustment());
    await service.openOperator('admin');
    assert.deepEqual(await refused(`${PATH}/${next}/approve`, undefined), [409, 'conflict']);
    await rows(service, 'update operator set disabled_at = null where id = $1', [second.id]);
  });
});

test('an entry that nobody proposed is 404', async () => {
  assert.deepEqual(await refused(`${PATH}/ent_x/approve`, undefined), [404, 'not_found']);
  assert.deepEqual(await refused(`${PATH}/ent_01h455vb4pex5vsknk084sn02q/approve`, undefined), [404, 'not_found']);
});
