import type { SealedStore } from '../lib/sealing/sealed-store.ts';
import {
  countSealedRecords,
  listRecordKeys,
  lockSealedRecords,
  noteRecordKey,
  writeSealedRecords,
} from './sealed-sql.ts';

/** The sessions, refresh tokens, codes and pending sign-ins of the OAuth library. */
export const SEALED_RECORDS: SealedStore = {
  kind: 'sign-ins',
  keys: listRecordKeys,
  count: countSealedRecords,
  lock: lockSealedRecords,
  write: writeSealedRecords,
  note: noteRecordKey,
};
