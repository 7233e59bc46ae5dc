import promises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';

// Loaded before a program: kills its process before the call of node:fs/promises, or of an open file, that
// KILL_AT_CALL counts. A call that was awaited before is done, one behind it never begins.

const killAt = Number(process.env.KILL_AT_CALL);
let calls = 0;

function count(): void {
  calls += 1;
  if (calls === killAt) process.kill(process.pid, 'SIGKILL');
}

type Call = (...args: unknown[]) => unknown;

function counted(target: Record<string, unknown>, name: string): void {
  const call = target[name] as Call;
  target[name] = function countedCall(this: unknown, ...args: unknown[]) {
    count();
    return call.apply(this, args);
  };
}

const fs = promises as unknown as Record<string, unknown>;
for (const name of ['link', 'rename', 'rm', 'readFile', 'readdir', 'stat', 'mkdir', 'writeFile', 'chmod'])
  counted(fs, name);
const { open } = promises;
fs.open = async (...args: Parameters<typeof open>) => {
  count();
  const file = await open(...args);
  for (const name of ['writeFile', 'sync', 'chown', 'write']) counted(file as unknown as Record<string, unknown>, name);
  return file;
};
syncBuiltinESMExports();
