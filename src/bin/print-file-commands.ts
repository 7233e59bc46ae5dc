import { retryAllPrintFiles } from '../artwork/retry-print-files.ts';
import { commandLineActor } from './access-commands.ts';
import { type Output, withContext } from './commands.ts';
import { printResult } from './report.ts';

/** `platen print-files retry` */
export async function retryFailedPrintFiles(options: Output): Promise<void> {
  await withContext('migrated', async (ctx) => {
    const result = await retryAllPrintFiles(ctx, commandLineActor());
    printResult(options, result, [`Print files that are made again: ${result.retried}. Still failed: ${result.left}.`]);
  });
}
