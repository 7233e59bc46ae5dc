import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { test } from 'node:test';
import { WORKERS } from '../../src/app/workers.ts';

const SANDBOX = /^src\/bin\/sandbox(\.ts|\/)/;

test('the live service keeps no sandbox: only the command imports it, and when it runs', () => {
  const files = globSync('src/**/*.{ts,js}').map((path) => path.replaceAll('\\', '/'));
  assert.ok(files.filter((path) => SANDBOX.test(path)).length >= 4, 'the sandbox was found');
  const imports = files
    .filter((path) => !SANDBOX.test(path))
    .flatMap((path) =>
      [...readFileSync(path, 'utf8').matchAll(/^.*(?:from|import)\s*\(?\s*'(\.[^']+)'.*$/gm)]
        .filter(([, target = '']) => SANDBOX.test(posix.join(posix.dirname(path), target)))
        .filter(([line]) => !line.startsWith('import type '))
        .map(([line]) => `${path}: ${line.trim()}`),
    );
  assert.deepEqual(imports, [
    "src/bin/cli.ts: .action(async (options: SandboxOptions) => (await import('./sandbox.ts')).sandbox(options));",
  ]);
});

test('the worker that walks orders on is not among the workers of a service', () => {
  assert.deepEqual(
    WORKERS.filter(({ name }) => name.includes('sandbox')),
    [],
  );
});
