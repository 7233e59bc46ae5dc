import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { after, afterEach, before, describe, test } from 'node:test';
import { eventually } from '../harness/context.ts';
import { flat } from '../harness/pictures.ts';
import { openPremises, type Premises, pictureOrder, teeOrder, written } from '../harness/premises.ts';
import { type ServiceProcess, startServiceProcess } from '../harness/process.ts';
import { newReference } from '../harness/shop.ts';

/** What is under way has this long to end. */
const GRACE_MS = 30_000;

let premises: Premises;
let service: ServiceProcess;
/** Lets the stranger's server answer. */
let release: () => void;
before(async () => {
  premises = await openPremises({ LOG_LEVEL: 'info' });
  const picture = await flat(400, 400, '#765432').png().toBuffer();
  premises.stranger.serve('/slow.png', async (_hit, response) => {
    await new Promise<void>((resolve) => {
      release = resolve;
    });
    response.end(picture);
  });
});
afterEach(async () => {
  if (service?.isRunning()) await service.kill();
});
after(() => premises.close());

type Client = {
  /** Everything that came. */
  readonly received: () => string;
  /** How the other side ended the connection. */
  readonly ended: () => 'in order' | 'reset' | undefined;
  readonly send: (text: string) => void;
  readonly close: () => void;
};

/** A client on a bare connection, which sees what an HTTP library would smooth over. */
function openClient(): Client {
  const socket: Socket = connect({ port: service.port, host: '127.0.0.1', noDelay: true });
  let received = '';
  let ended: 'in order' | 'reset' | undefined;
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    received += chunk;
  });
  socket.on('end', () => {
    ended ??= 'in order';
  });
  socket.on('error', () => {
    ended ??= 'reset';
  });
  return {
    received: () => received,
    ended: () => ended,
    send: (text) => void socket.write(text),
    close: () => socket.destroy(),
  };
}

function head(method: string, path: string, body = ''): string {
  const lines = [
    `${method} /api/v1${path} HTTP/1.1`,
    'host: shop.example',
    `authorization: Bearer ${premises.demo.token}`,
    ...(body === '' ? [] : ['content-type: application/json', `content-length: ${Buffer.byteLength(body)}`]),
  ];
  return `${lines.join('\r\n')}\r\n\r\n`;
}

/** The statuses of all answers that came on a connection. */
const statuses = (client: Client): number[] =>
  [...client.received().matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status));

describe('SIGTERM under load', () => {
  test('N199 what was sent is answered, within 30 s; no connection, busy or idle, is reset; new ones are refused; status 0', async () => {
    service = await startServiceProcess(premises.env);
    const idle = Array.from({ length: 40 }, openClient);
    for (const client of idle) client.send(head('GET', '/products?limit=1'));
    await eventually('the idle ones have been served once', () =>
      idle.every((client) => statuses(client).length === 1),
    );

    const external_reference = newReference();
    const slow = openClient();
    const order = JSON.stringify(pictureOrder(premises, '/slow.png', { external_reference }));
    slow.send(head('POST', '/orders', order) + order);
    await eventually('its artwork is being fetched', () =>
      premises.stranger.hits.some(({ path }) => path === '/slow.png'),
    );

    // Half a request each: its head or body is still on the way when the signal comes.
    const halves = Array.from({ length: 10 }, (_, at) => {
      const reference = newReference();
      const body = JSON.stringify(teeOrder(premises, { external_reference: reference }));
      const whole = head('POST', '/orders', body) + body;
      const cut = at % 2 === 0 ? whole.length - 40 : 60;
      const client = openClient();
      client.send(whole.slice(0, cut));
      return { client, reference, rest: whole.slice(cut) };
    });

    // Customers who ask again as soon as they are answered, until they are told that the connection ends.
    let isLoadOver = false;
    let served = 0;
    const busy = Array.from({ length: 20 }, async () => {
      const client = openClient();
      for (let asked = 1; ; asked += 1) {
        client.send(head('GET', '/orders?limit=1'));
        await eventually('the answer', () => statuses(client).length >= asked || client.ended() !== undefined);
        served += 1;
        const last = client.received().slice(client.received().lastIndexOf('HTTP/1.1'));
        if (client.ended() !== undefined || /\r\nconnection: close\r\n/i.test(last)) {
          await eventually('the connection has ended', () => client.ended() !== undefined);
          return { client, asked };
        }
        assert.ok(!isLoadOver, 'the service was gone and somebody was still being served');
      }
    });
    await eventually('there is a load', () => served > 200);

    const startedMs = performance.now();
    const stopped = service.stop();
    await eventually('new connections are refused', async () => {
      const late = openClient();
      await eventually('an end', () => late.ended() !== undefined || !service.isRunning());
      late.close();
      return late.ended() === 'reset' && service.isRunning();
    });
    for (const { client, rest } of halves) client.send(rest);
    const loads = await Promise.all(busy);
    release();
    assert.equal(await stopped, 0);
    isLoadOver = true;
    assert.ok(performance.now() - startedMs < GRACE_MS);

    for (const { client, asked } of loads) {
      assert.deepEqual(statuses(client), new Array(asked).fill(200), 'every request that was sent has its answer');
    }
    for (const { client, reference } of halves) {
      assert.deepEqual(statuses(client), [201], client.received());
      assert.deepEqual(await written(premises, reference), { orders: 1, charges: 1 });
    }
    assert.deepEqual(statuses(slow), [201], slow.received());
    assert.deepEqual(await written(premises, external_reference), { orders: 1, charges: 1 });
    const all = [...idle, slow, ...halves.map(({ client }) => client), ...loads.map(({ client }) => client)];
    assert.deepEqual(
      all.map((client) => client.ended()),
      new Array(all.length).fill('in order'),
    );
    assert.equal(await premises.violations(), '');
    for (const client of all) client.close();
  });
});

