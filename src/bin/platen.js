#!/usr/bin/env node
// What `npx platen` runs, by whatever Node.js is first on the path: the service needs the one that the lockfile pins.
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('platen.ts', import.meta.url));

if (Number(process.versions.node.split('.')[0]) >= 24) {
  await import('./compile-cache.js');
  await import('./platen.ts');
} else {
  const node = fileURLToPath(new URL('../../node_modules/node/bin/node', import.meta.url));
  const child = spawn(node, [program, ...process.argv.slice(2)], { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('error', () => {
    process.stderr.write('platen: the pinned Node.js is missing; run `npm ci` first\n');
    process.exit(1);
  });
  child.on('exit', (code, signal) => process.exit(code ?? 128 + (constants.signals[signal ?? 'SIGTERM'] ?? 15)));
}
