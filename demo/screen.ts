import { styleText } from 'node:util';
import { fromPounds, type Pence } from '../src/lib/money.ts';

/** The story's one screen of 80 columns; coloured on a terminal only, and not where NO_COLOR is set. */
export type Screen = {
  readonly title: (text: string) => void;
  /** Something has happened, at this moment of the story. */
  readonly step: (text: string) => void;
  /** More about the step above. */
  readonly detail: (text: string) => void;
  /** A detail with an amount at the right edge. */
  readonly amount: (text: string, amount: Pence) => void;
  readonly total: (text: string, amount: Pence) => void;
  /** What a reader takes away. */
  readonly result: (text: string) => void;
  readonly gap: () => void;
};

const COLUMNS = 80;
const INDENT = ' '.repeat(10);
const AMOUNT_COLUMNS = 12;

/** Starts the story's clock and writes to standard output. */
export function createScreen(): Screen {
  const startedAt = performance.now();
  const say = (line: string): void => void process.stdout.write(`${line}\n`);
  const elapsed = (): string => {
    const seconds = `${((performance.now() - startedAt) / 1_000).toFixed(1)} s`;
    return styleText('dim', seconds.padStart(INDENT.length - 2));
  };
  const row = (text: string, amount: Pence): string =>
    text.padEnd(COLUMNS - INDENT.length - AMOUNT_COLUMNS) + inPounds(amount).padStart(AMOUNT_COLUMNS);
  return {
    title: (text) => say(`${styleText('bold', text)}\n`),
    step: (text) => say(`${elapsed()}  ${text}`),
    detail: (text) => say(INDENT + styleText('dim', text)),
    amount: (text, amount) => say(INDENT + row(text, amount)),
    total: (text, amount) => say(INDENT + styleText('bold', row(text, amount))),
    result: (text) => say(INDENT + styleText('green', text)),
    gap: () => say(''),
  };
}

const POUNDS = new Intl.NumberFormat('en-GB', { style: 'currency', currency: 'GBP' });

/** An amount as a person reads it: `£1,234.50`. */
export function inPounds(amount: Pence): string {
  return POUNDS.format(amount / 100);
}

/** An amount of an answer of the API as pence, so that it can be added up. Throws on more than two decimals. */
export function penceOf(amount: number): Pence {
  const exact = fromPounds(amount);
  if (exact === undefined) throw new Error(`${amount} is not an amount in pounds and pence`);
  return exact;
}
