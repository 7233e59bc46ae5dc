import assert from 'node:assert/strict';
import { after, beforeEach } from 'node:test';
import { timedTest as test } from '../../../../test/harness/timed-test.ts';
import { SERVICE } from '../../turns/owner.ts';
import { createReceiver, OfCaller, type Receiver, ReceiverLost } from './receiver.ts';

/** A thread that does what the path of the file says. */
const PROGRAM = `
  const { parentPort, threadId } = require('node:worker_threads');
  const held = [];
  parentPort.on('message', ({ kind, id, order }) => {
    const ended = (outcome) => parentPort.postMessage({ id, kind: 'ended', outcome });
    if (kind === 'abort') held.push(id);
    else if (kind === 'room') ended({ kind: 'ok', bytes: 1, hash: 'room' });
    else if (order.path === 'exit') process.exit(3);
    else if (order.path === 'throw') setImmediate(() => { throw new Error('a bug'); });
    else if (order.path === 'reserve') parentPort.postMessage({ id, kind: 'reserve', bytes: 7 });
    else if (order.path === 'bug') ended({ kind: 'bug', stack: 'here' });
    else if (order.path === 'full') ended({ kind: 'not written', code: 'ENOSPC', message: 'no space' });
    else if (order.path !== 'hang') ended({ kind: 'ok', bytes: threadId, hash: held.join() });
  });`;

let receiver: Receiver;
beforeEach(async () => {
  await receiver?.close();
  receiver = open({});
});
after(() => receiver.close());

function open(settings: { idleMs?: number }): Receiver {
  const program = new URL(
    `data:text/javascript,${encodeURIComponent(`import { createRequire } from 'node:module';
    const require = createRequire('/');${PROGRAM}`)}`,
  );
  return createReceiver({ program, ...settings });
}

function fetch(path: string, terms: { signal?: AbortSignal; reserve?: (bytes: number) => Promise<void> } = {}) {
  const target = { url: 'https://example.test/', host: 'example.test', port: 443, addresses: [] };
  return receiver.fetch(
    { owner: SERVICE, target, trusted: { beside: undefined }, path, maxBytes: 10 },
    { signal: new AbortController().signal, progress: { phase: 'reaching' }, reserve: async () => {}, ...terms },
  );
}

async function threadNow(): Promise<number> {
  const fetched = await fetch('any');
  assert.equal(fetched.kind, 'ok');
  return fetched.bytes;
}

for (const way of ['exit', 'throw']) {
  test(`a thread that ends (${way}) fails what it was about, as lost, and the next fetch has a new one`, async () => {
    const before = await threadNow();
    const both = [fetch('hang'), fetch(way)];
    for (const each of both) await assert.rejects(each, ReceiverLost);
    assert.notEqual(await threadNow(), before);
  });
}

test('a bug in one fetch fails that one alone', async () => {
  const before = await threadNow();
  await assert.rejects(fetch('bug'), /a fetch has failed in its thread: here/);
  assert.equal(await threadNow(), before);
});

test('an abort is thrown at once, and the thread hears of it', async () => {
  const leaving = new AbortController();
  const left = fetch('hang', { signal: leaving.signal });
  leaving.abort(new Error('enough'));
  await assert.rejects(left, /enough/);
  const next = await fetch('any');
  assert.equal(next.kind === 'ok' && next.hash, '1');
  await assert.rejects(fetch('any', { signal: leaving.signal }), /enough/);
});

test('a file begins once there is room; without room the thread hears of that, and the caller of its own error', async () => {
  const asked: number[] = [];
  const roomy = await fetch('reserve', { reserve: async (bytes) => void asked.push(bytes) });
  assert.deepEqual([roomy.kind === 'ok' && roomy.hash, asked], ['room', [7]]);
  const full = new Error('no room');
  const isFull = (error: unknown): boolean => error instanceof OfCaller && error.cause === full;
  await assert.rejects(fetch('reserve', { reserve: () => Promise.reject(full) }), isFull);
  const next = await fetch('any');
  assert.equal(next.kind === 'ok' && next.hash, '2');
});

test('a file that cannot be written is an error of the caller, with the code of the system', async () => {
  const isFull = (error: unknown): boolean =>
    error instanceof OfCaller && (error.cause as NodeJS.ErrnoException).code === 'ENOSPC';
  await assert.rejects(fetch('full'), isFull);
});

test('a thread that has been idle is ended, and one that is at work is not', async () => {
  await receiver.close();
  receiver = open({ idleMs: 1 });
  const leaving = new AbortController();
  const held = fetch('hang', { signal: leaving.signal });
  const before = await threadNow();
  await new Promise((resolve) => setTimeout(resolve, 50));
  assert.equal(await threadNow(), before);
  leaving.abort(new Error('enough'));
  await assert.rejects(held, /enough/);
  await new Promise((resolve) => setTimeout(resolve, 50));
  assert.notEqual(await threadNow(), before);
});

test('a closed receiver fails what is under way', async () => {
  const held = assert.rejects(fetch('hang'), ReceiverLost);
  await receiver.close();
  await held;
});
