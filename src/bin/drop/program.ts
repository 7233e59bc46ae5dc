import type { Command } from 'commander';
import { addCommand } from '../cli-parts.ts';

/** Adds `platen drop`. */
export function addDrop(program: Command): void {
  addCommand(program, 'drop', 'Run the server of DROP_URL, where people of the portal leave pictures for 24 hours')
    .option('--check', 'look instead whether the bucket of DROP_S3_URL is set up')
    // Imported here only: they need neither the database nor the service.
    .action(async ({ check, ...options }: { json?: boolean; check?: boolean }) =>
      check === true
        ? (await import('./check.ts')).checkDrop(options)
        : (await import('./run-drop.ts')).runDrop(options),
    );
}
