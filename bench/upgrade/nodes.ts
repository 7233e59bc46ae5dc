import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

/** This checkout. */
export const HERE = fileURLToPath(new URL('../..', import.meta.url));

type Settings = Readonly<Record<string, string>>;

/** Unpacks a commit of this repository beside the packages of this checkout. */
export function unpack(commit: string, folder: string): void {
  mkdirSync(folder, { recursive: true });
  const archive = execFileSync('git', ['-C', HERE, 'archive', commit], { maxBuffer: 1024 ** 3 });
  execFileSync('tar', ['-x', '-C', folder], { input: archive });
  symlinkSync(join(HERE, 'node_modules'), join(folder, 'node_modules'));
}

/** Runs a command of a checkout to its end and returns its result; what it says meanwhile is shown. */
export async function platen<Result>(checkout: string, args: readonly string[], env: Settings): Promise<Result> {
  const child = spawn(process.execPath, [join(checkout, 'src/bin/platen.ts'), ...args, '--json'], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [printed] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  if (child.exitCode !== 0) throw new Error(`platen ${args.join(' ')} ended with ${child.exitCode}: ${printed}`);
  return JSON.parse(printed) as Result;
}

/** A node of the API. */
export type ApiNode = { readonly origin: string; readonly stop: () => Promise<void> };

/** Starts a node of a checkout and returns once it is ready. */
export async function startNode(checkout: string, env: Settings): Promise<ApiNode> {
  const args = [join(checkout, 'src/bin/platen.ts'), 'serve', '--role', 'api', '--json'];
  const child: ChildProcess = spawn(process.execPath, args, {
    env: { ...process.env, ...env, PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (child.stdout === null) throw new Error('the node has no standard output');
  const ended = once(child, 'exit').then(() => {
    throw new Error(`a node of ${checkout} ended with ${child.exitCode}`);
  });
  ended.catch(() => undefined);
  const [line] = (await Promise.race([once(createInterface({ input: child.stdout }), 'line'), ended])) as [string];
  const { port } = JSON.parse(line) as { port: number };
  return {
    origin: `http://127.0.0.1:${port}`,
    stop: async () => {
      child.kill('SIGTERM');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    },
  };
}
