import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';

type Program = typeof import('./program.ts');

const HERE = fileURLToPath(new URL('program.ts', import.meta.url));

/** A checkout of two sources, put together as they are now. */
async function checkout() {
  const root = mkdtempSync(join(tmpdir(), 'platen-program-'));
  const path = (name: string): string => join(root, name);
  for (const folder of ['src/bin/bundle', 'src/lib', 'built/service']) mkdirSync(path(folder), { recursive: true });
  writeFileSync(path('package.json'), '{"type":"module"}');
  copyFileSync(HERE, path('src/bin/bundle/program.ts'));
  for (const name of ['src/bin/platen.ts', 'src/lib/one.ts']) writeFileSync(path(name), 'export {};\n');
  const inputs = ['src/bin/platen.ts', 'src/lib/one.ts'].map((name) => {
    const { size, mtimeMs } = statSync(path(name));
    return [name, [size, Math.floor(mtimeMs / 1_000)]] as const;
  });
  writeFileSync(path('built/service/inputs.json'), JSON.stringify(Object.fromEntries(inputs)));
  const { programOf } = (await import(pathToFileURL(path('src/bin/bundle/program.ts')).href)) as Program;
  const isBuilt = (): boolean => {
    const built = pathToFileURL(path('built/service/platen.js')).href;
    const program = programOf('platen');
    if (program !== built) assert.equal(program, pathToFileURL(path('src/bin/platen.ts')).href);
    return program === built;
  };
  return { path, isBuilt };
}

test('what an install has put together runs while no source of it has changed', async () => {
  const { path, isBuilt } = await checkout();
  assert.equal(isBuilt(), true);
  writeFileSync(path('src/lib/one.ts'), 'export { };\n');
  assert.equal(isBuilt(), false, 'another length');
});

test('a source of the same length that was written later has changed', async () => {
  const { path, isBuilt } = await checkout();
  const later = Date.now() / 1_000 + 2;
  utimesSync(path('src/bin/platen.ts'), later, later);
  assert.equal(isBuilt(), false);
});

test('sources that were left out of an image have not changed', async () => {
  const { path, isBuilt } = await checkout();
  rmSync(path('src/lib'), { recursive: true });
  assert.equal(isBuilt(), true);
});

test('the sources run where nothing was put together, or what is said of it cannot be read', async () => {
  const { path, isBuilt } = await checkout();
  writeFileSync(path('built/service/inputs.json'), '{');
  assert.equal(isBuilt(), false);
  rmSync(path('built'), { recursive: true });
  assert.equal(isBuilt(), false);
});
