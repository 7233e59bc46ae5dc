import type { SealedStore } from '../../lib/sealing/sealed-store.ts';
import {
  countSealedSecrets,
  listSealingKeys,
  lockSealedSecrets,
  noteSealingKey,
  writeSealedSecrets,
} from './sealed-sql.ts';

/** The signing secrets of all subscriptions. */
export const SEALED_SECRETS: SealedStore = {
  kind: 'webhook secrets',
  keys: listSealingKeys,
  count: countSealedSecrets,
  lock: lockSealedSecrets,
  write: writeSealedSecrets,
  note: noteSealingKey,
};
