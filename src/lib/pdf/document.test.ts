import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, test } from 'node:test';
import { MM, readBarcodes, readPdf } from '../../../test/harness/pdf.ts';
import { ApiError } from '../errors.ts';
import { newId, newOrderReference, publicId, type Uuid } from '../ids.ts';
import { type Asker, OPERATORS } from '../turns/owner.ts';
import { CONTENT_WIDTH_MM, openDrawers, type PdfBlock, type PdfDocument, renderPdf } from './document.ts';

const ISSUED_AT = new Date('2026-11-22T14:30:05.678Z');
const ASKER = { owner: 'account' as Uuid };
const documentOf = (...blocks: readonly PdfBlock[]): PdfDocument => ({
  title: 'Test',
  issuedAt: ISSUED_AT,
  footer: 'foot',
  blocks,
});
const draw = async (...blocks: readonly PdfBlock[]) => readPdf(await renderPdf(documentOf(...blocks), ASKER));

describe('barcodes', () => {
  test('scan back to what they were made of, at a size that hand scanners read, inside the page', async () => {
    const texts = [
      newOrderReference(),
      publicId('line', newId()),
      'line_7zzzzzzzzzzzzzzzzzzzzzzzzz',
      '0123456789',
      'a1B2',
    ];
    const [page] = await draw(...texts.map((text): PdfBlock => ({ kind: 'barcode', text })));
    assert.ok(page);
    const found = readBarcodes(page);
    assert.deepEqual(
      found.map(({ text }) => text),
      texts,
    );
    for (const { moduleMm, widthMm, heightMm } of found) {
      assert.ok(Math.abs(moduleMm - 0.254) < 0.001, `${moduleMm}`);
      assert.ok(widthMm < 105 && heightMm >= 10, `${widthMm} by ${heightMm}`);
    }
  });
});

describe('texts', () => {
  test('Latin, Greek, Cyrillic, Devanagari, Arabic and Japanese are drawn, none as a box', async () => {
    const lines = ['Łódź naïve €5', 'Ελληνικά', 'Русский', 'Tiếng Việt', 'हिन्दी', '東京都千代田区', 'محمد'];
    const [page] = await draw({ kind: 'text', text: lines.join('\n') }, { kind: 'text', text: '日本', bold: true });
    const drawn = page?.texts.join('') ?? '';
    for (const line of [...lines.slice(0, 4), lines[5] ?? '', '日本'])
      assert.ok(drawn.includes(line), `${line} in ${drawn}`);
    assert.doesNotMatch(drawn, /\ufffd/);
  });

  test('a number in Arabic digits reads from left to right, among Arabic words and alone', async () => {
    const [page] = await draw({ kind: 'text', text: 'شارع ١٢٣' }, { kind: 'text', text: '٣٫٥' });
    assert.deepEqual(
      page?.texts.filter((text) => /[\u0660-\u0669]/.test(text)),
      ['١٢٣', '٣٫٥'],
    );
  });

  test('a long text goes on over pages, each with its foot and number, and no line is lost', async () => {
    const lines = Array.from({ length: 200 }, (_, index) => `line ${index}`);
    const pages = await draw({ kind: 'text', text: lines.join('\n') });
    assert.ok(pages.length > 1);
    pages.forEach((page, index) => {
      assert.deepEqual(page.texts.slice(-2), ['foot', `${index + 1} / ${pages.length}`]);
    });
    assert.deepEqual(
      pages.flatMap((page) => page.texts.slice(0, -2)),
      lines,
    );
  });

  test('control characters and half surrogates draw nothing and harm nothing', async () => {
    const [page] = await draw({ kind: 'text', text: 'a\u0000b\u0007\ud800c\u202ed\u2066' });
    assert.equal(page?.texts[0], 'abcd');
  });
});

