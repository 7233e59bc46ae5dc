import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { checkBucket } from '../../../src/artwork/drop/bucket/check-bucket.ts';
import type { UploadPermit } from '../../../src/artwork/drop/drop-schema.ts';
import { DROPPED_MS, PERMIT_MS } from '../../../src/artwork/drop/permit.ts';
import { createAuthority } from '../../harness/authority.ts';
import { BUCKET_SECRET, type Bucket, DAILY, startBucket } from '../../harness/bucket.ts';
import { eventually } from '../../harness/context.ts';
import { flat } from '../../harness/pictures.ts';
import { openRole, type PortalClient } from '../../harness/portal.ts';
import { runPlaten } from '../../harness/process.ts';
import { scratchParent } from '../../harness/scratch.ts';
import { startTestService, type TestService } from '../../harness/service.ts';
import { HOME } from '../../harness/shop.ts';

let bucket: Bucket;
let service: TestService;
let person: PortalClient;
let png: Buffer;
const lines: string[] = [];
const note = (fields: object, message: string): void => void lines.push(JSON.stringify({ message, ...fields }));

before(async () => {
  const authority = createAuthority();
  bucket = await startBucket(authority);
  service = await startTestService({
    authority,
    env: { ...bucket.env },
    log: { debug: note, info: note, warn: note, error: note },
  });
  bucket.state.origins.push(new URL(service.ctx.config.baseUrl).origin);
  person = await openRole(service, 'orders');
  png = await flat(60, 40, 'plum').png().toBuffer();
});
after(async () => {
  await service?.stop();
  await bucket.close();
});

async function permitFor(bytes: Uint8Array, by = person, type = 'image/png'): Promise<UploadPermit> {
  const { status, body, text } = await by.request<UploadPermit>('POST', '/uploads', {
    body: { type, size: bytes.length },
  });
  assert.equal(status, 201, text);
  return body;
}

type Sent = { readonly status: number; readonly headers: Headers; readonly bytes: Buffer };

