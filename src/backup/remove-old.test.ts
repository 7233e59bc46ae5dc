import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { makeBackup, makeScratch, type Scratch, storedAt, writeBlob } from './backup-fixture.ts';
import { chooseBackup } from './choose-backup.ts';
import { removeBackups, removeUnfinished, removeUnusedBlobs } from './remove-old.ts';

let scratch: Scratch;
let dir: string;
beforeEach(async () => {
  scratch = await makeScratch();
  dir = join(scratch.folder, 'backups');
  await mkdir(dir);
  await makeBackup(dir, '2026-01-01T00:00:00.000Z', ['old', 'of all']);
  await makeBackup(dir, '2026-02-01T00:00:00.000Z', ['middle', 'of all']);
  await makeBackup(dir, '2026-03-01T00:00:00.000Z', ['new', 'of all']);
});
afterEach(() => scratch.remove());

const present = (...texts: string[]): boolean[] => texts.map((text) => existsSync(storedAt(dir, text)));

test('a backup that is too old goes with what it alone has; what others have stays', async () => {
  assert.deepEqual(await removeBackups(dir, new Date('2026-01-02T00:00:00Z')), ['2026-01-01T00-00-00.000Z']);
  await writeBlob(join(dir, 'blobs'), 'of an interrupted backup');
  assert.equal(await removeUnusedBlobs(dir), 2);
  assert.deepEqual(present('old', 'middle', 'new', 'of all', 'of an interrupted backup'), [
    false,
    true,
    true,
    true,
    false,
  ]);
  assert.equal(await removeUnusedBlobs(dir), 0);
});

test('the newest stays, however old it is', async () => {
  assert.equal((await removeBackups(dir, new Date('2030-01-01T00:00:00Z'))).length, 2);
  assert.equal((await chooseBackup(dir, undefined)).facts.name, '2026-03-01T00-00-00.000Z');
  assert.equal(await removeUnusedBlobs(dir), 2);
  assert.deepEqual(present('new', 'of all'), [true, true]);
});

test('no stored file is removed while a list is damaged', async () => {
  const list = join(dir, '2026-02-01T00-00-00.000Z', 'BLOBS.sha256');
  const text = await readFile(list, 'utf8');
  await writeFile(list, text.slice(0, text.indexOf('\n') + 1));
  await assert.rejects(removeUnusedBlobs(dir), /BLOBS\.sha256 is damaged/);
  assert.deepEqual(present('old', 'middle', 'new', 'of all'), [true, true, true, true]);
});

test('what was interrupted is removed, and no backup with it', async () => {
  assert.equal(await removeUnfinished(dir), false);
  await mkdir(join(dir, 'unfinished-1', 'database'), { recursive: true });
  assert.equal(await removeUnfinished(dir), true);
  assert.equal((await readdir(dir)).filter((name) => name.startsWith('2026')).length, 3);
});

test('a backup is chosen by its name, or as the last up to a time', async () => {
  const choices = [
    [undefined, '2026-03'],
    ['2026-02-01T00-00-00.000Z', '2026-02'],
    ['2026-02-01', '2026-02'],
    ['2026-02-28T23:59', '2026-02'],
    ['2026-02-01T00:00:00.000Z', '2026-02'],
    ['2026-01-31T23:59:59.999Z', '2026-01'],
  ] as const;
  for (const [at, month] of choices) {
    assert.equal((await chooseBackup(dir, at)).facts.name.slice(0, 7), month, at);
  }
  await assert.rejects(chooseBackup(dir, '2025-12-31'), /no backup of 2025-12-31 or before/);
  await assert.rejects(chooseBackup(dir, 'yesterday'), /neither a time nor one of the backups: 2026-01-01T/);
});

test('one whose facts are damaged is named, and hinders no other', async () => {
  await writeFile(join(dir, '2026-03-01T00-00-00.000Z', 'backup.json'), '{"format":1}');
  await assert.rejects(chooseBackup(dir, undefined), /2026-03-01T00-00-00\.000Z\/backup\.json is damaged/);
  assert.equal((await chooseBackup(dir, '2026-02-01T00-00-00.000Z')).facts.name.slice(0, 7), '2026-02');
});
