import { pino } from 'pino';

export type Log = {
  readonly debug: (fields: object, message: string) => void;
  readonly info: (fields: object, message: string) => void;
  readonly warn: (fields: object, message: string) => void;
  readonly error: (fields: object, message: string) => void;
};

export type LogLevel = 'silent' | 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace';

/**
 * A structured log: a JSON object a line on standard error. What is logged is chosen field by field at the call; bodies,
 * headers, tokens, signing secrets and query strings are never passed in, and the redaction below is the second net.
 */
export function createLog(level: LogLevel): Log {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: ['authorization', '*.authorization', 'token', '*.token', 'secret', '*.secret', 'password', '*.password'],
    },
    pino.destination({ fd: 2, sync: false }),
  );
}

export const silentLog: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
