import { adoptStore } from '../../artwork/store/marker.ts';
import { type Output, withContext } from '../commands.ts';
import { printResult } from '../report.ts';

/** `platen store adopt` */
export async function adopt(options: Output & { readonly evenIfLacking?: boolean }): Promise<void> {
  await withContext('migrated', async (ctx) => {
    const { id, looked, lacking } = await adoptStore(ctx, options.evenIfLacking === true);
    printResult(options, { store: id, looked, lacking }, [
      `The blob store ${id} is the one of this database now.`,
      `Recorded files that were looked for: ${looked}, of which it lacks ${lacking}.`,
    ]);
  });
}
