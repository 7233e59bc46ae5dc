import { spawnSync } from 'node:child_process';
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * `npm run sdk:pack [-- FOLDER]`: writes the package as it is published, `platen-sdk-<version>.tgz`, into `sdk` unless
 * another folder is given, and prints its path. It holds JavaScript and type declarations: runtimes strip types in a
 * checkout, and refuse to in installed packages. Everything else is made in a scratch folder.
 */
const here = fileURLToPath(new URL('.', import.meta.url));
const target = resolve(process.argv[2] ?? here);
const scratch = mkdtempSync(join(tmpdir(), 'platen-sdk-pack-'));
try {
  compile(join(scratch, 'dist'));
  for (const name of ['README.md', 'LICENSE']) cpSync(join(here, name), join(scratch, name));
  writeFileSync(join(scratch, 'package.json'), manifest());
  mkdirSync(target, { recursive: true });
  const packed = run('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', target], scratch);
  const [made] = JSON.parse(packed) as { filename: string }[];
  process.stdout.write(`${join(target, made?.filename ?? '')}\n`);
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

function compile(folder: string): void {
  const compiler = join(here, '../node_modules/.bin/tsc');
  run(compiler, ['-p', join(here, 'tsconfig.build.json'), '--outDir', folder], here);
  for (const name of globSync('**/*.d.ts', { cwd: folder })) {
    const path = join(folder, name);
    // The compiler renames imports in JavaScript alone; beside it there is no .ts for a declaration to point at.
    writeFileSync(path, readFileSync(path, 'utf8').replaceAll(/(from '\.[^']*)\.ts'/g, "$1.js'"));
  }
}

/** Without the guard against packing the source folder. */
function manifest(): string {
  const { scripts: _guard, ...kept } = JSON.parse(readFileSync(join(here, 'package.json'), 'utf8')) as {
    scripts: unknown;
  };
  return `${JSON.stringify(kept, null, 2)}\n`;
}

function run(program: string, args: readonly string[], cwd: string): string {
  const { status, stdout, stderr, error } = spawnSync(program, args, { cwd, encoding: 'utf8', timeout: 120_000 });
  if (status !== 0) throw new Error(`${program} failed: ${error?.message ?? ''}${stdout}${stderr}`);
  return stdout;
}
