import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { readKeyFiles } from '../../src/app/secrets/key-files.ts';
import { scratchParent } from '../harness/scratch.ts';

// `platen secrets rotate`, killed at each of its calls to the file system: the child counts them, and kills itself.

const KILLER = fileURLToPath(new URL('../harness/kill-at-call.ts', import.meta.url));
const ROTATE = fileURLToPath(new URL('../harness/rotate-key.ts', import.meta.url));

let folder: string;
before(async () => {
  folder = await mkdtemp(join(scratchParent(), 'platen-secrets-kills-'));
});
after(() => rm(folder, { recursive: true, force: true }));

async function rotate(dataDir: string, killAt: number): Promise<'killed' | 'done'> {
  const child = spawn(process.execPath, ['--import', KILLER, ROTATE, dataDir], {
    env: { PATH: process.env.PATH ?? '', KILL_AT_CALL: String(killAt) },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
  assert.ok(code === 0 || signal === 'SIGKILL', `${code} ${signal}`);
  return signal === null ? 'done' : 'killed';
}

/** By night at each call, else at every fifth one from a random one on. */
const STEP = process.env.PLATEN_NIGHTLY === '1' ? 1 : 5;
const first = (): number => 1 + Math.floor(Math.random() * STEP);

test('an exchange of the key that is killed at any call loses no key, and the next one is done', async (t) => {
  let killed = 0;
  for (let at = first(); ; at += STEP) {
    const dataDir = join(folder, `data-${at}`);
    await rotate(dataDir, Number.MAX_SAFE_INTEGER);
    const before = await readKeyFiles(dataDir);
    const end = await rotate(dataDir, at);
    const found = await readKeyFiles(dataDir);
    const keys = [found.secretKey, ...found.formerKeys];
    for (const key of [before.secretKey, ...before.formerKeys]) assert.ok(keys.includes(key), `killed at call ${at}`);
    // What a service has sealed meanwhile with the key that it finds stays readable as well.
    assert.equal(await rotate(dataDir, Number.MAX_SAFE_INTEGER), 'done');
    const next = await readKeyFiles(dataDir);
    for (const key of keys) assert.ok(next.formerKeys.includes(key), `after a kill at call ${at}`);
    assert.deepEqual(
      (await readdir(dataDir)).filter((name) => /\.[0-9a-f]{16}$/.test(name)),
      [],
      'no draft is left',
    );
    if (end === 'done') break;
    killed += 1;
  }
  t.diagnostic(`${killed} kills`);
  assert.ok(killed * STEP >= 8, `${killed}`);
});

test('the first key that is killed while it is made leaves none, or a whole one', async () => {
  let killed = 0;
  for (let at = first(); ; at += STEP) {
    const dataDir = join(folder, `first-${at}`);
    const end = await rotate(dataDir, at);
    const path = join(dataDir, 'secret.key');
    if (existsSync(path)) assert.match(await readFile(path, 'utf8'), /^[0-9a-f]{64}$/);
    if (end === 'done') break;
    killed += 1;
  }
  assert.ok((killed + 1) * STEP >= 10, `${killed}`);
});