describe('tables', () => {
  const columns = [
    { title: 'Name', widthMm: 140 },
    { title: 'Pieces', widthMm: 40, align: 'right' as const },
  ];

  test('1,000 rows go on over pages with their titles on each, in a thread of their own', async () => {
    const rows = Array.from({ length: 1_000 }, (_, index) => [
      `row ${index} ${'wide '.repeat(index % 40)}`,
      `${index}`,
    ]);
    const started = performance.now();
    let longest = 0;
    let last = started;
    // The thread that answers requests goes on while the document is drawn.
    const watch = setInterval(() => {
      longest = Math.max(longest, performance.now() - last);
      last = performance.now();
    }, 5);
    const pdf = await renderPdf(documentOf({ kind: 'table', columns, rows }), ASKER);
    clearInterval(watch);
    const tookMs = performance.now() - started;
    assert.ok(longest < tookMs / 2, `${longest} of ${tookMs} ms without an answer`);
    const pages = readPdf(pdf);
    assert.ok(pages.length > 20);
    for (const page of pages) assert.deepEqual(page.texts.slice(0, 2), ['Name', 'Pieces']);
    const drawn = pages.flatMap((page) => page.texts);
    for (const index of [0, 499, 999]) assert.ok(drawn.includes(`${index}`));
  });

  test('a row with a barcode stands whole on its page, and no titles stand alone at the end of one', async () => {
    const table = (count: number): PdfBlock => ({
      kind: 'table',
      columns: [
        { title: 'Item', widthMm: 49 },
        { title: 'Scan', widthMm: 104 },
        { title: 'Pieces', widthMm: 27, align: 'right' },
      ],
      rows: Array.from({ length: count }, (_, index) => [
        `item ${index}`,
        [{ kind: 'barcode', text: `line_${index}` }],
        [{ kind: 'text', text: `${index} pieces`, bold: true, align: 'right' }],
      ]),
    });
    const pages = await draw(table(40));
    assert.deepEqual(
      pages.flatMap(readBarcodes).map(({ text }) => text),
      Array.from({ length: 40 }, (_, index) => `line_${index}`),
    );
    for (const page of pages) {
      const [, ...items] = page.texts.filter((text) => /^(Item|item \d+)$/.test(text)).map((text) => text.slice(5));
      assert.deepEqual(
        readBarcodes(page).map(({ text }) => text.slice(5)),
        items,
      );
      assert.ok(page.boxes.every(({ x, width }) => x + width < 195 * MM));
    }
    // Wherever on a page a table begins.
    for (let mm = 225; mm < 262; mm += 3) {
      const below = await draw({ kind: 'gap', mm }, table(1));
      const withTitles = below.filter(({ texts }) => texts.includes('Item'));
      assert.equal(withTitles.length, 1, `${mm} mm`);
      assert.ok(withTitles[0]?.texts.includes('item 0'), `${mm} mm`);
    }
  });

  test('a cell wider than its column is broken, also inside a word', async () => {
    const [page] = await draw({ kind: 'table', columns, rows: [['x'.repeat(200), '1']] });
    const parts = page?.texts.filter((text) => /^x+$/.test(text)) ?? [];
    assert.ok(parts.length >= 2);
    assert.equal(parts.join('').length, 200);
  });
});

test('blocks beside one another are not cut by the end of a page', async () => {
  const card = (index: number): PdfBlock => ({
    kind: 'columns',
    framed: true,
    columns: [
      { widthMm: 110, blocks: [{ kind: 'barcode', text: `CARD-${index}` }] },
      { widthMm: 70, blocks: [{ kind: 'text', text: `top ${index}\nbottom ${index}` }] },
    ],
  });
  const pages = await draw(...Array.from({ length: 30 }, (_, index) => card(index)));
  assert.ok(pages.length > 1);
  const cards = pages.flatMap((page) => {
    const codes = readBarcodes(page).map(({ text }) => text.slice(5));
    for (const index of codes) {
      assert.ok(page.texts.includes(`top ${index}`) && page.texts.includes(`bottom ${index}`), index);
    }
    return codes;
  });
  assert.deepEqual(
    cards,
    Array.from({ length: 30 }, (_, index) => `${index}`),
  );
  assert.equal(CONTENT_WIDTH_MM, 180);
});

test('the file carries the time of issue of the document, and no other time', async () => {
  const pdf = (await renderPdf(documentOf({ kind: 'text', text: 'one' }), ASKER)).toString('latin1');
  assert.deepEqual(
    [...pdf.matchAll(/\((D:\d{4}[^)]*)\)/g)].map(([, time]) => time),
    ['D:20261122143005Z'],
  );
});

test('the same paper is the same bytes, and papers asked for at once do not mix', async () => {
  const documents = Array.from({ length: 6 }, (_, index) =>
    documentOf({ kind: 'text', text: `document ${index % 3}` }),
  );
  const hashes = (await Promise.all(documents.map((document) => renderPdf(document, ASKER)))).map((pdf) =>
    createHash('sha256').update(pdf).digest('hex'),
  );
  assert.deepEqual(hashes.slice(0, 3), hashes.slice(3));
  assert.equal(new Set(hashes).size, 3);
});

test('one that cannot be drawn in time is 503 and leaves its place to the next', async () => {
  const document = documentOf({ kind: 'text', text: 'late' });
  for (let round = 0; round < 3; round += 1) {
    await assert.rejects(renderPdf(document, ASKER, 1), (error) => {
      assert.ok(error instanceof ApiError);
      assert.equal(error.code, 'unavailable');
      return true;
    });
  }
  assert.ok((await renderPdf(document, ASKER)).length > 0);
});

