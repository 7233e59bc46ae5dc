import { sealedColumn } from '../lib/sealing/sealed-sql.ts';

/** The signing secrets of all subscriptions. */
export const SEALED_SECRETS = sealedColumn({
  kind: 'webhook secrets',
  slice: 'webhooks',
  table: 'webhook_subscription',
  sealed: 'secret_sealed',
  sealedWith: 'secret_sealed_with',
  key: 'id',
  keyAsText: 'id::text',
  keyFromText: 'name::uuid',
  order: 'id',
});
