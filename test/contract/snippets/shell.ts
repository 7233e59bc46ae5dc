import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { environment } from '../../harness/environment.ts';

/** Which curl and jq the examples get: those of the machine, or the stand-ins beside this file. */
export type Tools = 'those of the machine' | 'stand-ins';

export type Shell = {
  /** Runs an example after those before it, in the same shell: what it prints. Throws when a command fails. */
  readonly run: (code: string) => Promise<string>;
  readonly close: () => Promise<void>;
};

/** Several commands start a process each, which is slow on a busy machine. */
const RUN_TIMEOUT_MS = 180_000;
/** Ends the output of an example: no command prints it. */
const END = '\u001e';

const PLATEN = fileURLToPath(new URL('../../../src/bin/platen.js', import.meta.url));
const CURL = fileURLToPath(new URL('curl.ts', import.meta.url));
const JQ = fileURLToPath(new URL('jq.ts', import.meta.url));

/**
 * The programs that the examples are run with: those of the machine, or the stand-ins where it lacks one.
 * PLATEN_NIGHTLY=1 runs them with both.
 */
export async function toolsToTry(): Promise<readonly [Tools, ...Tools[]]> {
  if (!(await machineHasTools())) return ['stand-ins'];
  return process.env.PLATEN_NIGHTLY === '1' ? ['those of the machine', 'stand-ins'] : ['those of the machine'];
}

async function machineHasTools(): Promise<boolean> {
  const child = spawn('/bin/sh', ['-c', 'curl --version && jq --version'], { stdio: 'ignore' });
  await once(child, 'exit');
  return child.exitCode === 0;
}

/**
 * Opens a shell for the examples of one document, in a folder of its own. A command that fails ends it, and so does
 * curl when it is answered 400 or more. `npx platen` is the checkout's, with these settings.
 */
export async function openShell(options: {
  folder: string;
  tools: Tools;
  env: Readonly<Record<string, string>>;
}): Promise<Shell> {
  const { folder } = options;
  const bin = await writePrograms(folder, options.tools);
  const child = spawn('/bin/sh', [], {
    cwd: folder,
    env: { ...environment(options.env), PATH: `${bin}:${process.env.PATH ?? ''}`, HOME: folder },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let printed = '';
  let complaints = '';
  let wake = (): void => {};
  const hasEnded = (): boolean => child.exitCode !== null || child.signalCode !== null;
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    printed += chunk;
    wake();
  });
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    complaints += chunk;
  });
  child.stdin.on('error', () => {});
  const gone = once(child, 'close');
  child.once('close', () => wake());
  child.stdin.write('set -eu\n(set -o pipefail) 2>/dev/null && set -o pipefail\n');
  return {
    run: async (code) => {
      printed = '';
      let isLate = false;
      const timer = setTimeout(() => {
        isLate = true;
        child.kill('SIGKILL');
      }, RUN_TIMEOUT_MS);
      // An example must not read those that follow.
      child.stdin.write(`{\n${code}\n} </dev/null\nprintf '\\036'\n`);
      while (!printed.includes(END) && !hasEnded()) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      clearTimeout(timer);
      if (hasEnded()) {
        await gone;
        const what = isLate ? `did not end within ${RUN_TIMEOUT_MS / 1_000} s` : 'failed';
        throw new Error(`an example ${what}: ${complaints}${printed}\n${code}`);
      }
      return printed.replace(END, '');
    },
    close: async () => {
      child.stdin.end();
      await gone;
    },
  };
}

/** Writes the programs that the examples find first: the folder that holds them. */
async function writePrograms(folder: string, tools: Tools): Promise<string> {
  const bin = join(folder, '.bin');
  await mkdir(bin, { recursive: true });
  const node = `exec '${process.execPath}'`;
  const programs: Record<string, string> = {
    node: `${node} "$@"`,
    npx: `[ "$1" = platen ] || exit 127\nshift\n${node} '${PLATEN}' "$@"`,
    ...(tools === 'stand-ins' ? { curl: `${node} '${CURL}' "$@"`, jq: `${node} '${JQ}' "$@"` } : {}),
  };
  for (const [name, script] of Object.entries(programs)) {
    await writeFile(join(bin, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  }
  await writeFile(join(folder, '.curlrc'), 'fail-with-body\nmax-time = 30\n');
  return bin;
}
