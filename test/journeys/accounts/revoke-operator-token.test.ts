import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, test } from 'node:test';
import type { OperatorToken } from '../../../src/accounts/access/ops-schema.ts';
import { mintOperatorToken } from '../../../src/accounts/mint-operator-token.ts';
import { openTask } from '../../../src/accounts/open-task.ts';
import {
  act,
  admin,
  assertUnknown,
  closeAccess,
  isAccepted,
  listed,
  openAccess,
  service,
  untilUnknown,
} from './access.ts';

before(openAccess);
after(closeAccess);

const TASKS = '/ops/v1/tasks?limit=1';

test('a revoked token of an operator is as an unknown one within two seconds on every node; the other goes on', async () => {
  const { email, token } = await service.openOperator('viewer');
  const other = await mintOperatorToken(service.ctx, email);
  const [, first] = await listed<OperatorToken>(`/operator-tokens?email=${email}`);
  assert.ok(first !== undefined && (await isAccepted(token, TASKS)));
  const revoked = await act<OperatorToken>(`/operator-tokens/${first.id}/revoke`, { reason: 'left in a chat' });
  assert.notEqual(revoked.revoked_at, null);
  await untilUnknown(token, TASKS);
  assert.ok(await isAccepted(other.token, TASKS));
  assert.deepEqual(await act(`/operator-tokens/${first.id}/revoke`), { ...revoked });
});

test('an admin may revoke the token that the request was made with', async () => {
  const { email, token, request } = await service.openOperator('admin');
  const [own] = await listed<OperatorToken>(`/operator-tokens?email=${email}`);
  assert.equal((await request('POST', `/operator-tokens/${own?.id}/revoke`)).status, 200);
  await untilUnknown(token, TASKS);
});

test('a list that is streamed as CSV is cut when its token is revoked meanwhile', async () => {
  const task = { accountId: service.customer.accountId, orderId: null, kind: 'look' };
  const note = 'x'.repeat(20_000);
  for (let made = 0; made < 900; made += 1) {
    await openTask(service.ctx.database, { ...task, note }, service.ctx.clock.now());
  }
  const { email, token } = await service.openOperator('viewer');
  const [own] = await listed<OperatorToken>(`/operator-tokens?email=${email}`);
  const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
  const head = `GET /ops/v1/tasks HTTP/1.1\r\nhost: a\r\naccept: text/csv\r\nauthorization: Bearer ${token}\r\n\r\n`;
  socket.write(head);
  // A client that reads slowly: what it is sent waits, and with it the next page.
  await new Promise((resolve) => socket.once('data', resolve));
  socket.pause();
  await act(`/operator-tokens/${own?.id}/revoke`);
  await untilUnknown(token, TASKS);
  let text = '';
  socket.on('data', (part) => {
    text += String(part);
  });
  socket.resume();
  await new Promise((resolve) => socket.once('close', resolve));
  assert.ok(!text.endsWith('\r\n0\r\n\r\n'), 'the list looks whole');
  assert.ok((await admin.request('GET', '/tasks?limit=1')).status === 200);
});

test('an unknown token is 404', async () => {
  await assertUnknown((id) => `/operator-tokens/${id}/revoke`, 'otk_', 'token');
});
