import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import type { ChannelWithSecret } from '../../../src/channels/channel-schema.ts';
import { WALK_THROUGHS } from '../../../src/http/contract/walk-throughs.ts';
import { readArtworkServer } from '../../../src/lib/outbound/artwork-server.ts';
import { eventually } from '../../harness/context.ts';
import { flat } from '../../harness/pictures.ts';
import { openRole } from '../../harness/portal.ts';
import { freePort } from '../../harness/process.ts';
import { scratchParent } from '../../harness/scratch.ts';
import { startTestService, type TestService } from '../../harness/service.ts';
import { basket } from '../../harness/shop.ts';
import { filled, snippetsOf } from './documents.ts';
import { toolsToTry } from './shell.ts';
import { memberAt, openStage, type Stage } from './stage.ts';

const SERVICE = 'http://127.0.0.1:8080';
const run = promisify(execFile);
const toolsTried = await toolsToTry();

let dataDir: string;
let service: TestService;
before(async () => {
  dataDir = await mkdtemp(join(scratchParent(), 'platen-walk-'));
  service = await startTestService({ dataDir, artworkServer: () => readArtworkServer(dataDir) });
});
after(async () => {
  await service?.stop();
  await rm(dataDir, { recursive: true, force: true });
});

for (const tools of toolsTried) {
  describe(`with curl and jq: ${tools}`, () => {
    let stage: Stage;
    before(async () => {
      stage = await openStage(service, tools);
    });
    after(() => stage.close());

    test('all three grants of OAuth give tokens that work, and a revoked one does not', async () => {
      const examples = snippetsOf('docs/walk-through-oauth.md');
      const email = `ada-${tools.length}@club.example`;
      const printed: string[] = [];
      for (const example of examples) {
        printed.push(await stage.run(filled(example, { [SERVICE]: service.url, 'ada@club.example': email })));
      }
      assert.equal(examples.length, 8);
      const [, credentials, , , , called = '', refreshed, revoked] = printed;
      const own: unknown = JSON.parse(credentials ?? '');
      assert.deepEqual(
        ['token_type', 'expires_in', 'scope'].map((name) => memberAt(own, name)),
        ['Bearer', 3_600, 'products:read'],
      );
      assert.match(String(memberAt(own, 'access_token')), /^oat_/);
      assert.deepEqual(memberAt(JSON.parse(called), 'data'), []);
      assert.deepEqual(refreshed?.trim().split(' ').toSorted(), ['orders:read', 'orders:write']);
      assert.equal(revoked, '');
      const again = (examples[6]?.code ?? '').replace('TOKENS=$(', '').replace('refresh_token)")', 'refresh_token)"');
      await assert.rejects(stage.run(again), /invalid_grant/);
    });
  });
}

test('the first webhook arrives at the receiver, by platen listen and by a subscription', async () => {
  const examples = snippetsOf('docs/walk-through-webhook.md');
  const [receiver, start, listen, subscribe] = examples;
  assert.ok(receiver !== undefined && start !== undefined && listen !== undefined && subscribe !== undefined);
  assert.equal(examples.length, 4);
  const stage = await openStage(service, toolsTried[0]);
  try {
    await installClient(stage.folder);
    const port = await freePort();
    await writeFile(join(stage.folder, 'receiver.mjs'), filled(receiver, { '3000': String(port) }));
    const lines = start.code.trim().split('\n');
    const secret = (await stage.run(lines.slice(0, -1).join('\n'))).trim();
    await stage.runBeside(lines.at(-1) ?? '', /^/);
    const values = { 'pat_live_…': service.customer.token, 'whsec_…': secret, '127.0.0.1:3000': `127.0.0.1:${port}` };
    await stage.runBeside(filled(listen, values), /Signing secret/);
    const placed = await service.customer.request<{ reference: string }>('POST', '/orders', basket(service));
    await eventually('the receiver prints the event', async () => {
      const printed = await readFile(join(stage.folder, 'beside-1.log'), 'utf8');
      return printed.includes(`order.created ${placed.body.reference}\n`);
    });

    service.stranger.serve('/hooks', { status: 204 });
    const target = { 'https://shop.example/hooks': service.stranger.url('/hooks') };
    const created: unknown = JSON.parse(
      await stage.run(filled(subscribe, { ...values, ...target, [SERVICE]: service.url })),
    );
    assert.match(String(memberAt(created, 'secret')), /^whsec_/);
  } finally {
    await stage.close();
  }
});

