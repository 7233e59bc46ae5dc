import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { afterEach, beforeEach, describe } from 'node:test';
import { hangNames } from '../../../test/harness/attackers.ts';
import { eventually } from '../../../test/harness/context.ts';
import { type NameReply, type NameServer, startNameServer } from '../../../test/harness/name-server.ts';
import { timedTest as it } from '../../../test/harness/timed-test.ts';
import { newId } from '../ids.ts';
import { TurnRefused } from '../turns/refusal.ts';
import { createGate, type Gate } from './gate.ts';
import { isNameServerAnswering, lookUpAddresses, type NameAnswer } from './name-lookup.ts';

const OWNER = newId();
const never = new AbortController().signal;

let names: NameServer;
let gate: Gate;

beforeEach(async () => {
  names = await startNameServer();
  gate = createGate({ trustedPrivateHosts: new Set(), nameServers: [names.address] });
});
afterEach(() => names.close());

function lookUp(host: string, signal = never): Promise<NameAnswer> {
  return lookUpAddresses(host, signal, [names.address]);
}

/** What a URL on a host gets: `ok`, or the code of its refusal or failure. */
async function verdict(host: string): Promise<string> {
  const judged = await gate.judge(`https://${host}/`, 'The URL', { owner: OWNER, signal: never });
  return judged.kind === 'ok' ? 'ok' : judged.code;
}

describe('what is learnt of a name', () => {
  const many = Array.from({ length: 200 }, (_, index) => `8.8.${index}.1`);
  const rows: readonly (readonly [title: string, reply: NameReply, answer: NameAnswer])[] = [
    ['IPv4', { kind: 'addresses', v4: ['8.8.8.8'] }, { kind: 'found', addresses: ['8.8.8.8'] }],
    ['IPv6 alone', { kind: 'addresses', v6: ['2a00:1450::1'] }, { kind: 'found', addresses: ['2a00:1450::1'] }],
    [
      'both, each of which is judged',
      { kind: 'addresses', v4: ['8.8.8.8', '1.1.1.1'], v6: ['2a00:1450::1'] },
      { kind: 'found', addresses: ['8.8.8.8', '1.1.1.1', '2a00:1450::1'] },
    ],
    [
      'an alias of an alias',
      { kind: 'addresses', v4: ['8.8.8.8'], aliases: ['one.example.test', 'two.example.test'] },
      { kind: 'found', addresses: ['8.8.8.8'] },
    ],
    ['an alias of nothing', { kind: 'addresses', aliases: ['one.example.test'] }, { kind: 'none' }],
    [
      'an answer that is too long for a datagram',
      { kind: 'addresses', v4: many, truncated: true },
      { kind: 'found', addresses: many },
    ],
    ['no such name', { kind: 'failure', code: 'nxdomain' }, { kind: 'none' }],
    ['a name without an address', { kind: 'addresses' }, { kind: 'none' }],
    ['a name whose servers fail', { kind: 'failure', code: 'servfail' }, { kind: 'unanswered' }],
  ];
  for (const [title, reply, answer] of rows) {
    it(title, async () => {
      names.answer('host.example.test', reply);
      assert.deepEqual(await lookUp('host.example.test'), answer);
    });
  }

  it('a server that refuses, or does not understand, has not answered', async () => {
    for (const code of ['refused', 'malformed', 'notImplemented'] as const) {
      names.answer('host.example.test', { kind: 'failure', code });
      assert.equal((await lookUp('host.example.test')).kind, 'unanswered', code);
    }
  });

  it('one family that is answered suffices when the other fails', async () => {
    names.answer('host.example.test', ({ type }) =>
      type === 'A' ? { kind: 'addresses', v4: ['8.8.8.8'] } : { kind: 'failure', code: 'servfail' },
    );
    assert.deepEqual(await lookUp('host.example.test'), { kind: 'found', addresses: ['8.8.8.8'] });
  });

  it('a silent name server ends within the bound, and nothing of the look-up stays', async () => {
    names.answer('host.example.test', { kind: 'silent' });
    assert.deepEqual(await lookUp('host.example.test'), { kind: 'unanswered' });
  });

  it('two silent name servers take longer than the bound, and it ends the look-up', async () => {
    const next = await startNameServer();
    names.answer('host.example.test', { kind: 'silent' });
    next.answer('host.example.test', { kind: 'silent' });
    const answer = await lookUpAddresses('host.example.test', never, [names.address, next.address]);
    await next.close();
    assert.deepEqual(answer, { kind: 'unanswered' });
  });

  it('odd labels are asked for as they are, or are no name at all', async () => {
    for (const host of ['a_b.example.test', '-a-.example.test', 'xn--nxasmq6b.example.test', '1.example.test']) {
      names.answer(host, { kind: 'addresses', v4: ['8.8.8.8'] });
      assert.equal((await lookUp(host)).kind, 'found', host);
    }
    for (const host of ['a..example.test', `${'a'.repeat(64)}.example.test`, `${'a.'.repeat(130)}test`]) {
      assert.equal((await lookUp(host)).kind, 'none', host.slice(0, 20));
    }
  });

  it('the name is taken whole: no search domain is tried, and /etc/hosts is not read', async () => {
    await lookUp('host.example.test');
    await lookUp('localhost');
    assert.deepEqual([...new Set(names.questions.map(({ name }) => name))], ['host.example.test', 'localhost']);
  });

  it('a name server that is not there, or fails, is passed over for the next', async () => {
    const next = await startNameServer();
    next.answer('host.example.test', { kind: 'addresses', v4: ['8.8.8.8'] });
    names.answer('host.example.test', { kind: 'failure', code: 'servfail' });
    const answer = await lookUpAddresses('host.example.test', never, ['127.0.0.1:9', names.address, next.address]);
    await next.close();
    assert.deepEqual(answer, { kind: 'found', addresses: ['8.8.8.8'] });
  });

  it('no name server at all is no answer', async () => {
    assert.deepEqual(await lookUpAddresses('host.example.test', never, ['127.0.0.1:9']), { kind: 'unanswered' });
  });

  it('without a file or socket to be had, the name is not blamed (N218)', () => {
    const script = `
      import { openSync } from 'node:fs';
      import { lookUpAddresses } from ${JSON.stringify(new URL('name-lookup.ts', import.meta.url).href)};
      const never = new AbortController().signal;
      const ask = async () => { try { return (await lookUpAddresses('a.example.test', never, ['127.0.0.1:9'])).kind; } catch (error) { return error.code; } };
      const first = await ask();
      try { for (;;) openSync('/dev/null'); } catch {}
      console.log(first, await ask());`;
    const command = 'ulimit -n 80 && exec "$@"';
    const shell = ['-c', command, 'sh', process.execPath, '--input-type=module', '-e', script];
    assert.equal(execFileSync('/bin/sh', shell, { encoding: 'utf8' }), 'unanswered unavailable\n');
  });

  it('an abort ends a look-up at once, and no other one', async () => {
    names.answer('silent.example.test', { kind: 'silent' });
    names.answer('slow.example.test', { kind: 'addresses', v4: ['8.8.8.8'], delayMs: 200 });
    const aborting = new AbortController();
    const silent = lookUp('silent.example.test', aborting.signal);
    const slow = lookUp('slow.example.test');
    await eventually('both are asked for', () => names.questions.length >= 4);
    aborting.abort(new Error('gone'));
    await assert.rejects(silent, /gone/);
    assert.equal((await slow).kind, 'found');
  });
});

