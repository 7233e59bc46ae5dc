import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { generateApi } from 'swagger-typescript-api';
import { API_ROUTES } from '../../src/app/service.ts';
import { checkAnswer } from '../harness/contract.ts';
import { closeWindow, openFloor, placeOrder, ship, untilReady } from '../harness/floor.ts';
import { leaveFailed } from '../harness/print-workers.ts';
import { startTestService, type TestService } from '../harness/service.ts';
import { servePicture, teeItem } from '../harness/shop.ts';
import { committedDocument } from './committed.ts';

/** An order of one line. */
type Placed = { id: string; lineId: string };

/** The part of the stranger's program that is used here; the rest of its types are checked where it stands. */
type Stranger = {
  callEverything: (
    api: unknown,
    given: { pictureUrl: string; hookUrl: string; personalisedId: string; sent: Placed; failed: Placed; late: Placed },
  ) => Promise<Record<string, { status: number; data: unknown }>>;
};
type Generated = { Api: new (options: object) => unknown };

let folder: string;
let service: TestService;

before(async () => {
  service = await startTestService();
  folder = await mkdtemp(join(tmpdir(), 'platen-client-'));
  await writeFile(join(folder, 'openapi.json'), committedDocument().document);
  const { files } = await generateApi({
    input: join(folder, 'openapi.json'),
    output: false,
    httpClientType: 'fetch',
    generateResponses: true,
    silent: true,
  });
  const source = files[0]?.fileContent ?? '';
  await writeFile(join(folder, 'Api.ts'), source);
  await writeFile(join(folder, 'calls.ts'), await readFile('test/contract/stranger-calls.ts.txt', 'utf8'));
  for (const name of ['Api', 'calls']) {
    const typed = await readFile(join(folder, `${name}.ts`), 'utf8');
    await writeFile(join(folder, `${name}.mjs`), stripTypeScriptTypes(typed, { mode: 'transform' }));
  }
});
after(async () => {
  await service.stop();
  await rm(folder, { recursive: true, force: true });
});

test('a client that a public generator makes of the document passes the strictest type check, and so do calls of every operation', async () => {
  const compilerOptions = {
    strict: true,
    noEmit: true,
    target: 'es2024',
    module: 'nodenext',
    moduleResolution: 'nodenext',
    lib: ['es2024', 'dom', 'dom.iterable'],
    types: [],
    allowImportingTsExtensions: true,
  };
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['Api.ts', 'calls.ts'] }));
  await symlink(resolve('node_modules'), join(folder, 'node_modules'));
  const checked = await promisify(execFile)(process.execPath, [
    resolve('node_modules/typescript/bin/tsc'),
    '-p',
    folder,
  ]).catch((failure: { stdout: string }) => failure);
  assert.equal(checked.stdout, '');
});

/** An order of one blank tee that has left. */
async function sendOne(): Promise<Placed> {
  const floor = await openFloor(service);
  const { id, items } = await placeOrder(service, { items: [teeItem(service, { print_jobs: [] })] });
  const lineId = items.lineItems[0]?.id ?? assert.fail('no line');
  await floor.post(`/orders/${id}/promote`);
  await floor.post(`/orders/${id}/lines/${lineId}/start`);
  await ship(floor, id, [{ line_id: lineId, quantity: 1 }]);
  return { id, lineId };
}

/** An order of one blank tee that its customer can no longer cancel. */
async function closeOne(): Promise<Placed> {
  const order = await placeOrder(service, { items: [teeItem(service, { print_jobs: [] })] });
  await closeWindow(service, order);
  return { id: order.id, lineId: order.items.lineItems[0]?.id ?? assert.fail('no line') };
}

/** An order of one tee whose print file could not be made. */
async function failOne(): Promise<Placed> {
  const artwork_url = await servePicture(service, '/failed.png', { widthPx: 900, heightPx: 900, colour: 'teal' });
  const areas = [{ print_area: 'front', method: 'dtg', artwork_url }];
  const order = await placeOrder(service, { items: [teeItem(service, { decoration: { areas } })] });
  await untilReady(await openFloor(service), order.id);
  await leaveFailed(service, order);
  return { id: order.id, lineId: order.items.lineItems[0]?.id ?? assert.fail('no line') };
}

test('it drives every operation of the running service, and every answer is what the document says', async () => {
  const answers: string[] = [];
  const { Api } = (await import(pathToFileURL(join(folder, 'Api.mjs')).href)) as Generated;
  const { callEverything } = (await import(pathToFileURL(join(folder, 'calls.mjs')).href)) as Stranger;
  const api = new Api({
    baseUrl: `${service.url}/api/v1`,
    baseApiParams: { headers: { authorization: `Bearer ${service.customer.token}` } },
    customFetch: async (url: string, init: RequestInit) => {
      const response = await fetch(url, init);
      const path = url.slice(`${service.url}/api/v1`.length);
      const method = init.method ?? 'GET';
      const text = await response.clone().text();
      checkAnswer(method, path, { status: response.status, headers: response.headers, text });
      answers.push(`${method} ${path.split('?', 1)[0]}`);
      return response;
    },
  });
  service.stranger.serve('/hook', { status: 204 });
  const made = await callEverything(api, {
    pictureUrl: await servePicture(service, '/stranger.png', { widthPx: 1_200, heightPx: 1_400, colour: 'plum' }),
    hookUrl: service.stranger.url('/hook'),
    personalisedId: service.demo.products.personalised,
    sent: await sendOne(),
    failed: await failOne(),
    late: await closeOne(),
  });

  const operations = API_ROUTES.map(({ operationId }) => operationId);
  assert.deepEqual(Object.keys(made).toSorted(), operations.toSorted(), 'operations that the stranger does not call');
  for (const { operationId, replies } of API_ROUTES) {
    const status = made[operationId]?.status ?? 0;
    const isQuote = ['quoteShipping', 'quoteTax'].includes(operationId);
    assert.ok(isQuote ? status === 501 : Object.hasOwn(replies, status), `${operationId} was answered ${status}`);
  }
  assert.ok(answers.length > operations.length);
});
