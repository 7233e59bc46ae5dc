import { isMembers, textOf } from '../members.ts';
import type { Shop } from '../port.ts';
import { rowsOf } from './changes.ts';

/**
 * Whether the list of a shop, which answers, does not hold an id.
 * What stands before a Medusa that is off for a moment answers 404 to everything, as Medusa does for what was deleted.
 */
export async function isGoneFromMedusa(shop: Shop, list: 'orders' | 'products', id: string): Promise<boolean> {
  const rows = await rowsOf(shop, list, { offset: '0', fields: 'id' }, [id]);
  return !rows.some((row) => isMembers(row) && textOf(row.id) === id);
}
