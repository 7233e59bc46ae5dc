import { parseArgs } from 'node:util';

/** What `npm run bench` was asked for. */
export type Options = {
  readonly only: readonly string[];
  readonly seconds: number;
  readonly rounds: number;
  readonly install: boolean;
  readonly plots: boolean;
  readonly help: boolean;
};

const SECONDS_MAX = 60;
const ROUNDS_MAX = 25;

/**
 * Reads the arguments of `npm run bench`.
 * Throws an `Error` whose message names the argument and what would be right. `names` are the measures that `--only`
 * may choose.
 */
export function parseOptions(args: readonly string[], names: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: 'string' },
      seconds: { type: 'string', default: '4' },
      rounds: { type: 'string', default: '5' },
      install: { type: 'boolean', default: false },
      plots: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const only = (values.only?.split(',') ?? []).map((name) => name.trim());
  const unknown = only.filter((name) => !names.includes(name));
  if (unknown.length > 0) {
    throw new Error(`--only ${unknown.join(',')} is not a measure; these are: ${names.join(', ')}`);
  }
  if (only.length > 0 && values.plots) {
    throw new Error('--plots writes the figures of one whole run; leave out --only');
  }
  const seconds = Number(values.seconds);
  if (!(seconds > 0 && seconds <= SECONDS_MAX)) {
    throw new Error(`--seconds must be a number above 0 and at most ${SECONDS_MAX}, and is ${values.seconds}`);
  }
  const rounds = Number(values.rounds);
  if (!(Number.isInteger(rounds) && rounds >= 1 && rounds <= ROUNDS_MAX)) {
    throw new Error(`--rounds must be a whole number from 1 to ${ROUNDS_MAX}, and is ${values.rounds}`);
  }
  return { only, seconds, rounds, install: values.install, plots: values.plots, help: values.help };
}
