import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe } from 'node:test';
import { hangNames } from '../../../test/harness/attackers.ts';
import { createAuthority } from '../../../test/harness/authority.ts';
import { eventually } from '../../../test/harness/context.ts';
import { type NameServer, startNameServer } from '../../../test/harness/name-server.ts';
import { hang, type Stranger, startStranger } from '../../../test/harness/stranger.ts';
import { timedTest as it } from '../../../test/harness/timed-test.ts';
import { ApiError } from '../errors.ts';
import { newId } from '../ids.ts';
import { createOutbound, type Outbound, type PostResult } from './outbound.ts';

const OWNER = newId();
const authority = createAuthority();

let names: NameServer;
let receiver: Stranger;
let outbound: Outbound;

beforeEach(async () => {
  names = await startNameServer();
  receiver = await startStranger({ authority });
  outbound = createOutbound({
    trustedPrivateHosts: new Set([receiver.hostPort]),
    extraAuthority: authority.caPem,
    nameServers: [names.address],
  });
});
afterEach(async () => {
  await outbound.close();
  await receiver.close();
  await names.close();
});

const POST = { owner: OWNER, headers: {}, body: Buffer.from('{}'), timeoutMs: 300, answerBytesMax: 1_024 };
/** Where the answer is what is looked at, however slow the machine is. */
const LONG_MS = 20_000;

function post(url: string, timeoutMs = POST.timeoutMs): Promise<PostResult> {
  return outbound.post(url, { ...POST, timeoutMs });
}

describe('a failed POST is the host’s failure, or ours', () => {
  it('the name does not exist: the host’s', async () => {
    const result = await post('https://none.example.test/', LONG_MS);
    assert.deepEqual(result, { kind: 'failed', code: 'fetch', error: 'The URL names a host that cannot be found.' });
  });

  it('its name server fails or is silent while ours answers: the host’s', async () => {
    names.answer('broken.example.test', { kind: 'failure', code: 'servfail' });
    names.answer('silent.example.test', { kind: 'silent' });
    for (const host of ['broken', 'silent']) {
      const result = await post(`https://${host}.example.test/`);
      assert.equal(result.kind, 'failed', host);
    }
    assert.equal(receiver.hits.length, 0);
  });

  it('our name servers fail for every name, are silent or are not there: ours', async () => {
    for (const reply of [{ kind: 'failure', code: 'servfail' }, { kind: 'silent' }] as const) {
      names.answer('any.example.test', reply);
      names.answer('', reply);
      const result = await post('https://any.example.test/');
      assert.deepEqual(
        [result.kind, result.kind === 'unavailable' && result.blame],
        ['unavailable', 'down'],
        reply.kind,
      );
      await outbound.close();
      outbound = createOutbound({ trustedPrivateHosts: new Set(), nameServers: [names.address] });
    }
    outbound = createOutbound({ trustedPrivateHosts: new Set(), nameServers: ['127.0.0.1:9'] });
    assert.equal((await post('https://any.example.test/')).kind, 'unavailable');
  });

  it('it hangs once it is reached: the host’s, and our name servers are not asked', async () => {
    receiver.serve('/hang', hang);
    assert.equal((await post(receiver.url('/hang'))).kind, 'failed');
    assert.deepEqual(names.questions, []);
  });

  it('there is no place for its look-up, in time or at all: ours', async () => {
    const attack = hangNames(names, 600);
    const all = attack.hosts.map((host) => outbound.post(`https://${host}/`, { ...POST, timeoutMs: 1_500 }));
    const results = await Promise.all(all);
    const kinds = results.map((result) => (result.kind === 'unavailable' ? result.blame : result.kind));
    const count = (kind: string): number => kinds.filter((one) => one === kind).length;
    assert.equal(count('busy') + count('failed'), 600);
    assert.ok(count('failed') >= 16, 'those that were asked for');
    const asked = new Set(names.questions.map(({ name }) => name).filter((name) => name !== '')).size;
    assert.equal(count('failed'), asked, 'no name is blamed that was not asked for, or not given its time');
  });

  it('this process ends: ours', async () => {
    receiver.serve('/hang', hang);
    const result = outbound.post(receiver.url('/hang'), { ...POST, timeoutMs: 60_000 });
    await eventually('it is under way', () => receiver.hits.length === 1);
    await outbound.close();
    const ended = await result;
    assert.equal(ended.kind === 'unavailable' && ended.blame, 'down');
  });
});

describe('a download and a check of a webhook target', () => {
  it('are refused with 503 where the failure is ours, and blame the address where it is its own', async () => {
    const attack = hangNames(names, 16);
    const holding = attack.hosts.map((host) => outbound.post(`https://${host}/`, { ...POST, timeoutMs: 60_000 }));
    await eventually('all places of the account are taken', () => outbound.counts().lookup.running === 16);
    names.answer('good.example.test', { kind: 'addresses', v4: ['8.8.8.8'] });
    const giveUp = AbortSignal.timeout(100);
    const isUnavailable = (error: unknown): boolean => error instanceof ApiError && error.code === 'unavailable';
    const download = { owner: OWNER, maxBytes: 1, timeoutMs: 100, redirectsMax: 0, path: '/dev/null' };
    await assert.rejects(outbound.download('https://good.example.test/', download), isUnavailable);
    await assert.rejects(
      outbound.checkTarget('https://good.example.test/', { owner: OWNER, signal: giveUp }),
      isUnavailable,
    );
    const other = await outbound.checkTarget('https://good.example.test/', { owner: newId() });
    assert.equal(other.kind, 'ok');
    names.answer('silent.example.test', { kind: 'silent' });
    const silent = await outbound.download('https://silent.example.test/', { ...download, owner: newId() });
    assert.equal(silent.kind === 'failed' && silent.code, 'fetch');
    await outbound.close();
    await Promise.all(holding);
  });
});
