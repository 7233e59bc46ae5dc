import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { hashOf, makeBackup, makeScratch, type Scratch, SILENT, storedAt, writeBlob } from './backup-fixture.ts';
import { blobPath } from './blob-files.ts';
import type { Backup } from './layout.ts';
import { type ReadReport, type RestoreTarget, restoreFiles } from './restore-files.ts';

let scratch: Scratch;
let dir: string;
let backup: Backup;
before(async () => {
  scratch = await makeScratch();
  dir = join(scratch.folder, 'backups');
  await mkdir(dir);
  backup = await makeBackup(dir, '2026-01-02T03:04:05.678Z', ['one', 'two']);
});
after(() => scratch.remove());

let restores = 0;
async function restoreInto(changes: Partial<RestoreTarget> = {}): Promise<{ read: ReadReport; dataDir: string }> {
  restores += 1;
  const dataDir = join(scratch.folder, `restore-${restores}`);
  await mkdir(dataDir);
  const blobFiles = join(dataDir, 'blobs', 'files');
  const target = { dataDir, cluster: join(dataDir, 'postgres'), blobFiles, owner: undefined, ...changes };
  return { read: await restoreFiles(backup, target, SILENT), dataDir };
}

describe('a sound backup', () => {
  test('is copied whole, the folders without files too, for its owner alone', async () => {
    const { read, dataDir } = await restoreInto();
    assert.deepEqual(read, { files: 5, blobs: 2, bytes: read.bytes });
    assert.equal(await readFile(join(dataDir, 'postgres/pg_wal/000000010000000000000001'), 'utf8'), 'log');
    assert.equal(await readFile(join(dataDir, 'secret.key'), 'utf8'), 'key');
    assert.equal(await readFile(join(dataDir, 'blobs/files', blobPath(hashOf('two'))), 'utf8'), 'two');
    assert.ok(existsSync(join(dataDir, 'postgres/pg_twophase')));
    assert.ok(!existsSync(join(dataDir, 'backup.json')));
    for (const entry of await readdir(dataDir, { recursive: true, withFileTypes: true })) {
      const { mode } = await stat(join(entry.parentPath, entry.name));
      assert.equal(mode & 0o777, entry.isDirectory() ? 0o700 : 0o600, entry.name);
    }
  });

  test('leaves stored files of the target that are sound, and replaces those that are not', async () => {
    const blobFiles = join(scratch.folder, 'store');
    await writeBlob(blobFiles, 'one');
    await writeFile(join(blobFiles, blobPath(await writeBlob(blobFiles, 'two'))), 'tw0');
    const { ino } = await stat(join(blobFiles, blobPath(hashOf('one'))));
    await restoreInto({ blobFiles });
    assert.equal((await stat(join(blobFiles, blobPath(hashOf('one'))))).ino, ino);
    assert.equal(await readFile(join(blobFiles, blobPath(hashOf('two'))), 'utf8'), 'two');
  });
});

describe('what has changed since the backup is found', () => {
  test('each byte of each file, the lists and the stored files among them', async () => {
    const files = (await readdir(dir, { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile() && entry.name !== 'platen-backups')
      .map((entry) => join(entry.parentPath, entry.name));
    assert.equal(files.length, 8);
    let flipped = 0;
    for (const path of files) {
      const sound = await readFile(path);
      // Every byte of the short ones, and of the long ones a part that has each kind of character.
      const step = Math.max(1, Math.floor(sound.length / 97));
      for (let at = 0; at < sound.length; at += step) {
        const bytes = Buffer.from(sound);
        bytes[at] = (bytes[at] ?? 0) ^ 1;
        await writeFile(path, bytes);
        await assert.rejects(restoreInto({ blobFiles: undefined }), /damaged|no such file/, `${path} at ${at}`);
        flipped += 1;
      }
      await writeFile(path, sound);
    }
    assert.ok(flipped > 300);
    await restoreInto();
  });

  const places = [
    ['a file', () => join(backup.folder, 'database/PG_VERSION'), /database\/PG_VERSION is missing/],
    ['the list of stored files', () => join(backup.folder, 'BLOBS.sha256'), /BLOBS\.sha256 is missing/],
    ['a stored file', () => storedAt(dir, 'one'), new RegExp(`blobs/${blobPath(hashOf('one'))} is missing`)],
    ['the list of files', () => join(backup.folder, 'FILES.sha256'), /FILES\.sha256/],
  ] as const;
  for (const [what, path, says] of places) {
    test(`${what} that is missing, or cut short`, async () => {
      const sound = await readFile(path());
      await rm(path());
      await assert.rejects(restoreInto(), says);
      await writeFile(path(), sound.subarray(0, -2));
      await assert.rejects(restoreInto(), /damaged/);
      await writeFile(path(), sound);
    });
  }

  test('a line of the list that is missing, and a file that is not in it', async () => {
    const list = join(backup.folder, 'FILES.sha256');
    const sound = await readFile(list, 'utf8');
    await writeFile(list, sound.split('\n').slice(1).join('\n'));
    await assert.rejects(restoreInto(), /database\/PG_VERSION \(not in FILES\.sha256\)/);
    await writeFile(list, sound);
    await writeFile(join(backup.folder, 'database/more'), '');
    await assert.rejects(restoreInto(), /database\/more \(not in FILES\.sha256\)/);
    await rm(join(backup.folder, 'database/more'));
  });

  test('a list that leads out of the target, which is not followed', async () => {
    const list = join(backup.folder, 'FILES.sha256');
    const sound = await readFile(list, 'utf8');
    await writeFile(list, sound.replace('data/secret.key', 'data/../../secret.key'));
    await assert.rejects(restoreInto(), /damaged/);
    await writeFile(list, sound);
    assert.ok(!existsSync(join(scratch.folder, 'secret.key')));
  });
});
