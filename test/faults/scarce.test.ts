import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { closeSync, constants, openSync, readdirSync, readFileSync, readSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { after, afterEach, before, describe, test } from 'node:test';
import type { CreatedOrder, Order } from '../../src/orders/schema.ts';
import { eventually } from '../harness/context.ts';
import { flat } from '../harness/pictures.ts';
import { openPremises, type Premises, pictureOrder, type Reply, written } from '../harness/premises.ts';
import { type ServiceProcess, startServiceProcess } from '../harness/process.ts';
import { newReference } from '../harness/shop.ts';

let premises: Premises;
let service: ServiceProcess | undefined;
before(async () => {
  premises = await openPremises();
  const colours = ['#102030', '#203040', '#304050', '#405060'];
  for (const [at, colour] of colours.entries()) {
    premises.stranger.serve(`/scarce-${at}.png`, { body: await flat(400, 400, colour).png().toBuffer() });
  }
});
afterEach(async () => {
  if (service?.isRunning() === true) await service.kill();
});
after(() => premises.close());

const parse = <Body>(reply: Reply): Body => JSON.parse(reply?.text ?? '{}') as Body;

describe('the log goes to a pipe that nobody reads', { skip: process.platform === 'win32' }, () => {
  /** More lines than a pipe holds: each is about 200 bytes, and a pipe 64 KiB. */
  const REQUESTS = 2_000;

  test('N216 requests are served, orders are placed, and the end is as clean as ever; once it is read the log goes on', async () => {
    const path = join(premises.folder, 'log');
    execFileSync('mkfifo', [path]);
    const pipe = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
    service = await startServiceProcess({ ...premises.env, LOG_LEVEL: 'info' }, [], { logFd: pipe });
    await ask(REQUESTS);
    const external_reference = newReference();
    const placed = await premises.call(
      'POST',
      '/orders',
      pictureOrder(premises, '/scarce-0.png', { external_reference }),
    );
    assert.equal(placed?.status, 201, placed?.text);
    const cancelled = await premises.call('POST', `/orders/${parse<CreatedOrder>(placed).id}/cancel`);
    assert.equal(cancelled?.status, 200, cancelled?.text);

    const kept = readPipe(pipe);
    const linesKept = kept.split('\n').length;
    assert.ok(linesKept > 0 && linesKept < REQUESTS, `the pipe held ${linesKept} lines of more than ${REQUESTS}`);
    await eventually('what was kept back follows', () =>
      readPipe(pipe).includes('"route":"/api/v1/orders/:id/cancel"'),
    );

    await ask(REQUESTS);
    assert.equal(await service.stop(), 0, 'and it ends although nobody reads the rest');
    closeSync(pipe);
  });

  async function ask(count: number): Promise<void> {
    let left = count;
    const lanes = Array.from({ length: 8 }, async () => {
      while (left > 0) {
        left -= 1;
        const reply = await premises.call('GET', '/products?limit=1');
        assert.equal(reply?.status, 200, reply?.text);
      }
    });
    await Promise.all(lanes);
  }

  function readPipe(pipe: number): string {
    const buffer = Buffer.alloc(1024 * 1024);
    try {
      return buffer.toString('utf8', 0, readSync(pipe, buffer));
    } catch {
      return '';
    }
  }
});

describe('the process may open 256 files', { skip: process.platform !== 'linux' }, () => {
  const FILES = 256;

  test('N218 with all of them taken by connections an order is 503 or done, never half; when they go, all is as before', async () => {
    const running = await startServiceProcess(premises.env, [], { before: `ulimit -n ${FILES}` });
    service = running;
    assert.match(readFileSync(`/proc/${running.pid}/limits`, 'utf8'), new RegExp(`Max open files +${FILES} +${FILES}`));
    // A connection from before the rush, as a careful customer keeps one.
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    assert.equal((await over(agent, 'GET', '/orders')).status, 200);

    const crowd = await rush(running, 2 * FILES);
    const references = Array.from({ length: 4 }, newReference);
    const statuses: number[] = [];
    for (const [at, external_reference] of references.entries()) {
      await crowd.fill();
      const order = pictureOrder(premises, `/scarce-${at}.png`, { external_reference });
      const answer = await over(agent, 'POST', '/orders', order);
      statuses.push(answer.status);
      assert.ok([201, 503].includes(answer.status), `${answer.status} ${answer.text}`);
      if (answer.status === 503) assert.ok(answer.retryAfter, 'it says when to come back');
      const { orders, charges } = await written(premises, external_reference);
      assert.deepEqual([orders, charges], answer.status === 201 ? [1, 1] : [0, 0]);
    }
    assert.ok(statuses.includes(503), `the files did run out: ${statuses.join(', ')}`);
    await crowd.fill();
    const target = await over(agent, 'POST', '/webhooks', { url: premises.stranger.url('/hook') });
    assert.ok([201, 503].includes(target.status), target.text);
    const read = await over(agent, 'GET', '/orders');
    assert.ok([200, 503].includes(read.status), read.text);
    assert.ok(running.isRunning());

    crowd.leave();
    for (const [at, external_reference] of references.entries()) {
      const order = pictureOrder(premises, `/scarce-${at}.png`, { external_reference });
      const placed = await eventually('the order is placed', async () => {
        const reply = await premises.call('POST', '/orders', order);
        return reply?.status === 200 || reply?.status === 201 ? parse<CreatedOrder>(reply) : undefined;
      });
      assert.deepEqual(await written(premises, external_reference), { orders: 1, charges: 1 });
      await eventually('its print files are made', async () => {
        const found = parse<Order>(await premises.call('GET', `/orders/${placed.id}`));
        return found.items?.every((line) => line.artwork_ready);
      });
    }
    agent.destroy();
    assert.equal(await running.stop(), 0);
    assert.equal(await premises.violations(), '');
  });

  test('N218 with none left, neither the picture nor its address is blamed: both are our own trouble, and over when a file is free', async () => {
    const script = join(premises.folder, 'none-left.mjs');
    const source = (path: string): string => JSON.stringify(new URL(`../../src/${path}`, import.meta.url).href);
    await writeFile(
      script,
      `import { closeSync, openSync } from 'node:fs';
       import { openImagePool } from ${source('artwork/image-pool.ts')};
       import { createOutbound } from ${source('lib/outbound/outbound.ts')};
       const pictures = openImagePool();
       const outbound = createOutbound({ trustedPrivateHosts: new Set(['127.0.0.1:9']) });
       const task = { message: { kind: 'inspect', path: '/none', mime: 'image/png' }, bytes: 1, cpuMs: 9e3, fallbackMs: 9e3, wallMs: 9e3 };
       const download = { owner: 'service', maxBytes: 10, timeoutMs: 5_000, redirectsMax: 0, path: '/dev/null' };
       const ends = async (work) => { try { return (await work).kind; } catch (error) { return error.code ?? error.name; } };
       const ask = async () => [await ends(pictures.run(task)), await ends(outbound.download('https://127.0.0.1:9/', download))];
       const held = [];
       try { for (;;) held.push(openSync('/dev/null')); } catch {}
       const without = await ask();
       for (const fd of held) closeSync(fd);
       const withFiles = await ask();
       await pictures.close();
       await outbound.close();
       console.log(JSON.stringify({ without, withFiles }));`,
    );
    const command = `ulimit -n ${FILES} && exec "$@"`;
    const printed = execFileSync('/bin/sh', ['-c', command, 'sh', process.execPath, script], { encoding: 'utf8' });
    assert.deepEqual(JSON.parse(printed), {
      without: ['ChildPoolUnavailable', 'unavailable'],
      withFiles: ['answered', 'failed'],
    });
  });

  type Crowd = {
    /** Takes what has become free in between; returns once the service has no file left. */
    readonly fill: () => Promise<void>;
    readonly leave: () => void;
  };

  /** Opens connections until the service has no file left. Those that it turns away are closed. */
  async function rush(running: ServiceProcess, most: number): Promise<Crowd> {
    const sockets = new Set<Socket>();
    const joinIn = (): void => {
      const socket = connect(running.port, '127.0.0.1');
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => sockets.delete(socket));
      socket.resume();
    };
    const taken = (): number => readdirSync(`/proc/${running.pid}/fd`).length;
    const fill = async (): Promise<void> => {
      await eventually('the service has no file left', () => {
        for (let free = FILES - taken() + 1; free > 0 && sockets.size < most; free -= 1) joinIn();
        return taken() >= FILES - 1;
      });
    };
    await fill();
    return {
      fill,
      leave: () => {
        for (const socket of sockets) socket.destroy();
      },
    };
  }

  type Got = { readonly status: number; readonly text: string; readonly retryAfter: string | undefined };

  function over(agent: Agent, method: string, path: string, body?: object): Promise<Got> {
    return new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer ${premises.demo.token}`, 'content-type': 'application/json' };
      const port = Number(premises.env.PORT);
      const sent = request({ port, host: '127.0.0.1', agent, method, path: `/api/v1${path}`, headers }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk;
        });
        response.once('end', () => {
          resolve({ status: response.statusCode ?? 0, text, retryAfter: response.headers['retry-after'] });
        });
      });
      sent.once('error', reject);
      sent.end(body === undefined ? undefined : JSON.stringify(body));
    });
  }
});
