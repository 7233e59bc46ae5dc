import { arrayOf, isMembers, type Members } from '../members.ts';

/** The value that an order of WooCommerce, or what belongs to it, has under a key of its meta. */
export function metaOf(of: Members, key: string): unknown {
  return arrayOf(of.meta_data)
    .filter(isMembers)
    .find((one) => one.key === key)?.value;
}
