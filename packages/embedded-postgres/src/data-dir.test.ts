import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { createInterface } from 'node:readline';
import { after, test } from 'node:test';
import { claimDataDir, DataDirInUse } from './data-dir.ts';

const folder = await mkdtemp(join(tmpdir(), 'platen-claim-'));
after(() => rm(folder, { recursive: true, force: true }));

/** A service of its own that claims a directory, says how that went in one line, and stays. */
function claimant(dataDir: string): { process: ChildProcess; answer: Promise<string> } {
  const code = `
    const { claimDataDir } = await import(${JSON.stringify(import.meta.resolve('./data-dir.ts'))});
    try { await claimDataDir(${JSON.stringify(dataDir)}); console.log('claimed'); }
    catch (error) { console.log(error.name); }
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: ['ignore', 'pipe', 'inherit'] });
  const answer = once(createInterface({ input: child.stdout }), 'line').then(([line]) => String(line));
  return { process: child, answer };
}

async function killed(child: ChildProcess): Promise<void> {
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}

function isOneLineThatNames(dataDir: string, pid: number): (error: unknown) => boolean {
  return (error) => {
    assert(error instanceof DataDirInUse);
    assert.equal(error.pid, pid);
    assert.equal(error.message.includes('\n'), false);
    for (const part of [dataDir, `process ${pid}`, 'DATA_DIR']) assert(error.message.includes(part), error.message);
    return true;
  };
}

test('a second service on a data directory is refused with one line that names the directory and the first', async () => {
  const dataDir = join(folder, 'two');
  const first = claimant(dataDir);
  assert.equal(await first.answer, 'claimed');
  await assert.rejects(claimDataDir(dataDir), isOneLineThatNames(dataDir, first.process.pid ?? 0));
  // Being refused takes nothing from the first.
  await assert.rejects(claimDataDir(dataDir), DataDirInUse);
  await killed(first.process);
});

test('a data directory is free the moment its service is killed, and nothing need be cleaned up by hand', async () => {
  const dataDir = join(folder, 'killed');
  const first = claimant(dataDir);
  assert.equal(await first.answer, 'claimed');
  await killed(first.process);
  const claim = await claimDataDir(dataDir);
  await assert.rejects(claimDataDir(dataDir), isOneLineThatNames(dataDir, process.pid));
  await claim.release();
});

test('of five services that start at the same moment exactly one gets the data directory', async () => {
  const dataDir = join(folder, 'race');
  const claimants = Array.from({ length: 5 }, () => claimant(dataDir));
  const answers = await Promise.all(claimants.map(({ answer }) => answer));
  assert.deepEqual(answers.toSorted(), ['DataDirInUse', 'DataDirInUse', 'DataDirInUse', 'DataDirInUse', 'claimed']);
  await Promise.all(claimants.map(({ process }) => killed(process)));
});

test('a released data directory can be taken again, and a second release does not free the next holder', async () => {
  const dataDir = join(folder, 'released');
  const first = await claimDataDir(dataDir);
  await first.release();
  const second = await claimDataDir(dataDir);
  await first.release();
  await assert.rejects(claimDataDir(dataDir), DataDirInUse);
  await second.release();
  assert.deepEqual(await readdir(dataDir), ['service.lock']);
});

test('a new data directory and what is in it are for its user alone, and a relative path works', async () => {
  const dataDir = join(folder, 'made', 'of', 'parts');
  const claim = await claimDataDir(relative(process.cwd(), dataDir));
  assert.equal((await stat(dataDir)).mode & 0o777, 0o700);
  for (const name of await readdir(dataDir)) assert.equal((await stat(join(dataDir, name))).mode & 0o777, 0o600, name);
  await assert.rejects(claimDataDir(dataDir), DataDirInUse);
  await claim.release();
});

test('a data directory that cannot be one is refused with one line that names it', async () => {
  const dataDir = join(folder, 'file');
  await writeFile(dataDir, 'not a directory');
  await assert.rejects(claimDataDir(dataDir), (error: Error) => {
    assert.equal(error.message.includes('\n'), false);
    return error.message.includes(dataDir) && error.message.includes('DATA_DIR');
  });
});