describe('whether the network is up', () => {
  const rows: readonly (readonly [title: string, reply: NameReply, isUp: boolean])[] = [
    ['answers for the root', { kind: 'addresses' }, true],
    ['refuses to', { kind: 'failure', code: 'refused' }, true],
    ['knows no root', { kind: 'failure', code: 'nxdomain' }, true],
    ['fails, as a forwarder without its upstream does', { kind: 'failure', code: 'servfail' }, false],
    ['is silent', { kind: 'silent' }, false],
  ];
  for (const [title, reply, isUp] of rows) {
    it(`a name server that ${title} -> ${isUp}`, async () => {
      names.answer('', reply);
      assert.equal(await isNameServerAnswering([names.address]), isUp);
    });
  }

  it('a name server that is not there -> false', async () => {
    assert.equal(await isNameServerAnswering(['127.0.0.1:9']), false);
  });

  it('many that ask at once put one question', async () => {
    assert.deepEqual(await Promise.all([gate.isNetworkUp(), gate.isNetworkUp(), gate.isNetworkUp()]), [
      true,
      true,
      true,
    ]);
    assert.equal(names.questions.length, 1);
  });
});

describe('spec 8 host: what name servers say is judged as strictly as before (G107, G108)', () => {
  const rows: readonly (readonly [title: string, reply: NameReply, code: string])[] = [
    ['public addresses', { kind: 'addresses', v4: ['8.8.8.8'], v6: ['2a00:1450::1'] }, 'ok'],
    ['a private address', { kind: 'addresses', v4: ['10.0.0.1'] }, 'ssrf'],
    ['a private address among public ones', { kind: 'addresses', v4: ['8.8.8.8', '192.168.0.1'] }, 'ssrf'],
    [
      'a private IPv6 address beside a public IPv4 one',
      { kind: 'addresses', v4: ['8.8.8.8'], v6: ['fd00::1'] },
      'ssrf',
    ],
    ['a mapped address', { kind: 'addresses', v6: ['0:0:0:0:0:ffff:7f00:1'] }, 'ssrf'],
    [
      'an alias of a name with the metadata address',
      { kind: 'addresses', v4: ['169.254.169.254'], aliases: ['a.test'] },
      'ssrf',
    ],
    ['no such name', { kind: 'failure', code: 'nxdomain' }, 'fetch'],
  ];
  for (const [title, reply, code] of rows) {
    it(`${title} -> ${code}`, async () => {
      names.answer('host.example.test', reply);
      assert.equal(await verdict('host.example.test'), code);
    });
  }

  it('a thousand names that change their answer each time: what is allowed is what was judged, never what came after', async () => {
    let asked = 0;
    const answers = [['8.8.8.8'], ['127.0.0.1'], ['8.8.4.4', '10.0.0.1'], ['1.1.1.1']];
    for (let index = 0; index < 1_000; index += 1) {
      names.answer(`n${index}.example.test`, ({ type }) => {
        if (type !== 'A') return { kind: 'addresses' };
        asked += 1;
        return { kind: 'addresses', v4: answers[asked % answers.length] ?? [] };
      });
    }
    const ask = async (index: number) => {
      const terms = { owner: newId(), signal: never };
      return gate.judge(`https://n${index}.example.test/`, 'The URL', terms);
    };
    const judged = (await Promise.all(Array.from({ length: 1_000 }, (_, index) => ask(index)))).concat(
      await Promise.all(Array.from({ length: 1_000 }, (_, index) => ask(index))),
    );
    const allowed = judged.flatMap((one) => (one.kind === 'ok' ? [one.addresses.join()] : []));
    assert.deepEqual([...new Set(allowed)].toSorted(), ['1.1.1.1', '8.8.8.8']);
    assert.equal(asked, 2_000, 'each name is asked for once for each request');
    assert.equal(judged.filter((one) => one.kind === 'refused' && one.code === 'ssrf').length, 1_000);
  });
});

