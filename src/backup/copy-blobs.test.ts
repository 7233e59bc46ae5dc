import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { hashOf, makeScratch, type Scratch, storedAt, writeBlob } from './backup-fixture.ts';
import { blobPath } from './blob-files.ts';
import { type BlobReport, copyBlobsAfter, copyBlobsBefore } from './copy-blobs.ts';

let scratch: Scratch;
let from: string;
let dir: string;
before(async () => {
  scratch = await makeScratch();
  from = join(scratch.folder, 'files');
  dir = join(scratch.folder, 'backups');
  await mkdir(join(dir, 'blobs'), { recursive: true });
});
after(() => scratch.remove());

/** Copies as a backup does; between the two passes, where the database is copied, `meanwhile` happens. */
async function copy(name: string, meanwhile = async (): Promise<void> => {}): Promise<BlobReport & { copied: number }> {
  const unfinished = join(dir, name);
  await mkdir(unfinished);
  let copied = 0;
  const count = (): void => {
    copied += 1;
  };
  await copyBlobsBefore({ from, dir, unfinished }, count);
  await meanwhile();
  const report = await copyBlobsAfter({ from, dir, unfinished }, count);
  assert.deepEqual(await readdir(unfinished), ['BLOBS.sha256'], 'nothing else is left of the copy');
  return { ...report, copied };
}

const listed = async (name: string): Promise<string[]> =>
  (await readFile(join(dir, name, 'BLOBS.sha256'), 'utf8')).split('\n').flatMap((line) => line.slice(0, 64) || []);

test('what is collected while the database is copied is in the backup, and so is what comes meanwhile', async () => {
  const texts = Array.from({ length: 40 }, (_, at) => `blob ${at}`);
  for (const text of texts) await writeBlob(from, text);
  const report = await copy('first', async () => {
    for (const text of texts.slice(0, 10)) await rm(join(from, blobPath(hashOf(text))));
    await writeBlob(from, 'came meanwhile');
  });
  const all = [...texts, 'came meanwhile'];
  assert.deepEqual(await listed('first'), all.map(hashOf).toSorted());
  assert.deepEqual([report.blobs, report.copied], [41, 41]);
  assert.equal(
    report.bytes,
    all.reduce((sum, text) => sum + text.length, 0),
  );
  for (const text of all) assert.equal(await readFile(storedAt(dir, text), 'utf8'), text);
});

test('the next backup copies what is new, and leaves what is there', async () => {
  const { ino } = await stat(storedAt(dir, 'blob 20'));
  await writeBlob(from, 'new');
  const report = await copy('second');
  assert.deepEqual([report.blobs, report.copied], [32, 1]);
  assert.equal((await stat(storedAt(dir, 'blob 20'))).ino, ino);
  assert.equal((await listed('second')).length, 32, 'what was collected before is not in it');
});

test('a file that was cut short in the folder of backups is copied anew', async () => {
  await writeFile(storedAt(dir, 'new'), 'n');
  assert.equal((await copy('third')).copied, 1);
  assert.equal(await readFile(storedAt(dir, 'new'), 'utf8'), 'new');
});

test('a stored file whose bytes are not those of its name is named and left out', async () => {
  const hash = await writeBlob(from, 'to be damaged');
  await writeFile(join(from, blobPath(hash)), 'to be demaged');
  const report = await copy('fourth');
  assert.deepEqual([report.damaged, report.blobs, report.copied], [[hash], 32, 0]);
  assert.ok(!existsSync(storedAt(dir, 'to be damaged')));
  assert.ok(!(await listed('fourth')).includes(hash));
});
