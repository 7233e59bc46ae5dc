import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isSafeFileName, namedAs, safeFileName } from './file-name.ts';

const CASES: readonly (readonly [text: string, name: string])[] = [
  ['PF-2345ABCD-job-sheet.pdf', 'PF-2345ABCD-job-sheet.pdf'],
  ['PF-2345ABCD_line_01_left sleeve.png', 'PF-2345ABCD_line_01_left-sleeve.png'],
  ['a"; filename=b\r\nx: y', 'a-filename-b-x-y'],
  ['../../etc/passwd', '-..-etc-passwd'],
  ['.profile', 'profile'],
  ['胸元.png', '-.png'],
  ['x'.repeat(300), 'x'.repeat(200)],
];

test('a file is saved under a name that no header, browser or file system reads otherwise', () => {
  for (const [text, name] of CASES) {
    assert.equal(safeFileName(text), name);
    assert.ok(isSafeFileName(name) && (text === name || !isSafeFileName(text)), text);
    assert.deepEqual(namedAs(text), { 'content-disposition': `inline; filename="${name}"` });
  }
  assert.ok(!isSafeFileName(''));
});
