import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ArtworkRemark, artworkWarnings } from './artwork-warnings.ts';

const remark = (line: number, changes: Partial<ArtworkRemark> = {}): ArtworkRemark => ({
  code: 'clipped',
  message: 'A tenth is cut.',
  path: `items[${line}].product_id`,
  cause: 'product',
  line,
  ...changes,
});

test('a warning about one line is told at its member', () => {
  assert.deepEqual(artworkWarnings([remark(3)]), [
    { code: 'clipped', path: 'items[3].product_id', message: 'A tenth is cut.' },
  ]);
});

test('the same artwork on several lines is told once, with the number of the others', () => {
  assert.deepEqual(
    [
      [remark(1), remark(2)],
      [remark(1), remark(2), remark(7)],
    ].map((remarks) => artworkWarnings(remarks).map(({ path, message }) => [path, message])),
    [
      [['items[1].product_id', 'A tenth is cut. The same holds for 1 more line.']],
      [['items[1].product_id', 'A tenth is cut. The same holds for 2 more lines.']],
    ],
  );
});

test('other artwork, another code, message and member of a line are warnings of their own', () => {
  const remarks = [
    remark(0),
    remark(1, { cause: 'other' }),
    remark(2, { code: 'upscaled' }),
    remark(3, { message: 'A fifth is cut.' }),
    remark(0, { path: 'items[0].decoration.areas[1].artwork_url' }),
  ];
  assert.equal(artworkWarnings(remarks).length, 5);
});

test('an order has at most a hundred, the last of which counts what is left out', () => {
  const many = (count: number) =>
    artworkWarnings(Array.from({ length: count }, (_, at) => remark(at, { cause: `${at}` })));
  assert.equal(many(100).at(-1)?.code, 'clipped');
  const warnings = many(20_000);
  assert.equal(warnings.length, 100);
  assert.deepEqual(warnings.at(-1), {
    code: 'more_warnings',
    path: 'items[99].product_id',
    message: '19901 more warnings about artwork are left out.',
  });
});
