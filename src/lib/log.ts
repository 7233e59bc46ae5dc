import { pino } from 'pino';
import { type LogSink, openLogSink } from './log/log-sink.ts';
import { countLogLine } from './metrics/log-lines.ts';

export type Log = {
  readonly debug: (fields: object, message: string) => void;
  readonly info: (fields: object, message: string) => void;
  readonly warn: (fields: object, message: string) => void;
  readonly error: (fields: object, message: string) => void;
};

export type LogLevel = 'silent' | 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace';

/**
 * A structured log: one JSON object a line on standard error.
 * What is logged is chosen field by field at the call. Bodies, headers, tokens, signing secrets and
 * query strings are never passed in; the redaction below is a second safeguard.
 */
export function createLog(level: LogLevel): Log {
  const lines = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: ['authorization', '*.authorization', 'token', '*.token', 'secret', '*.secret', 'password', '*.password'],
    },
    standardError(),
  );
  return {
    debug: (fields, message) => lines.debug(fields, message),
    info: (fields, message) => lines.info(fields, message),
    warn: (fields, message) => {
      countLogLine('warn', message);
      lines.warn(fields, message);
    },
    error: (fields, message) => {
      countLogLine('error', message);
      lines.error(fields, message);
    },
  };
}

let shared: LogSink | undefined;

/** One for the whole process, which ends with it. */
function standardError(): LogSink {
  if (shared !== undefined) return shared;
  const sink = openLogSink(2);
  process.once('exit', sink.end);
  shared = sink;
  return sink;
}

export const silentLog: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
