import { sealedColumn } from '../../lib/sealing/sealed-sql.ts';

/** The secrets that people's apps make codes from. */
export const SEALED_FACTORS = sealedColumn({
  kind: 'second factors',
  slice: 'accounts_factor',
  table: 'second_factor',
  sealed: 'secret_sealed',
  sealedWith: 'sealed_with',
  key: 'user_id',
  keyAsText: 'user_id::text',
  keyFromText: 'name::uuid',
  order: 'user_id',
});
