import assert from 'node:assert/strict';
import { test } from 'node:test';
import { jsonWithin } from './json-within.ts';

const ORDER = '{"id":7,"note":"a ] and a \\"}\\" in it","items":[{"id":1}]}';
const WANTED: unknown = JSON.parse(ORDER);

test('the JSON of an answer is found whatever plug-ins print around it', () => {
  const cases = [
    ORDER,
    `\uFEFF${ORDER}`,
    `<br />\n<b>Warning</b>: Undefined array key [0] in <b>/a/b.php</b> on line <b>3</b><br />\n${ORDER}`,
    `${ORDER}\n<!-- Page generated in {"s":0.3} by a cache -->`,
    `${ORDER}<script>var seen = [1];</script>`,
    `Notice: {broken [x]\n${ORDER}`,
    `<!-- cached -->${ORDER}`,
    `Deprecated: f() in [] at {}\n${ORDER}\nDeprecated: g() in [1, 2]`,
  ];
  for (const text of cases) assert.deepEqual(jsonWithin(text), WANTED, text);
});

test('a page for people has none, whatever its scripts hold; nor has what is cut off or no JSON', () => {
  const page = `<html><script type="application/ld+json">${ORDER}</script></html>`;
  const cases = [
    page,
    `<!DOCTYPE html>\n${page}`,
    `\n <!-- by a firewall -->${page}`,
    ORDER.slice(0, -1),
    'Error establishing a database connection',
    '',
    '['.repeat(100_000),
  ];
  for (const text of cases) assert.equal(jsonWithin(text), undefined, text.slice(0, 40));
});
