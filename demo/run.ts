import { availableParallelism, loadavg } from 'node:os';
import { describeFailure } from '../src/bin/report.ts';
import { createScreen } from './screen.ts';
import { openStage, type Stage } from './stage.ts';
import { tellStory } from './story.ts';

/** From the start to the last line of the story: many times what is usual, for a busy machine. */
const DEADLINE_MS = 180_000;
const HEALTHY_MS = 10_000;
/** As many of the service's last log lines as a failure shows; no more are kept. */
const LOG_LINES_MAX = 12;

/**
 * `npm run demo`: one order from basket to print-ready artwork on a service of its own, told on one screen. Leaves
 * nothing behind but the print files in `.demo`. Exit status 1 with one line of what went wrong and the end of the
 * service's log; 128 and the signal's number where a signal ended it.
 */
async function run(): Promise<number> {
  const ended = new AbortController();
  const logLines: string[] = [];
  const stopListening = endOnSignals(ended);
  const deadline = setTimeout(() => {
    const load = `${(loadavg()[0] ?? 0).toFixed(1)} on ${availableParallelism()} processors`;
    ended.abort(
      new Error(
        `the story did not come to its end within ${DEADLINE_MS / 1_000} s; about ${HEALTHY_MS / 1_000} s are usual, and the load average is ${load}`,
      ),
    );
  }, DEADLINE_MS);

  const failures: unknown[] = [];
  let stage: Stage | undefined;
  try {
    const screen = createScreen();
    screen.title('Platen demo: one order, from the basket to print-ready artwork');
    const onLogLine = (line: string): void => {
      logLines.push(line);
      if (logLines.length > LOG_LINES_MAX) logLines.shift();
    };
    stage = await openStage({ ended, screen, onLogLine });
    await tellStory(stage, screen, ended.signal);
  } catch (error) {
    // What was under way fails with an error of its own when the story is ended: the reason says more.
    failures.push(ended.signal.aborted ? ended.signal.reason : error);
    // Of things that were awaited together the others still go on.
    ended.abort();
  }
  clearTimeout(deadline);
  await stage?.close().catch((error: unknown) => failures.push(error));
  stopListening();

  const [first] = failures;
  if (first === undefined) return 0;
  if (first instanceof Interrupted) {
    process.stderr.write('demo: interrupted; what it started is stopped and removed\n');
    return first.exitStatus;
  }
  process.stderr.write(`demo: ${failures.map(describeFailure).join('; ')}\n`);
  if (logLines.length > 0) process.stderr.write(`The end of the service's log:\n${logLines.join('\n')}\n`);
  return 1;
}

/** A signal asked the demo to end. */
class Interrupted extends Error {
  override name = 'Interrupted';
  readonly exitStatus: number;
  constructor(exitStatus: number) {
    super('interrupted');
    this.exitStatus = exitStatus;
  }
}

const EXIT_STATUSES = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

/** The handlers stay until everything is cleaned up, so that an impatient second Ctrl-C leaves nothing running. */
function endOnSignals(ended: AbortController): () => void {
  const handlers = Object.entries(EXIT_STATUSES).map(([signal, status]) => {
    const handler = (): void => ended.abort(new Interrupted(status));
    process.on(signal, handler);
    return { signal, handler };
  });
  // Whoever reads the screen may go away, as `head` does; that must not leave a service behind either.
  process.stdout.on('error', () => ended.abort(new Interrupted(1)));
  return () => {
    for (const { signal, handler } of handlers) process.off(signal, handler);
  };
}

process.exitCode = await run();
