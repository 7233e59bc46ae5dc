/** Runs `work` when it is the host's turn; see `createHostLines`. */
export type HostLines = {
  readonly inTurn: <T>(host: string, signal: AbortSignal, work: () => Promise<T>) => Promise<T>;
};

/** The line for one host is full: the service is unavailable for this, and nothing is wrong with the address. */
export class LineFullError extends Error {
  override name = 'LineFullError';
}

const AT_ONCE_MAX = 4;
const WAITING_MAX = 400;

type Line = { active: number; readonly waiting: (() => void)[] };

/**
 * Keeps this process from being used against one server: at most four pieces of work at once for each host, the rest wait
 * in the order they came (bad-input G 122). `inTurn` throws `LineFullError` when 400 wait already, and the signal's
 * reason when it aborts first.
 */
export function createHostLines(): HostLines {
  const lines = new Map<string, Line>();
  return {
    inTurn: async (host, signal, work) => {
      const line = lines.get(host) ?? { active: 0, waiting: [] };
      lines.set(host, line);
      if (line.active < AT_ONCE_MAX) line.active += 1;
      else await turn(line, signal);
      try {
        return await work();
      } finally {
        const next = line.waiting.shift();
        // The place is handed on as it is, so nobody who arrives in between can take it.
        if (next !== undefined) next();
        else line.active -= 1;
        if (line.active === 0) lines.delete(host);
      }
    },
  };
}

async function turn(line: Line, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  if (line.waiting.length >= WAITING_MAX) throw new LineFullError('too many wait for this host');
  await new Promise<void>((resolve, reject) => {
    const leave = (): void => {
      line.waiting.splice(line.waiting.indexOf(enter), 1);
      reject(signal.reason);
    };
    const enter = (): void => {
      signal.removeEventListener('abort', leave);
      resolve();
    };
    line.waiting.push(enter);
    signal.addEventListener('abort', leave, { once: true });
  });
}
