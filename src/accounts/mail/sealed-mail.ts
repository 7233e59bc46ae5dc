import { sealedColumn } from '../../lib/sealing/sealed-sql.ts';

/** What mails that wait say. */
export const SEALED_MAIL = sealedColumn({
  kind: 'mails',
  slice: 'accounts_mail',
  table: 'mail_content',
  sealed: 'sealed',
  sealedWith: 'sealed_with',
  key: 'mail_id',
  keyAsText: 'mail_id::text',
  keyFromText: 'name::uuid',
  order: 'mail_id',
});
