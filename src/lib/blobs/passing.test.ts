import assert from 'node:assert/strict';
import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { openPassing, PASSING_MS } from './passing.ts';

let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'platen-passing-'));
});
after(() => rm(folder, { recursive: true, force: true }));

const nameOf = (digit: string, rest = ''): string => `${digit.repeat(64)}${rest}`;

async function keep(passing: ReturnType<typeof openPassing>, name: string, ageMs = 0): Promise<void> {
  const from = join(folder, 'scratch');
  await writeFile(from, name);
  await passing.keep(from, name);
  const at = new Date(Date.now() - ageMs);
  await utimes(join(folder, 'passing', name.slice(0, 2), name), at, at);
}

async function isThere(passing: ReturnType<typeof openPassing>, name: string): Promise<boolean> {
  const file = await passing.open(name);
  file?.stream.destroy();
  return file !== undefined;
}

test('a file is there for an hour after it was last wanted, and then the sweep deletes it', async () => {
  const passing = openPassing(join(folder, 'passing'));
  assert.equal(await passing.sweep(), 0, 'a store that never had one has no folder');
  await keep(passing, nameOf('a'), PASSING_MS + 60_000);
  await keep(passing, nameOf('b'), PASSING_MS + 60_000);
  await keep(passing, nameOf('c'), PASSING_MS - 60_000);
  assert.deepEqual([await passing.renew(nameOf('b')), await passing.renew(nameOf('d'))], [true, false]);
  assert.equal(await passing.sweep(), 1);
  const left = await Promise.all(['a', 'b', 'c'].map((digit) => isThere(passing, nameOf(digit))));
  assert.deepEqual(left, [false, true, true]);
});

test('of too many the oldest go, and all that are of one hash go with it', async () => {
  const passing = openPassing(join(folder, 'passing'), { filesMax: 2 });
  for (const name of [nameOf('b'), nameOf('c')]) await keep(passing, name, 2_000);
  await keep(passing, nameOf('e', '.96.clear'));
  await keep(passing, nameOf('e', '.640.ffffff'));
  assert.equal(await passing.sweep(), 2);
  assert.deepEqual([await isThere(passing, nameOf('b')), await isThere(passing, nameOf('c'))], [false, false]);
  await passing.removeOf(nameOf('e'));
  assert.equal(await isThere(passing, nameOf('e', '.640.ffffff')), false);
});

test('a name that is no hash is refused: no path is made of it', async () => {
  const passing = openPassing(join(folder, 'passing'));
  for (const name of ['../../etc/passwd', `${nameOf('a')}/..`, `${nameOf('a')}.../x`, '']) {
    await assert.rejects(passing.open(name), /named by a hash/, name);
  }
});