describe('an account whose name servers are silent', () => {
  it('takes its own places and no time of another account, whatever it asks for', async () => {
    names.answer('good.example.test', { kind: 'addresses', v4: ['8.8.8.8'] });
    const attack = hangNames(names, 200);
    const giveUp = new AbortController();
    const asking = attack.hosts.map((host) =>
      gate.judge(`https://${host}/`, 'The URL', { owner: OWNER, signal: giveUp.signal }).then(
        () => 'judged',
        () => 'gave up',
      ),
    );
    await eventually('its places are taken', () => gate.lookups().running === 16);
    assert.equal(gate.lookups().waiting, 184);
    for (let count = 0; count < 50; count += 1) {
      const judged = await gate.judge('https://good.example.test/', 'The URL', { owner: newId(), signal: never });
      assert.equal(judged.kind, 'ok');
    }
    assert.equal(gate.lookups().running, 16, 'not one of the silent ones has ended meanwhile');
    giveUp.abort();
    assert.deepEqual([...new Set(await Promise.all(asking))], ['gave up']);
    assert.deepEqual([gate.lookups().running, gate.lookups().waiting], [0, 0]);
  });

  it('has a bound of what waits; beyond it the refusal is ours and no name is asked for', async () => {
    const attack = hangNames(names, 600);
    const giveUp = new AbortController();
    const refused: unknown[] = [];
    const asking = attack.hosts.map((host) =>
      gate
        .judge(`https://${host}/`, 'The URL', { owner: OWNER, signal: giveUp.signal })
        .catch((error: unknown) => void refused.push(error)),
    );
    await eventually('the rest is refused', () => refused.length === 600 - 16 - 512);
    assert.ok(refused.every((error) => error instanceof TurnRefused && error.reason === 'full'));
    giveUp.abort();
    await Promise.all(asking);
    assert.ok(new Set(names.questions.map(({ name }) => name)).size <= 16);
  });

  it('leaves the threads that read files alone: the look-ups use none', async () => {
    const attack = hangNames(names, 16);
    const giveUp = new AbortController();
    const asking = attack.hosts.map((host) =>
      gate.judge(`https://${host}/`, 'The URL', { owner: OWNER, signal: giveUp.signal }).catch(() => undefined),
    );
    await eventually('all are asked for', () => names.questions.length >= 32);
    const resources = process.getActiveResourcesInfo();
    assert.ok(!resources.some((kind) => /GETADDRINFO/i.test(kind)), resources.join());
    giveUp.abort();
    await Promise.all(asking);
  });
});

describe('names that the operator trusts are found as the system finds them', () => {
  it('localhost, without a question to a name server', async () => {
    gate = createGate({ trustedPrivateHosts: new Set(['localhost:8443']), nameServers: [names.address] });
    assert.equal(await verdict('localhost:8443'), 'ok');
    assert.equal(await verdict('localhost:443'), 'ssrf');
    assert.deepEqual(names.questions, []);
  });

  it('by one look-up for all that want the same name at once', async () => {
    gate = createGate({ trustedPrivateHosts: new Set(['localhost:8443']), nameServers: [names.address] });
    const asking = Array.from({ length: 10 }, () => verdict('localhost:8443'));
    await new Promise(setImmediate);
    const threads = process.getActiveResourcesInfo().filter((kind) => /GETADDRINFO/i.test(kind));
    assert.ok(threads.length <= 1, threads.join());
    assert.deepEqual([...new Set(await Promise.all(asking))], ['ok']);
  });
});
