import { parseId } from '../../../src/lib/ids.ts';
import type { TestService } from '../../harness/service.ts';
import { rows } from '../../harness/written.ts';

/** Lets a shop sell a product that has no artwork as it is. */
export async function sellBlanks(service: TestService, channelId: string): Promise<void> {
  const set = 'update channel set makes_blanks = true where id = $1 returning id';
  await rows(service, set, [parseId('chan', channelId) ?? '']);
}
