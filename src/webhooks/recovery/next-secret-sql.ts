import { type Db, statement } from '../../lib/db.ts';
import type { Uuid } from '../../lib/ids.ts';
import { sealedColumn } from '../../lib/sealing/sealed-sql.ts';
import { UNREADABLE } from '../../lib/sealing/sealed-store.ts';
import type { Sealed } from '../../lib/secrets.ts';

/** The signing secrets that are to replace those of subscriptions. */
export const SEALED_NEXT_SECRETS = sealedColumn({
  kind: 'webhook secrets',
  slice: 'webhooks_next',
  table: 'webhook_next_secret',
  sealed: 'secret_sealed',
  sealedWith: 'secret_sealed_with',
  key: 'subscription_id',
  keyAsText: 'subscription_id::text',
  keyFromText: 'name::uuid',
  order: 'subscription_id',
});

const LOCK = statement<{ id: Uuid }>(
  'webhooks_lock_for_rotation',
  'select id from webhook_subscription where account_id = $1 and id = $2 for no key update',
);

/** Locks a subscription of the account; false when there is none. */
export async function lockForRotation(tx: Db, accountId: Uuid, id: Uuid): Promise<boolean> {
  return (await tx.one(LOCK, [accountId, id])) !== undefined;
}

/** How many a round of the worker moves. */
const MOVED_MAX = 100;

// The subscriptions first, as a rotation does: the other way round each would wait for the other. The row is looked at
// again under the lock: a rotation may have put another secret there meanwhile. One that no key opens stays where it
// is, or it would replace a secret that can be read: it takes over once its key is found, or a rotation replaces it. A
// null is one whose key is being looked for.
const moving = (which: string, busy: string) => `with due as materialized (
     select account_id, subscription_id from webhook_next_secret
     where alone_from <= $1 and secret_sealed_with <> '${UNREADABLE}' ${which} order by alone_from, subscription_id limit ${MOVED_MAX}
   ),
   locked as materialized (
     select s.account_id, s.id from due d join webhook_subscription s on s.account_id = d.account_id and s.id = d.subscription_id
     order by s.id for no key update of s ${busy}
   ),
   moved as (
     delete from webhook_next_secret n using locked l
     where n.account_id = l.account_id and n.subscription_id = l.id and n.alone_from <= $1
       and n.secret_sealed_with <> '${UNREADABLE}'
     returning n.account_id, n.subscription_id, n.secret_sealed, n.secret_sealed_with
   )
   update webhook_subscription s set secret_sealed = m.secret_sealed, secret_sealed_with = m.secret_sealed_with
   from moved m where s.account_id = m.account_id and s.id = m.subscription_id`;

const MOVE = statement<never>('webhooks_move_next_secrets', moving('', 'skip locked'));
// Never skipped: what is put there next would overwrite the secret in use.
const MOVE_OF = statement<never>(
  'webhooks_move_next_secret_of',
  moving('and account_id = $2 and subscription_id = $3', ''),
);

/** Puts the next secrets that sign alone by now in place of the present ones. */
export async function moveNextSecrets(db: Db, now: Date): Promise<void> {
  await db.all(MOVE, [now]);
}

/** As `moveNextSecrets`, for one subscription. */
export async function moveNextSecretOf(tx: Db, accountId: Uuid, id: Uuid, now: Date): Promise<void> {
  await tx.all(MOVE_OF, [now, accountId, id]);
}

const PUT = statement<never>(
  'webhooks_put_next_secret',
  `insert into webhook_next_secret (account_id, subscription_id, secret_sealed, secret_sealed_with, created_at, alone_from)
   values ($1, $2, $3, $4, $5, $6)
   on conflict (account_id, subscription_id) do update set secret_sealed = excluded.secret_sealed,
     secret_sealed_with = excluded.secret_sealed_with, created_at = excluded.created_at, alone_from = excluded.alone_from`,
);

/** Records the next secret of a subscription, in place of one that has not taken over yet. */
export async function putNextSecret(
  tx: Db,
  next: {
    readonly accountId: Uuid;
    readonly id: Uuid;
    readonly sealed: Sealed;
    readonly now: Date;
    readonly aloneFrom: Date;
  },
): Promise<void> {
  const { accountId, id, sealed, now, aloneFrom } = next;
  await tx.all(PUT, [accountId, id, sealed.bytes, sealed.keyId, now, aloneFrom]);
}

/** What signs deliveries of a subscription. */
export type SigningRow = {
  url: string;
  secret_sealed: Buffer;
  secret_sealed_with: string | null;
  next_sealed: Buffer | null;
  next_sealed_with: string | null;
  next_alone_from: Date | null;
};

const SIGNING = statement<SigningRow>(
  'webhooks_signing',
  `select s.url, s.secret_sealed, s.secret_sealed_with, n.secret_sealed as next_sealed, n.secret_sealed_with as next_sealed_with,
     n.alone_from as next_alone_from
   from webhook_subscription s
   left join webhook_next_secret n on n.account_id = s.account_id and n.subscription_id = s.id
   where s.account_id = $1 and s.id = $2`,
);

/** The address and the secrets of a subscription of the account. */
export async function findSigning(db: Db, accountId: Uuid, id: Uuid): Promise<SigningRow | undefined> {
  return db.one(SIGNING, [accountId, id]);
}
