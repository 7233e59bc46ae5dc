import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { makeScratch, type Scratch } from '../backup-fixture.ts';
import {
  finishSwap,
  keptClusters,
  refuseUnfinishedUpgrade,
  removeKeptClusters,
  swapClusters,
  UPGRADE_FOLDER,
} from './swap-clusters.ts';

const MARK = 'postgres-upgrade-unfinished';

let scratch: Scratch;
before(async () => {
  scratch = await makeScratch();
});
after(() => scratch.remove());

/** A data directory with an earlier cluster, and a new one beside it. */
async function newDataDir(name: string): Promise<string> {
  const dataDir = join(scratch.folder, name);
  for (const [folder, text] of [
    ['postgres', 'earlier'],
    [`${UPGRADE_FOLDER}/postgres`, 'new'],
  ] as const) {
    await mkdir(join(dataDir, folder), { recursive: true });
    await writeFile(join(dataDir, folder, 'rows'), text);
  }
  return dataDir;
}

const rowsIn = (dataDir: string, cluster: string): Promise<string> => readFile(join(dataDir, cluster, 'rows'), 'utf8');

async function assertExchanged(dataDir: string): Promise<void> {
  assert.deepEqual(await readdir(dataDir), ['postgres', 'postgres-before-17']);
  assert.deepEqual(
    [await rowsIn(dataDir, 'postgres'), await rowsIn(dataDir, 'postgres-before-17')],
    ['new', 'earlier'],
  );
  refuseUnfinishedUpgrade(dataDir);
}

test('the two are exchanged, the earlier one is kept, and is removed by its own command alone', async () => {
  const dataDir = await newDataDir('whole');
  assert.equal(await finishSwap(dataDir), false);
  await swapClusters(dataDir, '17');
  await assertExchanged(dataDir);
  assert.deepEqual(await keptClusters(dataDir), ['postgres-before-17']);
  assert.deepEqual(await removeKeptClusters(dataDir), ['postgres-before-17']);
  assert.deepEqual(await readdir(dataDir), ['postgres']);
});

test('killed before the first rename: nothing was exchanged, and the copy begins anew', async () => {
  const dataDir = await newDataDir('first');
  await writeFile(join(dataDir, MARK), 'postgres-before-17');
  assert.throws(() => refuseUnfinishedUpgrade(dataDir), /was interrupted .* run it again, it finishes$/);
  assert.equal(await finishSwap(dataDir), false);
  assert.equal(await rowsIn(dataDir, 'postgres'), 'earlier');
  refuseUnfinishedUpgrade(dataDir);
});

test('a cluster that is kept already stops a second step before anything is exchanged', async () => {
  const dataDir = await newDataDir('twice');
  await mkdir(join(dataDir, 'postgres-before-17'));
  await assert.rejects(swapClusters(dataDir, '17'), /postgres-before-17 is there from an earlier step: move it away/);
  assert.equal(await rowsIn(dataDir, 'postgres'), 'earlier');
  refuseUnfinishedUpgrade(dataDir);
  // One of another version is no sign that this one was exchanged.
  await writeFile(join(dataDir, MARK), 'postgres-before-16');
  assert.equal(await finishSwap(dataDir), false);
  assert.equal(await rowsIn(dataDir, 'postgres'), 'earlier');
});

test('killed between the renames: no service starts, which would make an empty database, and the next run finishes', async () => {
  const dataDir = await newDataDir('between');
  await writeFile(join(dataDir, MARK), 'postgres-before-17');
  await rename(join(dataDir, 'postgres'), join(dataDir, 'postgres-before-17'));
  assert.throws(() => refuseUnfinishedUpgrade(dataDir), /was interrupted/);
  await assert.rejects(removeKeptClusters(dataDir), /was interrupted/);
  assert.equal(await finishSwap(dataDir), true);
  await assertExchanged(dataDir);
});

test('killed after both renames: the next run finishes', async () => {
  const dataDir = await newDataDir('last');
  await writeFile(join(dataDir, MARK), 'postgres-before-17');
  await rename(join(dataDir, 'postgres'), join(dataDir, 'postgres-before-17'));
  await rename(join(dataDir, UPGRADE_FOLDER, 'postgres'), join(dataDir, 'postgres'));
  assert.equal(await finishSwap(dataDir), true);
  await assertExchanged(dataDir);
});