describe('an operation that fails in a way nobody foresaw', () => {
  test('N201 it is 500 as JSON with a request id, which the log has with the cause; the process goes on', async () => {
    service = await startServiceProcess(premises.env);
    assert.equal((await premises.call('GET', '/webhooks'))?.status, 200);
    // A bug as good as any: the statement of the operation names what is not there.
    await premises.query('alter table webhook_subscription rename to webhook_subscription_away');
    const failed = await Promise.all(Array.from({ length: 5 }, () => premises.call('GET', '/webhooks')));
    await premises.query('alter table webhook_subscription_away rename to webhook_subscription');
    for (const reply of failed) {
      assert.equal(reply?.status, 500, reply?.text);
      assert.equal(reply.headers.get('content-type'), 'application/json');
      const error = JSON.parse(reply.text) as { code: string; request_id: string };
      assert.equal(error.code, 'internal_error');
      assert.match(error.request_id, /^req_/);
      assert.equal(reply.headers.get('x-request-id'), error.request_id);
      assert.doesNotMatch(reply.text, /webhook_subscription|relation|stack|\.ts/, 'nothing of the inside');
      await eventually('it is in the log', () =>
        service
          .logged()
          .split('\n')
          .some((line) => line.includes(error.request_id) && line.includes('does not exist')),
      );
    }
    assert.equal((await premises.call('GET', '/webhooks'))?.status, 200);
    assert.ok(service.isRunning());
  });
});

describe('an error that nobody caught', () => {
  /** Code of ours that goes wrong outside of every request, brought about from outside by a signal. */
  const BUGS: readonly { name: string; code: string }[] = [
    { name: 'a promise that is rejected and left alone', code: 'Promise.reject(new Error("a bug of ours"))' },
    { name: 'an error thrown in a timer', code: 'setImmediate(() => { throw new Error("a bug of ours"); })' },
    { name: 'something thrown that is no error', code: 'setImmediate(() => { throw "a bug of ours"; })' },
  ];

  for (const { name, code } of BUGS) {
    test(`N201 ${name}: the order under way is answered, the log says what it was, and the process ends with status 1`, async () => {
      const preload = `data:text/javascript,${encodeURIComponent(`process.on('SIGUSR2', () => { ${code}; });`)}`;
      service = await startServiceProcess({ ...premises.env, NODE_OPTIONS: `--import=${preload}` });
      const external_reference = newReference();
      const hits = premises.stranger.hits.length;
      const placing = premises.call('POST', '/orders', pictureOrder(premises, '/slow.png', { external_reference }));
      await eventually('its artwork is being fetched', () => premises.stranger.hits.length > hits);
      process.kill(service.pid, 'SIGUSR2');
      await eventually('it is in the log', () => service.logged().includes('an error was not caught: stopping'));
      // A second one on the way out changes nothing.
      process.kill(service.pid, 'SIGUSR2');
      await eventually('no new connection is taken', async () => (await premises.call('GET', '/orders')) === undefined);
      release();
      const placed = await placing;
      assert.equal(placed?.status, 201, placed?.text);
      await eventually('the process has ended', () => !service.isRunning(), GRACE_MS);
      assert.equal(await service.stop(), 1);
      const line = service
        .logged()
        .split('\n')
        .find((text) => text.includes('an error was not caught'));
      assert.match(line ?? '', /"level":"error".*a bug of ours/);
      assert.deepEqual(await written(premises, external_reference), { orders: 1, charges: 1 });
    });
  }

  test('N201 while it is still starting: it ends with status 1 too, and the next start is as good as ever', async () => {
    const code = 'setImmediate(() => { throw new Error("a bug of ours"); });';
    const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(code)}`;
    const how = await startServiceProcess({ ...premises.env, NODE_OPTIONS }).then(
      async (started) => {
        service = started;
        await eventually('it ends by itself', () => !started.isRunning(), GRACE_MS);
        return `ended with ${await started.stop()}: ${started.logged()}`;
      },
      (error: unknown) => String(error),
    );
    assert.match(how, /ended with 1: [\s\S]*a bug of ours/);
    service = await startServiceProcess(premises.env);
    assert.equal((await premises.call('GET', '/orders'))?.status, 200);
    assert.equal(await premises.violations(), '');
  });
});
