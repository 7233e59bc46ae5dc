import type { Command } from 'commander';
import { addCommand } from '../cli-parts.ts';

/** Adds `platen drop`. */
export function addDrop(program: Command): void {
  addCommand(program, 'drop', 'Run the server of DROP_URL, where people of the portal leave pictures for 24 hours')
    // Imported here only: it needs neither the database nor the service.
    .action(async (options: { json?: boolean }) => (await import('./run-drop.ts')).runDrop(options));
}
