import { createHash } from 'node:crypto';

/** A digest by which a restore tells whether it has the key of a backup. */
export function secretKeyCheck(backup: string, secretKey: string): string {
  return createHash('sha256').update(`platen backup ${backup} ${secretKey}`).digest('hex');
}
