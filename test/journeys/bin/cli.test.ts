import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { findRunningPostgres } from '@platen/embedded-postgres';
import { markedProcesses, serverMark } from '@platen/embedded-postgres/processes';
import type { DemoReport } from '../../../src/bin/seed-demo.ts';
import { createAuthority } from '../../harness/authority.ts';
import { assertOneLine, runManyCommands } from '../../harness/command-line.ts';
import { eventually } from '../../harness/context.ts';
import type { CommandResult } from '../../harness/environment.ts';
import { flat } from '../../harness/pictures.ts';
import { freePort, runCommand, runPlaten, type ServiceProcess, startServiceProcess } from '../../harness/process.ts';
import { HOME } from '../../harness/shop.ts';
import { type Stranger, startStranger } from '../../harness/stranger.ts';

const CATALOGUE = new URL('../../../data/demo/catalogue.json', import.meta.url).pathname;

let folder: string;
let env: Record<string, string>;
let stranger: Stranger;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'platen-cli-'));
  const authority = createAuthority();
  stranger = await startStranger({ authority, hostnames: ['127.0.0.1'] });
  env = {
    DATA_DIR: join(folder, 'data'),
    PORT: String(await freePort()),
    WEBHOOK_FLUSH_SECONDS: '0',
    TRUSTED_PRIVATE_HOSTS: stranger.hostPort,
    NODE_EXTRA_CA_CERTS: await authority.writeCa(folder),
    LOG_LEVEL: 'error',
  };
});
after(async () => {
  await stranger.close();
  await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
});

const run = (...args: string[]): Promise<CommandResult> => runPlaten(args, env);
/** As `run`, for what a command does rather than how its process begins and ends. */
const ask = (...args: string[]): Promise<CommandResult> => runCommand(args, env);

/** Nothing but one line of JSON on standard output, with exactly these keys. */
function assertJson(result: CommandResult, ...keys: string[]): Record<string, unknown> {
  assert.deepEqual([result.status, result.stderr], [0, '']);
  assert.match(result.stdout, /^\{[^\n]*\}\n$/);
  const value = JSON.parse(result.stdout) as Record<string, unknown>;
  assert.deepEqual(Object.keys(value).toSorted(), keys.toSorted());
  return value;
}

test('--version prints the version of the package, without a database', async () => {
  const { version } = JSON.parse(await readFile('package.json', 'utf8')) as { version: string };
  assert.deepEqual(await runPlaten(['--version'], {}), { status: 0, stdout: `${version}\n`, stderr: '' });
});

describe('--help explains each command and ends with status 0, without a database', () => {
  const commands = [
    '',
    'serve',
    'migrate',
    'seed',
    'seed demo',
    'account',
    'account create',
    'account credit',
    'account payment-method',
    'token',
    'token mint',
    'token revoke',
    'operator',
    'operator create',
    'operator token',
    'operator disable',
    'operator enable',
    'operator list',
    'catalogue',
    'catalogue import',
    'stock',
    'stock set',
    'backup',
    'restore',
    'drill',
    'serve-artwork',
    'sandbox',
    'verify',
  ];
  test('all of them', async () => {
    const asked = commands.map((command) => [...command.split(' ').filter((part) => part !== ''), '--help']);
    for (const [at, { status, stdout, stderr }] of (await runManyCommands(asked, env)).entries()) {
      assert.deepEqual([status, stderr], [0, ''], commands[at]);
      assert.ok(stdout.startsWith(`Usage: platen ${commands[at]}`.trim()), stdout);
    }
    const first = await run('--help');
    assert.deepEqual([first.status, first.stdout.startsWith('Usage: platen')], [0, true]);
  });
});

describe('a wrong argument ends with status 2 and one line that says what is wrong', () => {
  const account = `acct_${'0'.repeat(26)}`;
  const cases: [args: string, ...words: string[]][] = [
    ['', 'command is missing'],
    ['account', 'command is missing'],
    ['sevre', 'sevre'],
    ['account crate', 'crate'],
    ['serve --role cook', 'cook', 'worker'],
    ['serve --rol api', '--rol'],
    ['migrate now', 'too many arguments'],
    ['account create', '--name'],
    ['account create --name A --balance 1.005', '1.005'],
    ['account create --name A --balance -5', '-5', '0 or more'],
    ['account create --name A --vat-number 123456789', '123456789', 'GB or XI'],
    ['account credit --account nobody --amount 5', 'nobody', 'acct_'],
    [`account credit --account ${account} --amount 0`, 'above zero'],
    [`account credit --account ${account}`, '--amount'],
    [`account payment-method --account ${account} --kind cheque --reference pm_1`, 'cheque', 'direct_debit'],
    [`account payment-method --account ${account} --kind card`, '--reference'],
    [`token mint --account ${account} --scopes orders:read,orders:eat`, 'orders:write'],
    ['token revoke --id 7', 'tok_'],
    ['operator create --email a@shop.example --password short', 'password', '12'],
    ['operator create --email a --password long-enough-1', 'email'],
    ['operator create --email a@shop.example --password long-enough-1 --role boss', 'boss', 'viewer'],
    ['operator token', '--email'],
    ['catalogue import', 'file'],
    ['catalogue import /nowhere/catalogue.json', '/nowhere/catalogue.json'],
    ['stock set --sku A --on-hand many', 'many'],
    ['stock set --sku A --on-hand -1', '-1'],
    ['verify --quickly', '--quickly'],
  ];
  test('all of them', async () => {
    const asked = cases.map(([args]) => args.split(' ').filter((part) => part !== ''));
    for (const [at, result] of (await runManyCommands(asked, env)).entries()) {
      const [, ...words] = cases[at] ?? [];
      assertOneLine(result, 2, ...words);
    }
  });

  test('a catalogue file that is not JSON', async () => {
    const file = join(folder, 'not.json');
    await writeFile(file, '{');
    assertOneLine(await run('catalogue', 'import', file), 2, 'not.json', 'JSON');
  });

  test('a setting that cannot be used, named', async () => {
    for (const [name, value] of Object.entries({ PORT: 'http', LOG_LEVEL: 'loud', STRIPE_HOST: 'localhost' })) {
      const result = await runPlaten(['serve'], { ...env, [name]: value });
      assertOneLine(result, 2, name);
    }
  });
});