describe('whose document is drawn next', () => {
  const OTHER = { owner: 'other' as Uuid };

  /** Drawers whose drawings end when the test says so. */
  function studio() {
    const begun: string[] = [];
    const ends = new Map<string, () => void>();
    const drawers = openDrawers(async ({ title }) => {
      begun.push(title);
      await new Promise<void>((resolve) => void ends.set(title, resolve));
      return Buffer.from(title);
    });
    const ask = (title: string, asker: Asker, rows = 0): Promise<Buffer> => {
      const table = { kind: 'table', columns: [], rows: Array.from({ length: rows }, () => []) } as const;
      return drawers.draw({ ...documentOf(table), title }, asker);
    };
    const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
    const end = async (title: string): Promise<void> => {
      ends.get(title)?.();
      await settled();
    };
    return { drawers, begun, ask, end, settled };
  }

  test('a packing slip is drawn at once, however many invoices customers wait for', async () => {
    const { begun, ask, end, settled } = studio();
    const invoices = Array.from({ length: 20 }, (_, index) => ask(`invoice ${index}`, index % 2 === 0 ? ASKER : OTHER));
    const slip = ask('packing slip', { owner: OPERATORS });
    await settled();
    assert.deepEqual(begun, ['invoice 0', 'invoice 1', 'packing slip']);
    await end('packing slip');
    assert.equal((await slip).toString(), 'packing slip');
    for (let index = 0; index < 20; index += 1) await end(`invoice ${index}`);
    await Promise.all(invoices);
  });

  test('the invoice of another account is drawn before the second of many, and a long one counts for more', async () => {
    const { begun, ask, end, settled } = studio();
    const many = ['long 1', 'long 2', 'long 3'].map((title) => ask(title, ASKER, 1_000));
    await settled();
    const few = ['short 1', 'short 2'].map((title) => ask(title, OTHER));
    await end('long 1');
    assert.deepEqual(begun, ['long 1', 'long 2', 'short 1'], 'beside another an account draws one at a time');
    await end('short 1');
    assert.equal(begun[3], 'short 2');
    for (const title of ['short 2', 'long 2', 'long 3']) await end(title);
    await Promise.all([...many, ...few]);
  });

  test('a document that is made in its turn is not made before, and never when nobody waits for it any more', async () => {
    const { drawers, begun, ask, end, settled } = studio();
    const running = ['one', 'two'].map((title) => ask(title, ASKER));
    await settled();
    const made: string[] = [];
    const caller = new AbortController();
    const later = (title: string, asker: Asker): Promise<Buffer> => {
      const make = async (): Promise<PdfDocument> => {
        made.push(title);
        return { ...documentOf(), title };
      };
      return drawers.draw({ rows: 1_000, make }, asker);
    };
    const abandoned = assert.rejects(later('abandoned', { ...OTHER, signal: caller.signal }), isUnavailable);
    const wanted = later('wanted', OTHER);
    await settled();
    assert.deepEqual(made, []);
    caller.abort();
    await abandoned;
    await end('one');
    assert.deepEqual([made, begun.at(-1)], [['wanted'], 'wanted']);
    await end('wanted');
    await end('two');
    await Promise.all([...running, wanted]);
  });

  test('a document that is not wanted any more is not drawn', async () => {
    const { drawers, begun, ask, end } = studio();
    const running = [ask('one', ASKER), ask('two', ASKER)];
    const caller = new AbortController();
    const abandoned = assert.rejects(ask('abandoned', { ...ASKER, signal: caller.signal }), isUnavailable);
    caller.abort();
    await abandoned;
    assert.equal(drawers.counts().waiting, 0);
    await end('one');
    await end('two');
    await Promise.all(running);
    assert.deepEqual(begun, ['one', 'two']);
  });

  test('one account fills its own queue, not that of another', async () => {
    const { ask, end } = studio();
    const asked = Array.from({ length: 27 }, (_, index) => ask(`mine ${index}`, ASKER));
    await assert.rejects(ask('too many', ASKER), isUnavailable);
    const others = ask('theirs', OTHER);
    for (let index = 0; index < 27; index += 1) {
      await end(`mine ${index}`);
      await end('theirs');
    }
    await Promise.all([...asked, others]);
  });

  test('the thread of a document is ended when its caller goes, and its place is free again', async () => {
    const rows = Array.from({ length: 20_000 }, (_, index) => [`row ${index}`]);
    const long = documentOf({ kind: 'table', columns: [{ title: 'row', widthMm: 180 }], rows });
    const caller = new AbortController();
    const drawing = assert.rejects(renderPdf(long, { ...ASKER, signal: caller.signal }), isUnavailable);
    await new Promise((resolve) => setTimeout(resolve, 50));
    caller.abort();
    await drawing;
    assert.ok((await renderPdf(documentOf({ kind: 'text', text: 'next' }), ASKER)).length > 0);
  });
});

function isUnavailable(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'unavailable';
}
