import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { findRunningPostgres } from '@platen/embedded-postgres';
import { eventually } from '../../harness/context.ts';
import { environment } from '../../harness/environment.ts';
import { freePort, runPlaten } from '../../harness/process.ts';
import { scratchParent } from '../../harness/scratch.ts';
import { HOME } from '../../harness/shop.ts';

const WITHIN_MS = 120_000;

type Account = {
  readonly paid_by: string;
  readonly token: string;
  readonly products: { readonly fixed: string };
};
type Started = {
  readonly sandbox: boolean;
  readonly url: string;
  readonly port: number;
  readonly data_dir: string;
  readonly ignored: readonly string[];
  readonly accounts: readonly Account[];
  readonly operator_token: string;
};
type Placed = { readonly id: string; readonly reference: string; readonly payment_status: string };
type Seen = { readonly type?: string; readonly event?: string; readonly data: { readonly reference?: string } };

let folder: string;
let realDir: string;
let env: Record<string, string>;
let child: ChildProcess;
let started: Started;
let stderr = '';

before(async () => {
  folder = await mkdtemp(join(scratchParent(), 'platen-sandbox-'));
  realDir = join(folder, 'real');
  env = {
    DATA_DIR: realDir,
    PORT: String(await freePort()),
    // Nothing listens there: a sandbox that looked would not start.
    DATABASE_URL: 'postgresql://platen:secret@127.0.0.1:1/real',
    SECRET_KEY: 'the-key-of-the-real-installation-0123456789',
    STRIPE_SECRET_KEY: 'sk_live_real',
    BLOB_STORE: `file:${join(folder, 'real-blobs')}`,
    SELLER_NAME: 'Real Prints Ltd',
    SELLER_ADDRESS: '1 Mill Lane, Leeds, LS1 4DY, GB',
    SELLER_VAT_NUMBER: 'GB123456782',
    LOG_LEVEL: 'warn',
  };
  const args = ['src/bin/platen.js', 'sandbox', '--json', '--port', '0', '--speed', '3600'];
  child = spawn(process.execPath, [resolve(args[0] ?? ''), ...args.slice(1)], {
    cwd: folder,
    env: environment({ ...env, HOME: folder }),
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: WITHIN_MS * 2,
    killSignal: 'SIGKILL',
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  assert.ok(child.stdout !== null);
  const line = await Promise.race([
    once(createInterface({ input: child.stdout }), 'line').then(([first]) => String(first)),
    once(child, 'exit').then(() => undefined),
  ]);
  assert.ok(line !== undefined, `it did not start: ${stderr}`);
  started = JSON.parse(line) as Started;
});
after(async () => {
  if (child.exitCode === null && child.signalCode === null) {
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  }
  await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
});

async function call<T>(token: string, path: string, body?: object): Promise<T> {
  const response = await fetch(`${started.url}${path}`, {
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
  });
  const text = await response.text();
  assert.ok(response.ok, `${path}: ${response.status} ${text}`);
  return JSON.parse(text) as T;
}

function accountPaidBy(method: string): Account {
  const found = started.accounts.find(({ paid_by: paidBy }) => paidBy === method);
  assert.ok(found !== undefined, method);
  return found;
}

function place({ token, products }: Account, more: { sku?: string; external?: string } = {}): Promise<Placed> {
  const { sku = 'TEE-CLASSIC-BLK-M', external } = more;
  const job = { area: 'left_sleeve', method: 'embroidery' };
  return call<Placed>(token, '/api/v1/orders', {
    type: 'bulk',
    items: [{ product_id: products.fixed, variant_sku: sku, quantity: 2, print_jobs: [job] }],
    shipping_address: HOME,
    ...(external === undefined ? {} : { external_reference: external }),
  });
}

async function eventsOf({ token }: Account, reference: string): Promise<string[]> {
  const { data } = await call<{ data: Seen[] }>(token, '/api/v1/events?limit=100');
  return data.filter((seen) => seen.data.reference === reference).map(({ event, type }) => event ?? type ?? '');
}

/** Asks seldom enough for the limit of requests of a token. */
function untilIt<T>(what: string, holds: () => Promise<T | undefined | false>): Promise<T> {
  const slowly = async (): Promise<T | undefined | false> => {
    await delay(250);
    return holds();
  };
  return eventually(what, slowly, WITHIN_MS);
}

describe('platen sandbox beside a real installation', () => {
  test('says to people and to clients at / that it is a sandbox', async () => {
    const at = (accept: string) => fetch(`${started.url}/`, { headers: { accept } });
    assert.equal(((await (await at('application/json')).json()) as { sandbox: boolean }).sandbox, true);
    assert.match(await (await at('text/html')).text(), /<strong>This is a sandbox<\/strong>: nothing is made/);
  });

  test('has the demo shop as seller: its invoices do not bear the name and the VAT number of the real one', async () => {
    const rich = accountPaidBy('balance');
    const { id } = await place(rich);
    const invoice = await untilIt('the invoice is issued', async () => {
      const response = await fetch(`${started.url}/api/v1/orders/${id}/invoice`, {
        headers: { authorization: `Bearer ${rich.token}` },
      });
      return response.ok ? ((await response.json()) as { seller: { name: string; vat_number: string } }) : undefined;
    });
    assert.deepEqual([invoice.seller.name, invoice.seller.vat_number], ['Demo Print Shop', 'GB999999973']);
  });

  test('orders walk on by themselves, and magic values fail as the table says', async () => {
    assert.equal(started.sandbox, true);
    assert.deepEqual(started.ignored, [
      ...['BLOB_STORE', 'DATABASE_URL', 'SECRET_KEY'],
      ...['SELLER_ADDRESS', 'SELLER_NAME', 'SELLER_VAT_NUMBER', 'STRIPE_SECRET_KEY'],
    ]);
    const rich = accountPaidBy('balance');
    const processing = accountPaidBy('pm_card_processing');
    const waiting = await place(processing);
    assert.equal(waiting.payment_status, 'processing');
    const declined = await place(accountPaidBy('pm_card_declined'));
    assert.equal(declined.payment_status, 'failed');
    const charged = await place(accountPaidBy('pm_card_ok'));
    assert.equal(charged.payment_status, 'paid');
    await assert.rejects(place(rich, { sku: 'TEE-CLASSIC-NVY-S' }), /409 .*"out_of_stock"/);
    // Each is accepted alone; the three pieces go to the first.
    await place(rich, { sku: 'TEE-CLASSIC-NVY-M' });
    const short = await place(rich, { sku: 'TEE-CLASSIC-NVY-M' });
    const held = await place(rich, { external: 'hold-1' });
    const order = await place(rich);

    const wanted = ['order.created', 'order.in_production', 'order.shipment_created', 'order.dispatched'];
    for (const [account, { reference }] of [
      [rich, order],
      [accountPaidBy('pm_card_ok'), charged],
    ] as const) {
      await untilIt('the order is dispatched', async () =>
        (await eventsOf(account, reference)).includes('order.dispatched'),
      );
      assert.deepEqual((await eventsOf(account, reference)).toSorted(), wanted.toSorted());
    }
    type Read = {
      state: string;
      history: { action: string; actor: string }[];
      shipments: { tracking_number: string }[];
    };
    const ops = (id: string): Promise<Read> => call<Read>(started.operator_token, `/ops/v1/orders/${id}`);
    const { history, shipments } = await ops(order.id);
    assert.deepEqual(
      history.map(({ action }) => action),
      ['place', 'promote', 'start_line', 'finish', 'ship'],
    );
    assert.equal(history.at(-1)?.actor, 'operator sandbox@platen.example');
    assert.equal(shipments[0]?.tracking_number, `SBX-${order.reference}`);

    assert.ok((await eventsOf(rich, held.reference)).includes('order.on_hold'));
    assert.equal((await ops(held.id)).state, 'on_hold');
    assert.deepEqual([(await ops(short.id)).state], ['placed']);
    const lacking = await call<{ data: { id: string }[] }>(started.operator_token, '/ops/v1/orders?needs=stock');
    assert.deepEqual(
      lacking.data.map(({ id }) => id),
      [short.id],
    );
    await untilIt('the processing card is declined', async () =>
      (await eventsOf(processing, waiting.reference)).includes('order.payment_failed'),
    );
    assert.ok((await eventsOf(accountPaidBy('pm_card_declined'), declined.reference)).includes('order.payment_failed'));

    await call(started.operator_token, `/ops/v1/orders/${held.id}/resume`, {});
    await untilIt('the resumed order is dispatched', async () => (await ops(held.id)).state === 'dispatched');
  });

  test('its books are clean, the real installation is untouched, and Ctrl-C ends everything', async () => {
    const verified = await runPlaten(['verify', '--json'], { DATA_DIR: started.data_dir });
    assert.equal(verified.status, 0, `${verified.stdout}${verified.stderr}`);
    assert.equal(started.data_dir, join(realDir, 'sandbox'));
    assert.deepEqual(await readdir(realDir), ['sandbox']);
    assert.equal(existsSync(join(folder, 'real-blobs')), false);
    const gone = once(child, 'exit');
    child.kill('SIGINT');
    await gone;
    assert.equal(child.exitCode, 0, stderr);
    assert.equal(await findRunningPostgres(started.data_dir), undefined);
    await assert.rejects(fetch(`${started.url}/healthz`));
  });
});

test('wrong arguments and the folder of a real installation are refused in one line', async () => {
  const used = join(folder, 'used');
  await mkdir(used, { recursive: true });
  await writeFile(join(used, 'secret.key'), 'a key');
  const settings = { DATA_DIR: used, PORT: String(await freePort()) };
  const rows: [args: string[], word: string][] = [
    [['--speed', '0'], '--speed'],
    [['--speed', '3601'], '--speed'],
    [['--port', '70000'], '--port'],
    [['--data-dir', used], 'DATA_DIR of the real installation'],
    [['--data-dir', folder], 'no sandbox made'],
  ];
  for (const [args, word] of rows) {
    const { status, stdout, stderr: said } = await runPlaten(['sandbox', ...args], settings);
    assert.deepEqual([status, stdout], [2, ''], said);
    assert.match(said, /^platen: [^\n]+\n$/);
    assert.ok(said.includes(word), said);
  }
  assert.deepEqual(await readdir(used), ['secret.key'], 'nothing is written');
});
