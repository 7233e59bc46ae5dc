import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
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

/** Takes no backup, but ends the one of a time as `takeBackup` does. */
const removeAt = (time: string | Date, keepDays: number) => removeBackups(dir, { now: new Date(time), keepDays });

test('a backup that is too old goes with what it alone has; what others have stays', async () => {
  await makeBackup(dir, '2026-04-15T00:00:00.000Z', ['of all']);
  assert.deepEqual(await removeAt('2026-04-15T00:00:00.000Z', 30), {
    removed: ['2026-01-01T00-00-00.000Z'],
    doubted: ['2026-02-01T00-00-00.000Z', '2026-03-01T00-00-00.000Z'],
    datedLater: [],
  });
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

test('the newest stays, however few days are kept', async () => {
  await makeBackup(dir, '2026-03-04T00:00:00.000Z', ['new', 'of all']);
  assert.equal((await removeAt('2026-03-04T00:00:00.000Z', 1)).removed.length, 3);
  assert.equal((await chooseBackup(dir, undefined)).facts.name, '2026-03-04T00-00-00.000Z');
  assert.equal(await removeUnusedBlobs(dir), 2);
  assert.deepEqual(present('new', 'of all'), [true, true]);
});

const DAY_MS = 86_400_000;

/** Replaces the folder by one of nightly backups, the last of them the night before a time. */
async function nightly(nights: number, until: string): Promise<Date[]> {
  await rm(dir, { recursive: true });
  await mkdir(dir);
  const times = Array.from({ length: nights }, (_, night) => new Date(Date.parse(until) - (nights - night) * DAY_MS));
  for (const time of times) await makeBackup(dir, time.toISOString(), []);
  return times;
}

/** Takes a backup a night from a time on; returns what the last one removed and kept. */
async function goOn(nights: number, from: string, keepDays = 35) {
  let last = {
    removed: [] as readonly string[],
    doubted: [] as readonly string[],
    datedLater: [] as readonly string[],
  };
  for (let night = 0; night < nights; night += 1) {
    const time = new Date(Date.parse(from) + night * DAY_MS);
    await makeBackup(dir, time.toISOString(), []);
    last = await removeAt(time, keepDays);
  }
  return last;
}

const nameOf = (time: Date): string => time.toISOString().replaceAll(':', '-');
const names = async (): Promise<string[]> => (await readdir(dir)).filter((name) => /^\d/.test(name)).toSorted();

test('nightly backups go after their days, one a night', async () => {
  const times = await nightly(36, '2026-11-23T03:00:00.000Z');
  assert.deepEqual((await goOn(1, '2026-11-23T03:00:00.000Z')).removed, times.slice(0, 1).map(nameOf));
  assert.deepEqual((await goOn(1, '2026-11-24T03:00:00.000Z')).removed, times.slice(1, 2).map(nameOf));
});

test('a clock that is far ahead removes none that the right one would keep, for as many backups as it is so', async () => {
  const times = await nightly(30, '2026-11-23T03:00:00.000Z');
  const ahead = await goOn(5, '2036-05-05T03:00:00.000Z');
  assert.deepEqual(ahead, { removed: [], doubted: times.map(nameOf), datedLater: [] });
  const putRight = await goOn(1, '2026-11-28T03:00:00.000Z');
  assert.deepEqual([putRight.removed, putRight.doubted, putRight.datedLater.length], [[], [], 5]);
  await goOn(5, '2026-11-29T03:00:00.000Z');
  assert.deepEqual((await names()).slice(0, 2), times.slice(5, 7).map(nameOf), 'and then each goes on its day');
});

test('a clock that was far behind leaves a backup that goes in time', async () => {
  const times = await nightly(20, '2026-11-23T03:00:00.000Z');
  const behind = await goOn(1, '1999-12-31T00:00:00.000Z');
  assert.deepEqual([behind.removed, behind.datedLater.length], [[], 20]);
  await goOn(16, '2026-11-23T03:00:00.000Z');
  assert.equal((await names())[0], '1999-12-31T00-00-00.000Z');
  await goOn(1, '2026-12-09T03:00:00.000Z');
  assert.equal((await names())[0], times.slice(1, 2).map(nameOf)[0]);
});

test('after a pause the backups from before it go, once they are too old without it', async () => {
  const times = await nightly(3, '2026-01-10T03:00:00.000Z');
  const resumed = await goOn(1, '2026-06-01T03:00:00.000Z');
  assert.deepEqual([resumed.removed, resumed.doubted], [[], times.map(nameOf)]);
  const later = await goOn(37, '2026-06-02T03:00:00.000Z');
  assert.ok(later.removed.length > 0 && later.doubted.length === 0);
  assert.equal((await names())[0], '2026-06-03T03-00-00.000Z');
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