test('an order of a shop is signed, sent, and placed', async () => {
  const [program, start, ...more] = snippetsOf('docs/walk-through-shop.md');
  assert.ok(program !== undefined && start !== undefined && more.length === 0);
  const owner = await openRole(service, 'owner');
  const { body } = await owner.request<ChannelWithSecret>('POST', '/channels', { body: { name: 'Fern' } });
  const stage = await openStage(service, toolsTried[0]);
  try {
    await writeFile(join(stage.folder, 'send-order.mjs'), program.code);
    const values = {
      'https://print.example/channels/chan_…/orders': `${service.url}/channels/${body.channel.id}/orders`,
      'whsec_…': body.secret,
      'prod_…': service.demo.products.fixed,
    };
    assert.match(await stage.run(filled(start, values)), /^202 /);
    await eventually('it is placed', async () => {
      const { body: page } = await owner.request<{ data: { state: string }[] }>('GET', '/shop-orders');
      return page.data[0]?.state === 'placed';
    });
  } finally {
    await stage.close();
  }
});

test('an image of a folder is checked and ordered while the folder is served', async () => {
  const examples = snippetsOf('docs/walk-through-artwork.md');
  const [serve, check, order] = examples;
  assert.ok(serve !== undefined && check !== undefined && order !== undefined);
  assert.equal(examples.length, 3);
  const stage = await openStage(service, toolsTried[0]);
  try {
    await mkdir(join(stage.folder, 'artwork'));
    await flat(2_400, 2_800, 'plum')
      .png()
      .toFile(join(stage.folder, 'artwork', 'front.png'));
    const values = {
      [SERVICE]: service.url,
      'pat_live_…': service.customer.token,
      'prod_…': service.demo.products.fixed,
      '8444': String(await freePort()),
    };
    // As beside npm start, whose database is the embedded one.
    await stage.run('unset DATABASE_URL SECRET_KEY');
    await stage.runBeside(filled(serve, values), /For example {2}https:\/\/localhost:\d+\/front\.png\n/);
    const checked: unknown = JSON.parse(await stage.run(filled(check, values)));
    for (const [member, value] of [
      ['valid', true],
      ['results[].width', 2_400],
      ['results[].height', 2_800],
    ] as const) {
      assert.equal(memberAt(checked, member), value);
    }
    const placed: unknown = JSON.parse(await stage.run(filled(order, values)));
    assert.equal(memberAt(placed, 'payment_status'), 'paid');
  } finally {
    await stage.close();
  }
});

/** Installs the packed client into a folder, as its README says. */
async function installClient(folder: string): Promise<void> {
  const { stdout } = await run(process.execPath, ['sdk/pack.ts', folder]);
  const env = { ...process.env, npm_config_cache: join(folder, 'cache'), npm_config_update_notifier: 'false' };
  await writeFile(join(folder, 'package.json'), '{ "private": true }');
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', stdout.trim()], { cwd: folder, env });
}

describe('the walk-throughs as pages', () => {
  for (const { url, file } of WALK_THROUGHS) {
    test(`${url} shows ${file} without a script, and its links lead to pages`, async () => {
      const page = await fetch(service.url + url);
      const html = await page.text();
      assert.equal(page.status, 200);
      assert.match(page.headers.get('content-security-policy') ?? '', /^default-src 'none'/);
      const title = /^# (.+)$/m.exec(await readFile(join('docs', file), 'utf8'))?.[1] ?? '?';
      assert.ok(html.includes(`<h1>${title}</h1>`) && html.includes('<pre><code class="language-sh">'));
      assert.doesNotMatch(html, /<script|href="[^/"d]/);
      for (const [, path = ''] of html.matchAll(/href="(\/[^"]*)"/g)) {
        assert.equal((await fetch(service.url + path)).status, 200, path);
      }
    });
  }
});
