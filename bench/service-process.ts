import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { messageOf } from '../src/lib/error-message.ts';

/**
 * Starts a program of this folder in a process of its own and waits for its first message. Each part of a measurement
 * has its own process, so that the one that asks does not slow the one that answers more than two cores make them.
 */
export async function startPart<Ready>(
  name: string,
  options: { args?: readonly string[]; env?: Readonly<Record<string, string>> } = {},
): Promise<{ child: ChildProcess; ready: Ready }> {
  const child = fork(fileURLToPath(new URL(name, import.meta.url)), [...(options.args ?? [])], {
    env: { ...process.env, ...options.env },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const ready = await nextMessage<Ready>(child);
  return { child, ready };
}

/** Asks a part to do one round of work and waits for what it reports. */
export async function ask<Answer>(child: ChildProcess, question: object): Promise<Answer> {
  child.send(question);
  return nextMessage<Answer>(child);
}

/** Ends a part and waits for it. */
export async function endPart(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
}

/** Waits for the next message of a part; throws when it is a fault, and when the part ends first. */
export async function nextMessage<Message>(child: ChildProcess): Promise<Message> {
  const ended = new AbortController();
  const died = once(child, 'exit', { signal: ended.signal }).then(() => {
    throw new Error('a part of the measurement ended before it answered');
  });
  died.catch(() => undefined);
  const [message] = (await Promise.race([once(child, 'message', { signal: ended.signal }), died])) as [Message | Fault];
  ended.abort();
  if (isFault(message)) throw new Error(message.fault);
  return message;
}

/** What a part answers when it could not do what it was asked. */
type Fault = { readonly fault: string };

function isFault(message: unknown): message is Fault {
  return typeof message === 'object' && message !== null && 'fault' in message;
}

/**
 * Answers each question of `ask` in turn; an error becomes one of the process that asks, and the part goes on.
 * When the process that asks is gone, the part ends as if it had been asked to.
 */
export function answer<Question, Answer>(reply: (question: Question) => Promise<Answer>): void {
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
  process.on('message', (question: Question) => {
    reply(question).then(
      (message) => process.send?.(message),
      (error: unknown) => process.send?.({ fault: messageOf(error) } satisfies Fault),
    );
  });
}

/** Processor time of this process since an earlier reading, in seconds. */
export function cpuSecondsSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000_000;
}
