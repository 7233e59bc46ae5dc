import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { after, afterEach, before, describe, test } from 'node:test';
import { verifyWebhook } from '../../sdk/src/index.ts';
import { signedHeaders } from '../../src/webhooks/sign.ts';
import { runManyCommands } from '../harness/command-line.ts';
import { eventually } from '../harness/context.ts';
import { environment } from '../harness/environment.ts';
import { freePort, runPlaten } from '../harness/process.ts';
import { startTestService, type TestService } from '../harness/service.ts';
import { basket } from '../harness/shop.ts';
import { LIFE_MS, type Listening, openLog, openReceiver, PROGRAM, startListening } from './listening.ts';

const running: Listening[] = [];
afterEach(async () => {
  for (const listening of running.splice(0)) await listening.stop();
});

async function listen(...options: Parameters<typeof startListening>): Promise<Listening> {
  const listening = await startListening(...options);
  running.push(listening);
  return listening;
}

describe('platen listen, beside a running service', () => {
  let service: TestService;
  let receiver: Awaited<ReturnType<typeof openReceiver>>;
  before(async () => {
    service = await startTestService();
    receiver = await openReceiver();
  });
  after(async () => {
    await receiver.close();
    await service.stop();
  });
  afterEach(() => {
    receiver.hits.length = 0;
  });

  const options = () => ['--base-url', service.url, '--forward-to', receiver.url()];
  const token = () => ({ PLATEN_TOKEN: service.customer.token });
  async function place(): Promise<string> {
    const { status, body } = await service.customer.request<{ reference: string }>('POST', '/orders', basket(service));
    assert.equal(status, 201);
    return body.reference;
  }

  test('an event that happens now arrives as a delivery would: same headers, same body, a signature that verifies', async () => {
    await place();
    const listening = await listen(token(), ...options());
    const reference = await place();
    const hit = await eventually('it is forwarded', () => receiver.hits[0]);
    const event = await verifyWebhook({ secret: listening.secret, headers: hit.headers, rawBody: hit.body });
    assert.deepEqual([event.event, event.data.reference, hit.path], ['order.created', reference, '/hooks']);
    const about = { event: event.event, eventId: event.id, subscriptionId: '', deliveryId: '', at: new Date() };
    const own = Object.keys(signedHeaders(listening.secret, { ...about, body: hit.body }));
    for (const name of own) assert.ok(typeof hit.headers[name] === 'string', name);
    assert.deepEqual([hit.headers['svc-event'], hit.headers['webhook-id']], ['order.created', event.id]);
    assert.match(String(hit.headers['svc-webhook-id']), /^whk_/);
    assert.match(String(hit.headers['svc-delivery-id']), /^dlv_/);
    const log = await service.customer.request<{ data: unknown[] }>('GET', `/events?order=${reference}`);
    assert.deepEqual(log.body.data, [event]);
    const line = await eventually('it is told', () => listening.lines[1]);
    const { ms, ...told } = line;
    assert.equal(typeof ms, 'number');
    assert.deepEqual(told, { id: event.id, event: event.event, reference, status: 204, error: null });
    assert.equal(await listening.stop(), 0);
    assert.equal(receiver.hits.length, 1, 'neither the order before nor anything twice');
    assert.equal(listening.stderr(), '');
  });

  test('only the events that are asked for, signed with the secret that is given', async () => {
    const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
    const listening = await listen(
      token(),
      ...options(),
      '--events',
      'order.cancelled,order.on_hold',
      '--secret',
      secret,
    );
    const reference = await place();
    assert.equal((await service.customer.request('POST', `/orders/${reference}/cancel`)).status, 200);
    const hit = await eventually('the cancellation is forwarded', () => receiver.hits[0]);
    const event = await verifyWebhook({ secret, headers: hit.headers, rawBody: hit.body });
    assert.equal(event.event, 'order.cancelled');
    await eventually('it is told', () => listening.lines.length === 2);
    assert.equal(await listening.stop(), 0);
    assert.equal(receiver.hits.length, 1);
  });

  test('whatever the local server answers is told, and it is asked once: a redirect is not followed', async () => {
    receiver.replies.push(500, { status: 302, location: service.url });
    const listening = await listen(token(), ...options());
    const reference = await place();
    assert.equal((await service.customer.request('POST', `/orders/${reference}/cancel`)).status, 200);
    await eventually('both are told', () => listening.lines.length === 3);
    assert.deepEqual(
      listening.lines.slice(1).map(({ status }) => status),
      [500, 302],
    );
    await listening.stop();
    assert.equal(receiver.hits.length, 2);
  });

  test('a local server that restarts misses nothing', async () => {
    const listening = await listen(token(), ...options());
    await receiver.close();
    const [first, second] = [await place(), await place()];
    await eventually('it waits for the server', () => listening.stderr().includes('nothing listens there'));
    await receiver.open();
    await eventually('both are forwarded', () => listening.lines.length === 3);
    assert.deepEqual(
      listening.lines.slice(1).map(({ reference, status }) => [reference, status]),
      [
        [first, 204],
        [second, 204],
      ],
    );
    assert.equal(receiver.hits.length, 2);
  });

  test('a token that the service refuses ends it with status 1 and one line', async () => {
    const refused = await runPlaten(['listen', '--token', 'pat_live_nobody', ...options()], {});
    assert.deepEqual([refused.status, refused.stdout], [1, '']);
    assert.match(refused.stderr, /^platen: unauthorized: [^\n]+\n$/);
    const { token: narrow } = await service.openCustomer({ scopes: ['products:read'] });
    const lacking = await runPlaten(['listen', '--token', narrow, ...options()], {});
    assert.deepEqual([lacking.status, lacking.stdout], [1, '']);
    assert.match(lacking.stderr, /^platen: insufficient_scope: [^\n]+\n$/);
  });

  test('a person reads where, with which secret, and a line for each event', async () => {
    const child = spawn(process.execPath, [PROGRAM, 'listen', ...options()], {
      env: environment(token()),
      stdio: ['ignore', 'pipe', 'inherit'],
      timeout: LIFE_MS,
    });
    let shown = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      shown += chunk;
    });
    await eventually('it says that it listens', () => shown.includes('Signing secret'), LIFE_MS);
    const reference = await place();
    await eventually('the event is told', () => shown.includes('204 in'));
    child.kill('SIGTERM');
    await once(child, 'exit');
    assert.equal(child.exitCode, 0);
    assert.match(shown, new RegExp(`Forwarding to  ${receiver.url()}\nSigning secret whsec_\\S{44}\n`));
    assert.match(shown, new RegExp(`\\d\\d:\\d\\d:\\d\\d  order\\.created +${reference}  evt_\\w+  204 in \\d+ ms\n$`));
  });
});

