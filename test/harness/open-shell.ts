import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { AskedCommand } from './command-shell.ts';
import { type CommandResult, type Environment, environment } from './environment.ts';
import { howItEnded } from './how-it-ended.ts';

const SHELL = fileURLToPath(new URL('command-shell.ts', import.meta.url));
/** A command hangs that takes longer, however busy the machine is. */
const COMMAND_TIMEOUT_MS = 240_000;

/**
 * One process that runs `platen` commands one after another: a process of its own for each takes half a second of a
 * processor. Each has the settings that it is given and none of the test's.
 */
export type CommandShell = {
  readonly run: (args: readonly string[], env: Environment, input?: string) => Promise<CommandResult>;
  readonly close: () => Promise<void>;
};

/** Starts with the first command; what a command leaves open shows as a `close` that does not return. */
export function openCommandShell(): CommandShell {
  let child: ChildProcess | undefined;
  let last: Promise<unknown> = Promise.resolve();
  const run = async (asked: AskedCommand): Promise<CommandResult> => {
    child ??= fork(SHELL, { env: environment({}), stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
    const shell = child;
    hold(shell);
    const beganMs = performance.now();
    const watchdog = setTimeout(() => shell.kill('SIGKILL'), COMMAND_TIMEOUT_MS);
    const gone = new AbortController();
    try {
      shell.send(asked);
      const [result] = await Promise.race([
        once(shell, 'message', gone) as Promise<[CommandResult]>,
        once(shell, 'exit', gone).then(async () => {
          const { exitCode: status, signalCode: signal } = shell;
          const stderr = shell.stderr === null ? '' : await text(shell.stderr);
          const ending = { status, signal, stderr, ms: performance.now() - beganMs, timeoutMs: COMMAND_TIMEOUT_MS };
          throw new Error(`platen ${asked.args.join(' ')} ${howItEnded(ending)}`);
        }),
      ]);
      return result;
    } finally {
      clearTimeout(watchdog);
      gone.abort();
      letGo(shell);
    }
  };
  return {
    run: (args, env, input = '') => {
      const result = last.then(() => run({ args, env, input }));
      last = result.catch(() => undefined);
      return result;
    },
    close: async () => {
      await last;
      if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
      const shell = child;
      hold(shell);
      const ended = once(shell, 'exit');
      shell.disconnect();
      await ended;
    },
  };
}

/** Keeps this process alive until the shell has answered. */
function hold(shell: ChildProcess): void {
  shell.ref();
  shell.channel?.ref();
}

/** A shell that has nothing to do ends with this process. */
function letGo(shell: ChildProcess): void {
  shell.unref();
  shell.channel?.unref();
  if (shell.stderr instanceof Socket) shell.stderr.unref();
}
