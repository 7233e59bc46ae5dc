#!/usr/bin/env node
// What `npx platen` runs. Under a Node.js that is too old it hands over to the one that was installed with Platen.
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(import.meta.url);

if (Number(process.versions.node.split('.')[0]) >= 24) {
  await import('./compile-cache.js');
  const { programOf } = await import('./bundle/program.ts');
  await import(programOf('platen'));
} else {
  const node = fileURLToPath(new URL('../../node_modules/.bin/node', import.meta.url));
  const child = spawn(node, [program, ...process.argv.slice(2)], { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('error', () => {
    process.stderr.write(
      `platen: Node.js 24 or later is needed, this is ${process.versions.node}. \`npm ci\` brings it on Linux; elsewhere install it.\n`,
    );
    process.exit(1);
  });
  child.on('exit', (code, signal) => process.exit(code ?? 128 + (constants.signals[signal ?? 'SIGTERM'] ?? 15)));
}
