import assert from 'node:assert/strict';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { test } from 'node:test';
import { type Running, startDoors, until } from '../../test/harness/server-fixture.ts';

type Got = { status: number; connection: string | undefined };

function ask(doors: Running, agent: Agent, method: string, path: string): Promise<Got> {
  return new Promise((resolve, reject) => {
    const sent = request(
      { port: doors.port, host: '127.0.0.1', agent, method, path, headers: { authorization: 'Bearer good' } },
      (response) => {
        response
          .resume()
          .once('end', () => resolve({ status: response.statusCode ?? 0, connection: response.headers.connection }));
      },
    );
    sent.once('error', reject).end();
  });
}

test('draining lets a request finish, answers the next ones and closes, and readiness says so', async () => {
  const doors = await startDoors();
  const agents = Array.from({ length: 3 }, () => new Agent({ keepAlive: true, maxSockets: 1 }));
  const [busy, next, probe] = agents;
  if (busy === undefined || next === undefined || probe === undefined) throw new Error('three agents');
  for (const agent of agents) assert.equal((await ask(doors, agent, 'GET', '/healthz')).connection, 'keep-alive');
  const slow = ask(doors, busy, 'POST', '/api/v1/slow');
  await until(() => doors.seen.authenticated.length === 1);

  const drained = doors.drain(10_000);
  assert.deepEqual(await ask(doors, probe, 'GET', '/readyz'), { status: 503, connection: 'close' });
  assert.deepEqual(await ask(doors, next, 'GET', '/api/v1/orders'), { status: 200, connection: 'close' });
  doors.release();
  assert.equal((await slow).status, 200);
  const startedMs = performance.now();
  await drained;
  assert.ok(performance.now() - startedMs < 2_500);
  await assert.rejects(ask(doors, new Agent(), 'GET', '/healthz'), { code: 'ECONNREFUSED' });
  for (const agent of agents) agent.destroy();
});

test('under load nobody is reset while the service drains', async () => {
  const doors = await startDoors();
  let served = 0;
  const clients = Array.from({ length: 20 }, async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    try {
      for (;;) {
        const { status, connection } = await ask(doors, agent, 'GET', '/api/v1/orders');
        assert.equal(status, 200);
        served += 1;
        if (connection === 'close') return 'closed in order';
      }
    } finally {
      agent.destroy();
    }
  });
  await until(() => served > 200);
  const drained = doors.drain(10_000);
  assert.deepEqual(new Set(await Promise.all(clients)), new Set(['closed in order']));
  await drained;
});

test('an idle or never used connection is closed by an ordinary end, and does not hold the drain', async () => {
  const doors = await startDoors();
  const ends: string[] = [];
  const unused = connect(doors.port, '127.0.0.1');
  const idle = connect(doors.port, '127.0.0.1');
  for (const socket of [unused, idle]) {
    socket
      .once('end', () => ends.push('end'))
      .once('error', () => ends.push('reset'))
      .resume();
  }
  idle.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
  await until(() => idle.bytesRead > 0);
  const startedMs = performance.now();
  await doors.drain(10_000);
  assert.ok(performance.now() - startedMs < 2_500);
  await until(() => ends.length === 2);
  assert.deepEqual(ends, ['end', 'end']);
});

test('what is not finished when the grace is over is cut off', async () => {
  const doors = await startDoors();
  const agent = new Agent({ keepAlive: true });
  const slow = ask(doors, agent, 'POST', '/api/v1/slow');
  slow.catch(() => {});
  await until(() => doors.seen.authenticated.length === 1);
  await doors.drain(200);
  await assert.rejects(slow);
  agent.destroy();
});
