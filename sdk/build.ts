import { spawnSync } from 'node:child_process';
import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * `node sdk/build.ts [folder]`: makes the JavaScript and the type declarations that are published, in `sdk/dist`
 * unless told otherwise. Source cannot be published as it is: runtimes leave out types in a checkout, and refuse to
 * in installed packages.
 */
const folder = resolve(process.argv[2] ?? fileURLToPath(new URL('dist', import.meta.url)));
const compiler = fileURLToPath(new URL('../node_modules/.bin/tsc', import.meta.url));
const project = fileURLToPath(new URL('tsconfig.build.json', import.meta.url));

rmSync(folder, { recursive: true, force: true });
const { status } = spawnSync(compiler, ['-p', project, '--outDir', folder], { stdio: 'inherit', timeout: 120_000 });
if (status !== 0) throw new Error('the client does not compile');
for (const name of globSync('**/*.d.ts', { cwd: folder })) {
  const path = join(folder, name);
  // The compiler renames imports in JavaScript alone; beside it there is no .ts for a declaration to point at.
  writeFileSync(path, readFileSync(path, 'utf8').replaceAll(/(from '\.[^']*)\.ts'/g, "$1.js'"));
}
