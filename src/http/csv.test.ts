import assert from 'node:assert/strict';
import { test } from 'node:test';
import Fastify from 'fastify';
import { nullable, pageSchema } from '../lib/schemas.ts';
import { Type } from '../lib/typebox.ts';
import { csvList, sendCsv } from './csv.ts';

const Record = Type.Object({
  id: Type.String(),
  pieces: Type.Integer(),
  open: Type.Boolean(),
  account: nullable(Type.Object({ name: Type.String(), tags: Type.Array(Type.String()) })),
  lines: Type.Array(Type.Object({ sku: Type.String() })),
  detail: Type.Object({}, { additionalProperties: true }),
});

const LIST = csvList({
  csv: 'data',
  path: '/accounts/:id/things/open',
  query: Type.Object({ limit: Type.Optional(Type.String()), cursor: Type.Optional(Type.String()) }),
  replies: { 200: pageSchema(Record) },
});

type Page = { readonly data: readonly unknown[]; readonly next_cursor: string | null };

/** A server that answers with pages by cursor. Says which queries it was asked. */
async function serve(t: { after: (end: () => Promise<void>) => void }, pageAt: (cursor: string | undefined) => Page) {
  const asked: unknown[] = [];
  const server = Fastify();
  server.get('/', (request, reply) =>
    sendCsv(reply, LIST, request.query as object as Readonly<globalThis.Record<string, unknown>>, async (query) => {
      asked.push(query);
      return { status: 200, body: pageAt(query.cursor as string | undefined) };
    }),
  );
  const url = await server.listen({ host: '127.0.0.1', port: 0 });
  t.after(() => server.close());
  return { url, asked };
}

const record = (id: string, more: object = {}) => ({
  id,
  pieces: -3,
  open: true,
  account: { name: 'Ada & Söhne', tags: ['a', 'b'] },
  lines: [{ sku: 'A' }, { sku: 'B' }],
  detail: { why: 'lost, "really"' },
  ...more,
});

test('a record is a row: members of objects have columns, lists of objects are counted, null is empty', async (t) => {
  const { url } = await serve(t, () => ({ data: [record('1'), record('2', { account: null })], next_cursor: null }));
  const answer = await fetch(url);
  assert.equal(answer.headers.get('content-type'), 'text/csv; charset=utf-8; header=present');
  assert.equal(answer.headers.get('content-disposition'), 'attachment; filename="accounts-things-open.csv"');
  assert.equal(
    await answer.text(),
    [
      'id,pieces,open,account.name,account.tags,lines,detail',
      '1,-3,true,Ada & Söhne,a; b,2,"{""why"":""lost, \\""really\\""""}"',
      '2,-3,true,,,2,"{""why"":""lost, \\""really\\""""}"',
      '',
    ].join('\r\n'),
  );
});

test('a text that a spreadsheet would run as a formula begins with an apostrophe; a number below zero does not', async (t) => {
  const texts = ['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', "it's"];
  const { url } = await serve(t, () => ({ data: texts.map((text) => record(text)), next_cursor: null }));
  const rows = (await (await fetch(url)).text()).split('\r\n').slice(1, -1);
  assert.deepEqual(
    rows.map((row) => row.split(',').slice(0, 2)),
    [
      ["'=1+1", '-3'],
      ["'+1", '-3'],
      ["'-1", '-3'],
      ["'@SUM(A1)", '-3'],
      ["'\t=1", '-3'],
      ["it's", '-3'],
    ],
  );
});

test('without a limit every page is read, each once, and the header stands once', async (t) => {
  const pages: globalThis.Record<string, Page> = {
    first: { data: [record('1'), record('2')], next_cursor: 'b' },
    b: { data: [], next_cursor: 'c' },
    c: { data: [record('3')], next_cursor: null },
  };
  const { url, asked } = await serve(t, (cursor = 'first') => pages[cursor] as Page);
  const text = await (await fetch(url)).text();
  assert.deepEqual(
    text.split('\r\n').map((row) => row.split(',')[0]),
    ['id', '1', '2', '3', ''],
  );
  assert.deepEqual(
    asked.map((query) => ({ ...(query as object) })),
    [{ limit: '100' }, { limit: '100', cursor: 'b' }, { limit: '100', cursor: 'c' }],
  );
});

test('with a limit it is one page, and the next is named', async (t) => {
  const { url, asked } = await serve(t, () => ({ data: [record('1')], next_cursor: 'b c' }));
  const answer = await fetch(`${url}?limit=1`);
  assert.equal((await answer.text()).split('\r\n').length, 3);
  assert.equal(answer.headers.get('link'), '<?limit=1&cursor=b+c>; rel="next"');
  assert.equal(asked.length, 1);
});

test('a page that fails after the first cuts the connection: no file looks whole that is not', async (t) => {
  const { url } = await serve(t, (cursor) => {
    if (cursor !== undefined) throw new Error('the database is away');
    return { data: [record('1')], next_cursor: 'b' };
  });
  const answer = await fetch(url);
  assert.equal(answer.status, 200);
  await assert.rejects(answer.text());
});

test('HEAD has the headers of the whole list and reads no more than its first page', async (t) => {
  const { url, asked } = await serve(t, () => ({ data: [record('1')], next_cursor: 'b' }));
  const answer = await fetch(url, { method: 'HEAD' });
  assert.equal(answer.headers.get('content-type'), 'text/csv; charset=utf-8; header=present');
  assert.equal(await answer.text(), '');
  // Whatever would still be read for it is read before the answer to a later request.
  await fetch(`${url}?limit=1`);
  assert.deepEqual(
    asked.map((query) => ({ ...(query as object) })),
    [{ limit: '100' }, { limit: '1' }],
  );
});

test('what the first page refuses is an ordinary error', async (t) => {
  const { url } = await serve(t, () => {
    throw new Error('no');
  });
  assert.equal((await fetch(url)).status, 500);
});

test('a link, which has no header Accept, asks by format, gives the file its name, and keeps asking so by the page', async (t) => {
  const { url, asked } = await serve(t, () => ({ data: [record('1')], next_cursor: 'b' }));
  const answer = await fetch(`${url}?limit=1&format=csv`);
  assert.equal(answer.headers.get('content-disposition'), 'attachment');
  assert.equal(answer.headers.get('link'), '<?limit=1&cursor=b&format=csv>; rel="next"');
  assert.deepEqual({ ...(asked[0] as object) }, { limit: '1' }, 'the operation knows nothing of it');
});