/** A request as a browser sends it, by a client that trusts the authority of the tests. */
async function send(
  method: string,
  url: string,
  headers: Record<string, string> = {},
  body?: Uint8Array,
): Promise<Sent> {
  const { request } = await import('node:https');
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, ca: service.authority.caPem, headers }, (answer) => {
      const parts: Buffer[] = [];
      answer.on('data', (part: Buffer) => parts.push(part));
      answer.on('end', () => {
        const given = Object.entries(answer.headers).map(([name, value]): [string, string] => [name, String(value)]);
        resolve({ status: answer.statusCode ?? 0, headers: new Headers(given), bytes: Buffer.concat(parts) });
      });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

async function leave(
  { upload_url: url, headers }: UploadPermit,
  bytes: Uint8Array,
  changed: Record<string, string> = {},
): Promise<number> {
  const given = Object.fromEntries(headers.map(({ name, value }) => [name, value]));
  return (await send('PUT', url, { ...given, 'content-length': String(bytes.length), ...changed }, bytes)).status;
}

async function isValid(url: string): Promise<{ valid: boolean; errors?: { message: string }[] } | undefined> {
  const { body } = await service.customer.request<{ results: { valid: boolean; errors?: { message: string }[] }[] }>(
    'POST',
    '/uploads/validate',
    { urls: [url] },
  );
  return body.results[0];
}

describe('a picture in the operator’s bucket', () => {
  test('goes from the browser to the bucket, and the service fetches it by its own guard for 24 hours', async () => {
    const permit = await permitFor(png);
    assert.equal((await isValid(permit.url))?.valid, false, 'before it is left');
    assert.equal(await leave(permit, png), 200);
    assert.equal((await isValid(permit.url))?.valid, true);
    assert.ok(Math.abs(Date.parse(permit.kept_until) - Date.now() - DROPPED_MS) < 60_000);
    assert.ok(Math.abs(Date.parse(permit.upload_until) - Date.now() - PERMIT_MS) < 60_000);
    const [key = ''] = bucket.objects.keys();
    assert.match(key, /^drop\/[0-9a-f]{16}\/[0-9a-f]{32}\.png$/);
    bucket.state.aheadMs = DROPPED_MS + 1_000;
    assert.equal((await isValid(permit.url))?.valid, false, 'after 24 hours');
    bucket.state.aheadMs = 0;
  });

  test('is a download of its type, whatever was left; the bytes of a page are no artwork', async () => {
    const page = Buffer.from('<!doctype html><script>alert(1)</script>');
    const permit = await permitFor(page);
    assert.equal(await leave(permit, page), 200);
    const { headers } = await send('GET', permit.url);
    assert.deepEqual([headers.get('content-type'), headers.get('content-disposition')], ['image/png', 'attachment']);
    assert.notEqual(new URL(permit.url).origin, new URL(service.url).origin);
    assert.equal((await isValid(permit.url))?.valid, false);
    const asPage = new URL(permit.url);
    asPage.searchParams.set('response-content-type', 'text/html');
    assert.equal((await send('GET', asPage.href)).status, 403, 'the type is signed');
  });

  test('is ordered, and its signed address stands in no line of the log, no event, job or metric', async () => {
    const permit = await permitFor(png);
    assert.equal(await leave(permit, png), 200);
    const item = {
      product_id: service.demo.products.fixed,
      variant_sku: 'TEE-CLASSIC-WHT-M',
      quantity: 1,
      decoration: { areas: [{ print_area: 'front', method: 'dtg', artwork_url: permit.url }] },
    };
    const order = { items: [item], shipping_address: HOME };
    const placed = await service.customer.request<{ id: string }>('POST', '/orders', order);
    assert.equal(placed.status, 201, placed.text);
    const gone = await permitFor(png);
    item.decoration.areas[0] = { print_area: 'front', method: 'dtg', artwork_url: gone.url };
    const refused = await service.customer.request('POST', '/orders', order);
    assert.equal(refused.status, 422, refused.text);
    await eventually('the requests are logged', () => lines.some((line) => line.includes('/orders')));
    const secrets = [permit, gone].flatMap(({ url, upload_url: to }) =>
      [url, to].map((each) => new URL(each).searchParams.get('X-Amz-Signature') ?? ''),
    );
    const metrics = await (await fetch(`${service.url}/metrics`)).text();
    const rows = await Promise.all(
      ['event', 'job', 'request_log', 'webhook_delivery', 'ops_task', 'drop_use', 'operator_action'].map((table) =>
        service.ctx.database.all<{ row: string }>(
          { name: `test_rows_${table}`, text: `select t::text as row from ${table} t` },
          [],
        ),
      ),
    );
    const written = [...lines, metrics, refused.text, ...rows.flat().map(({ row }) => row)].join('\n');
    for (const secret of [...secrets, BUCKET_SECRET]) {
      assert.equal(secret.length > 20, true);
      assert.ok(!written.includes(secret), 'a secret was written');
    }
  });
});

describe('the bucket refuses', () => {
  test('bytes of another length or type, a second file by one address, and an address whose time is over', async () => {
    const permit = await permitFor(png);
    const kept = bucket.objects.size;
    assert.equal(await leave(permit, Buffer.concat([png, Buffer.from('x')])), 403, 'longer');
    assert.equal(await leave(permit, png.subarray(1)), 403, 'shorter');
    assert.equal(await leave(permit, png, { 'content-type': 'text/html' }), 403, 'another type');
    assert.equal(await leave(permit, png, { 'if-none-match': '"x"' }), 403);
    bucket.state.aheadMs = PERMIT_MS + 2_000;
    assert.equal(await leave(permit, png), 403, 'too late');
    bucket.state.aheadMs = 0;
    assert.equal(bucket.objects.size, kept);
    assert.equal(await leave(permit, png), 200, 'a lost try can be repeated');
    assert.equal(await leave(permit, png), 412, 'once it is there it stays as it is');
    assert.equal(bucket.objects.size, kept + 1);
  });

  test('an address that was changed to the file of another user, to another act, or to none', async () => {
    const other = await openRole(service, 'owner', (await service.openCustomer()).accountId);
    const [mine, theirs] = [await permitFor(png), await permitFor(png, other)];
    const [own, foreign] = [new URL(mine.url), new URL(theirs.url)];
    assert.notEqual(own.pathname.split('/')[3], foreign.pathname.split('/')[3], 'a folder for each account');
    assert.equal(await leave(theirs, png), 200);
    const asTheirs = (url: string): string => Object.assign(new URL(url), { pathname: foreign.pathname }).href;
    assert.equal((await send('GET', asTheirs(mine.url))).status, 403);
    assert.equal(await leave({ ...mine, upload_url: asTheirs(mine.upload_url) }, png), 403);
    assert.equal((await send('GET', mine.upload_url)).status, 403, 'what may be written is not read by it');
    assert.equal((await send('DELETE', mine.url)).status, 403);
    assert.equal((await send('GET', foreign.origin + foreign.pathname)).status, 403, 'unsigned');
    assert.equal((await send('GET', `${bucket.url}/?list-type=2`)).status, 403);
  });
});

test('an account has at most 100 files and 1 GiB within 24 hours, however many ask at once', async () => {
  const { accountId } = await service.openCustomer();
  const owner = await openRole(service, 'owner', accountId);
  const ask = async (size: number): Promise<number> =>
    (await owner.request('POST', '/uploads', { body: { type: 'image/png', size } })).status;
  const large = await Promise.all(Array.from({ length: 24 }, () => ask(52_428_800)));
  assert.equal(large.filter((status) => status === 201).length, 20, 'twenty of 50 MiB are 1,000 MiB');
  assert.equal(await ask(25_165_824), 201, 'to the byte');
  assert.equal(await ask(1), 409);
  const another = await openRole(service, 'owner', (await service.openCustomer()).accountId);
  for (let file = 0; file < 100; file += 1) await permitFor(Buffer.from('x'), another);
  const refused = await another.request('POST', '/uploads', { body: { type: 'image/png', size: 1 } });
  assert.deepEqual(
    [refused.status, refused.body.code, refused.body.detail.includes('24 hours')],
    [409, 'conflict', true],
  );
  service.shiftMs(DROPPED_MS + 1_000);
  const again = await openRole(service, 'owner', another.person.accountId);
  assert.equal((await again.request('POST', '/uploads', { body: { type: 'image/png', size: 1 } })).status, 201);
  const [row] = await service.ctx.database.all<{ files: number }>(
    {
      name: 'test_drop_use',
      text: 'select cardinality(permitted_at) as files from drop_use where account_id = $1',
    },
    [another.person.accountId],
  );
  assert.equal(row?.files, 1, 'what is older than a day is forgotten');
  service.shiftMs(-DROPPED_MS - 1_000);
});

test('the pages may send to the bucket’s origin, and to no other', async () => {
  const policy = (await fetch(`${service.url}/portal`)).headers.get('content-security-policy') ?? '';
  assert.ok(policy.split('; ').includes(`connect-src 'self' https://${bucket.hostPort}`), policy);
});

test('a bucket that does not serve the pages, or keeps files, is told of, without a signed address', async () => {
  const { dropBucket } = service.ctx.config;
  assert.ok(dropBucket !== undefined);
  const said = async (): Promise<string> => (await checkBucket(service.ctx, dropBucket)).join(' ');
  assert.equal(await said(), '');
  const rows: [changed: Partial<Bucket['state']>, expected: RegExp][] = [
    [{ origins: [] }, /does not allow pages of http:\S+ to PUT/],
    [{ allowedHeaders: ['content-type'] }, /CORS rules/],
    [{ lifecycle: undefined }, /no lifecycle rule that deletes what is under drop\/ after one day/],
    [{ lifecycle: DAILY.replace('Enabled', 'Disabled') }, /no lifecycle rule/],
    [{ lifecycle: DAILY.replace('>1<', '>30<') }, /no lifecycle rule/],
    [{ lifecycle: DAILY.replace('drop/', 'other/') }, /no lifecycle rule/],
    [{ lifecycle: DAILY.replace('</Prefix>', '</Prefix><Tag><Key>a</Key></Tag>') }, /no lifecycle rule/],
    [{ aheadMs: 3_600_000 }, /lifecycle of the bucket cannot be read \(it answered 403\)/],
  ];
  const good = { ...bucket.state };
  for (const [changed, expected] of rows) {
    Object.assign(bucket.state, good, changed);
    const text = await said();
    assert.match(text, expected);
    assert.doesNotMatch(text, /X-Amz|AKIDEXAMPLE|secret-of/);
  }
  Object.assign(bucket.state, good, { lifecycle: DAILY.replace('drop/', '') });
  assert.equal(await said(), '', 'a rule for the whole bucket is enough');
  const away = await checkBucket(service.ctx, { ...dropBucket, url: 'https://nowhere.example/prints' });
  assert.match(away.join(' '), /^The bucket cannot be reached\. [^?]*$/);
});

test('an operator looks at the bucket by a command, which fails when it lacks something', async (t) => {
  const folder = await mkdtemp(join(scratchParent(), 'platen-bucket-'));
  t.after(() => rm(folder, { recursive: true }));
  const own = {
    ...bucket.env,
    BASE_URL: service.ctx.config.baseUrl,
    NODE_EXTRA_CA_CERTS: await service.authority.writeCa(folder),
  };
  const look = async (env: Record<string, string>) => await runPlaten(['drop', '--check', '--json'], env);
  const good = await look(own);
  assert.deepEqual([good.status, JSON.parse(good.stdout)], [0, { bucket: bucket.url, problems: [] }], good.stderr);
  const bad = await look({ ...own, BASE_URL: 'https://elsewhere.example' });
  assert.equal(bad.status, 1);
  assert.match(bad.stdout, /does not allow pages of https:\/\/elsewhere\.example/);
  const none = await look({});
  assert.equal(none.status === 0, false);
  assert.match(none.stderr, /DROP_S3_URL must be set/);
});
