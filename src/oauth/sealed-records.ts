import { sealedColumn } from '../lib/sealing/sealed-sql.ts';

/** The sessions, refresh tokens, codes and pending sign-ins of the OAuth library. */
export const SEALED_RECORDS = sealedColumn({
  kind: 'sign-ins',
  slice: 'oauth',
  table: 'oauth_record',
  sealed: 'sealed',
  sealedWith: 'sealed_with',
  key: 'key_hash',
  keyAsText: "encode(key_hash, 'hex')",
  keyFromText: "decode(name, 'hex')",
  order: 'expires_at desc',
  inUse: 'expires_at > $1',
});