test('a database that cannot be reached ends a command with status 1 and one line', async () => {
  const away = { ...env, DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none', SECRET_KEY: 'k'.repeat(32) };
  for (const args of [['migrate'], ['verify', '--json'], ['seed', 'demo']]) {
    assertOneLine(await runPlaten(args, away), 1, 'database');
  }
});

/** Every command of a working day. */
async function assertCommandsWork(): Promise<DemoReport> {
  assertJson(await ask('migrate', '--json'), 'applied', 'version', 'moved');
  const demo = assertJson(await ask('seed', 'demo', '--small', '--json'), 'account_id', 'token', 'products');
  const opening = [
    'account',
    'create',
    '--name',
    'A',
    '--balance',
    '100.00',
    '--vat-number',
    'gb 123 4567 89',
    '--json',
  ];
  const { id } = assertJson(await ask(...opening), 'id');
  assert.match(String(id), /^acct_/);
  const poor = assertJson(await ask('account', 'create', '--name', 'B', '--balance', '0', '--json'), 'id');
  const topUp = ['account', 'credit', '--account', String(poor.id), '--amount', '0.01', '--json'];
  assert.equal(assertJson(await ask(...topUp), 'posted', 'balance', 'settled_orders').balance, 0.01);
  const credit = ['account', 'credit', '--account', String(id), '--amount', '50.5', '--reference', 'R', '--json'];
  const posted = assertJson(await ask(...credit), 'posted', 'balance', 'settled_orders');
  assert.deepEqual(posted, { posted: true, balance: 150.5, settled_orders: 0 });
  assert.deepEqual(JSON.parse((await ask(...credit)).stdout), { posted: false, balance: 150.5, settled_orders: 0 });
  assertOneLine(await ask(...credit.with(5, '51')), 1, 'another amount');
  const nobody = '0'.repeat(26);
  assertOneLine(await ask(...credit.with(3, `acct_${nobody}`)), 1, 'no such account');
  assertOneLine(await ask('token', 'mint', '--account', `acct_${nobody}`), 1, 'no such account');
  assertOneLine(await ask('token', 'revoke', '--id', `tok_${nobody}`), 1, 'no such token');
  const method = [
    'account',
    'payment-method',
    '--account',
    String(id),
    '--kind',
    'card',
    '--reference',
    'pm_1',
    '--json',
  ];
  const chosen = assertJson(await ask(...method), 'account_id', 'kind', 'reference', 'checked', 'settled_orders');
  assert.deepEqual([chosen.checked, chosen.settled_orders], [false, 0], 'there is no provider to ask');
  const mint = ['token', 'mint', '--account', String(id), '--scopes', 'orders:read', '--json'];
  const minted = assertJson(await ask(...mint), 'id', 'token', 'scopes');
  assert.deepEqual(minted.scopes, ['orders:read']);
  const revoked = assertJson(await ask('token', 'revoke', '--id', String(minted.id), '--json'), 'id', 'revoked');
  assert.equal(revoked.id, minted.id);
  const imported = await ask('catalogue', 'import', CATALOGUE, '--json');
  assertJson(imported, 'base_products', 'variants', 'price_book_version');
  const stock = await ask('stock', 'set', '--sku', 'TEE-CLASSIC-WHT-M', '--on-hand', '40', '--json');
  assert.deepEqual(assertJson(stock, 'sku', 'on_hand'), { sku: 'TEE-CLASSIC-WHT-M', on_hand: 40 });
  const verified = assertJson(await ask('verify', '--json'), 'ok', 'checks', 'violations');
  assert.equal(verified.ok, true);
  return demo as DemoReport;
}

test('with no service running a command starts the database for its own time and leaves nothing running', async () => {
  assertJson(await run('migrate', '--json'), 'applied', 'version', 'moved');
  assertJson(await run('seed', 'demo', '--small', '--json'), 'account_id', 'token', 'products');
  const { id } = assertJson(await run('account', 'create', '--name', 'Before', '--json'), 'id');
  assertJson(await run('token', 'mint', '--account', String(id), '--json'), 'id', 'token', 'scopes');
  assert.equal(assertJson(await run('verify', '--json'), 'ok', 'checks', 'violations').ok, true);
  assert.deepEqual(await markedProcesses(await serverMark(env.DATA_DIR ?? '')), []);
});

describe('beside a running service', () => {
  let service: ServiceProcess;
  let demo: DemoReport;
  before(async () => {
    service = await startServiceProcess(env);
  });
  after(async () => {
    if (service.isRunning()) await service.kill();
  });

  test('the commands reach its database through DATA_DIR, and the service sees what they did', async () => {
    demo = await assertCommandsWork();
    const response = await fetch(`${service.url}/api/v1/stock?variant_sku=TEE-CLASSIC-WHT-M`, {
      headers: { authorization: `Bearer ${demo.token}` },
    });
    const body = (await response.json()) as { data: { available: number }[] };
    assert.deepEqual([response.status, body.data[0]?.available], [200, 40]);
    assert.ok(service.isRunning());
  });

  test('a failure ends with status 1 and one line, and what it was about is unchanged', async () => {
    const nobody = `acct_${'0'.repeat(26)}`;
    assertOneLine(await ask('account', 'credit', '--account', nobody, '--amount', '5'), 1);
    assertOneLine(await ask('token', 'mint', '--account', nobody, '--json'), 1);
    const method = ['account', 'payment-method', '--account', nobody, '--kind', 'card', '--reference', 'pm_1'];
    assertOneLine(await ask(...method), 1);
    assertOneLine(await ask('token', 'revoke', '--id', `tok_${'0'.repeat(26)}`), 1);
    assertOneLine(await ask('stock', 'set', '--sku', 'NO-SUCH', '--on-hand', '1'), 1, 'NO-SUCH');
    const file = join(folder, 'half.json');
    const catalogue = JSON.parse(await readFile(CATALOGUE, 'utf8')) as { base_products: { title?: string }[] };
    for (const product of catalogue.base_products) delete product.title;
    await writeFile(file, JSON.stringify(catalogue));
    assertOneLine(
      await ask('catalogue', 'import', file),
      1,
      'problems',
      'base_products[0].title',
      'base_products[1].title',
    );
  });

  test('without --json a command answers a person', async () => {
    const { status, stdout, stderr } = await ask('account', 'create', '--name', 'A person');
    assert.deepEqual([status, stderr], [0, '']);
    assert.match(stdout, /^Opened account acct_\w+\.\n$/);
  });

  test('a second service on the same DATA_DIR is refused in one line that names it, and the first goes on', async () => {
    const result = await runPlaten(['serve'], { ...env, PORT: '0', TRUSTED_PRIVATE_HOSTS: '' });
    assertOneLine(result, 1, env.DATA_DIR ?? '', `process ${service.pid}`);
    assert.equal((await fetch(`${service.url}/readyz`)).status, 200);
  });

  test('a port that is taken ends the service with status 1 and one line, and leaves nothing running', async () => {
    const dataDir = join(folder, 'taken');
    const result = await runPlaten(['serve'], { DATA_DIR: dataDir, PORT: String(service.port), LOG_LEVEL: 'error' });
    assertOneLine(result, 1, String(service.port));
    assert.ok(!existsSync(dataDir), 'nothing was made for a service that cannot listen');
  });

  test('N199 SIGTERM lets the order under way finish, answers it, and ends with status 0', async () => {
    const picture = await flat(400, 400, '#123456').png().toBuffer();
    let release = (): void => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    stranger.serve('/slow.png', async (_hit, response) => {
      await released;
      response.end(picture);
    });
    const areas = [{ print_area: 'front', method: 'dtg', artwork_url: stranger.url('/slow.png') }];
    const item = {
      product_id: demo.products.fixed,
      variant_sku: 'TEE-CLASSIC-WHT-M',
      quantity: 1,
      decoration: { areas },
    };
    const placing = fetch(`${service.url}/api/v1/orders`, {
      method: 'POST',
      headers: { authorization: `Bearer ${demo.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ items: [item], shipping_address: HOME }),
    });
    await eventually('the artwork is being fetched', () => stranger.hits.some((hit) => hit.path === '/slow.png'));
    const stopped = service.stop();
    await eventually('no new connection is taken', async () => {
      const isRefused = await fetch(`${service.url}/healthz`, { headers: { connection: 'close' } }).then(
        () => false,
        () => true,
      );
      return isRefused;
    });
    assert.ok(service.isRunning());
    release();
    const response = await placing;
    assert.equal(response.status, 201, await response.text());
    assert.equal(await stopped, 0);
    assert.equal(await findRunningPostgres(env.DATA_DIR ?? ''), undefined);
    assert.deepEqual(await markedProcesses(await serverMark(env.DATA_DIR ?? '')), []);
    assertJson(await run('verify', '--json'), 'ok', 'checks', 'violations');
  });
});
