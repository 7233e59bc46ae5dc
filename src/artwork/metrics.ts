import { createCounter } from '../lib/metrics/instruments.ts';

/** `failed` is an attempt that is repeated, `given_up` the end of the last one. */
type PrintFileResult = 'made' | 'failed' | 'given_up';

const count = createCounter({
  name: 'platen_print_files_total',
  help: 'Print files that were made, attempts that failed, and files that were given up after the last attempt.',
  labels: ['result'],
  series: [{ result: 'made' }, { result: 'failed' }, { result: 'given_up' }],
});

/** Counts what became of a print file, once it is recorded. */
export function countPrintFile(result: PrintFileResult): void {
  count({ result });
}
