import type { DropFolder } from '../../http/drop/drop-folder.ts';
import { messageOf } from '../../lib/error-message.ts';

const SWEEP_MS = 600_000;

/** Removes the files whose time is over, at once and every ten minutes. */
export function startSweeping(folder: DropFolder): { readonly stop: () => void } {
  const sweep = (): void => {
    folder.sweep().catch((error: unknown) => {
      process.stderr.write(`platen: the drop could not be swept: ${messageOf(error)}\n`);
    });
  };
  sweep();
  const timer = setInterval(sweep, SWEEP_MS);
  return { stop: () => clearInterval(timer) };
}