describe('platen listen, whatever the service does', () => {
  test('it begins at the time of the service, reads on from the last event, and gives each once over a restart', async () => {
    const [log, receiver] = await Promise.all([openLog(), openReceiver()]);
    const listening = await listen({}, '--token', 't', '--base-url', log.url, '--forward-to', receiver.url());
    await eventually('it reads the log', () => log.queries.length > 0);
    for (const id of ['evt_a', 'evt_b', 'evt_c']) log.write(id);
    await eventually('three are forwarded', () => listening.lines.length === 4);
    await log.close();
    await eventually('it says so', () => listening.stderr().includes('trying again'));
    log.write('evt_d');
    log.refusals.push({ status: 503 }, { status: 429, retryAfter: '1' });
    await log.open();
    await eventually('the fourth is forwarded', () => listening.lines.length === 5);
    assert.deepEqual(
      receiver.hits.map(({ headers }) => headers['webhook-id']),
      ['evt_a', 'evt_b', 'evt_c', 'evt_d'],
    );
    assert.match(log.queries[0] ?? '', /^\?since=2026-11-21T09%3A30%3A00\.000Z&limit=100$/);
    assert.ok(log.queries.includes('?cursor=evt_b&limit=100') && log.queries.includes('?cursor=evt_c&limit=100'));
    assert.match(
      listening.stderr(),
      /^platen: The service cannot be reached[^\n]+\nplaten: The service answers again\.\n$/,
    );
    assert.equal(await listening.stop(), 0);
    await Promise.all([log.close(), receiver.close()]);
  });

  test('it waits for a service that is not there yet, and Ctrl-C ends the wait', async () => {
    const port = await freePort();
    const child = spawn(
      process.execPath,
      [
        PROGRAM,
        'listen',
        '--token',
        't',
        '--base-url',
        `http://127.0.0.1:${port}`,
        '--forward-to',
        'http://127.0.0.1:1/',
      ],
      { env: environment({}), stdio: ['ignore', 'ignore', 'pipe'], timeout: LIFE_MS },
    );
    let stderr = '';
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      stderr += chunk;
    });
    await eventually('it says that it waits', () => stderr.includes('trying again'), LIFE_MS);
    child.kill('SIGINT');
    await once(child, 'exit');
    assert.equal(child.exitCode, 0);
    assert.match(stderr, /^platen: [^\n]+\n$/);
  });
});

describe('a wrong argument ends platen listen with status 2 and one line, and nobody is asked', () => {
  const good = { '--token': 't', '--base-url': 'http://127.0.0.1:1', '--forward-to': 'http://127.0.0.1:1/' };
  const rows: [changes: Record<string, string | undefined>, word: string][] = [
    [{ '--token': undefined }, '--token'],
    [{ '--token': 'a b' }, 'token'],
    [{ '--forward-to': undefined }, '--forward-to'],
    [{ '--forward-to': 'https://shop.example/hooks' }, 'localhost'],
    [{ '--forward-to': 'http://192.168.0.2/' }, 'localhost'],
    [{ '--base-url': 'print.example' }, 'baseUrl'],
    [{ '--events': 'order.created,order.returned' }, 'order.on_hold'],
    [{ '--events': '' }, 'order.on_hold'],
    [{ '--secret': 'secret' }, 'whsec_'],
  ];
  test('all of them', async () => {
    const asked = rows.map(([changes]) => [
      'listen',
      ...Object.entries({ ...good, ...changes }).flatMap(([name, value]) => (value === undefined ? [] : [name, value])),
    ]);
    for (const [at, { status, stdout, stderr }] of (await runManyCommands(asked, {})).entries()) {
      assert.deepEqual([status, stdout], [2, ''], stderr);
      assert.match(stderr, /^platen: [^\n]+\n$/);
      assert.ok(stderr.includes(rows[at]?.[1] ?? 'a row'), stderr);
    }
  });

  test('--help explains it', async () => {
    const { status, stdout } = await runPlaten(['listen', '--help'], {});
    assert.equal(status, 0);
    for (const word of ['--token', 'PLATEN_TOKEN', '--base-url', '--forward-to', '--events', '--secret', '--json']) {
      assert.ok(stdout.includes(word), word);
    }
  });
});
