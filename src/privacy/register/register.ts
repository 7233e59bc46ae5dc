import type { Personal, TableEntry } from './entry.ts';
import { ACCOUNT_TABLES } from './tables-accounts.ts';
import { ORDER_TABLES } from './tables-orders.ts';
import { SHOP_TABLES } from './tables-shop.ts';

/** The register of all tables (UK GDPR, article 30), which `test/house/personal-data.test.ts` compares. */
export const TABLES: Readonly<Record<string, TableEntry>> = {
  ...ORDER_TABLES,
  ...ACCOUNT_TABLES,
  ...SHOP_TABLES,
};

/** A column of the register; `personal` is undefined where it holds no personal data. */
export type RegisteredColumn = {
  readonly table: string;
  readonly column: string;
  readonly personal: Personal | undefined;
};

/** Every column of the register, each as often as it is listed. */
export function registeredColumns(): RegisteredColumn[] {
  return Object.entries(TABLES).flatMap(([table, { plain, personal = {} }]) => [
    ...plain
      .split(/\s+/)
      .filter((name) => name !== '')
      .map((column) => ({ table, column, personal: undefined })),
    ...Object.entries(personal).map(([column, entry]) => ({ table, column, personal: entry })),
  ]);
}
