import type { SignedIn } from '../../../lib/caller.ts';
import type { Context } from '../../../lib/context.ts';
import { ApiError } from '../../../lib/errors.ts';
import type { DropBucket } from '../../../lib/settings/drop.ts';
import type { PermitUploadBody, UploadPermit } from '../drop-schema.ts';
import { BYTES_OF_EACH_MAX, DROPPED_MS, drawPermit, dropPath, FILES_OF_EACH_MAX, PERMIT_MS } from '../permit.ts';
import { countPermittedFile } from './drop-use-sql.ts';
import { presign } from './presign.ts';

/**
 * Permits one picture in the operator's bucket (docs/decisions/0070-a-bucket-for-dropped-files.md).
 * Its two addresses are signed and kept nowhere here. Writes that the account may leave one more file; a permit counts
 * for 24 hours, used or not, since nothing tells the service of its use. Throws 409 once the account has too many.
 */
export async function permitInBucket(
  ctx: Pick<Context, 'database' | 'clock' | 'secrets'>,
  bucket: DropBucket,
  person: SignedIn,
  { type, size }: PermitUploadBody,
): Promise<UploadPermit> {
  // The signature has whole seconds.
  const now = new Date(Math.floor(ctx.clock.now().getTime() / 1_000) * 1_000);
  const counted = await countPermittedFile(
    ctx.database,
    person.accountId,
    { bytes: size, at: now, since: new Date(now.getTime() - DROPPED_MS) },
    { files: FILES_OF_EACH_MAX, bytes: BYTES_OF_EACH_MAX },
  );
  if (counted === 'too much') {
    throw new ApiError(
      'conflict',
      'Your account has left too many files here within 24 hours. Put the picture at an https address and give that.',
    );
  }
  const key =
    bucket.prefix + dropPath(drawPermit(ctx.secrets, person.accountId, { type, size, nowMs: now.getTime() })).slice(1);
  // Of two files by one address the second is refused: what was looked at stays what it was.
  const headers = { 'content-type': type, 'if-none-match': '*' };
  return {
    upload_url: presign(bucket, {
      method: 'PUT',
      key,
      headers: { ...headers, 'content-length': String(size) },
      seconds: PERMIT_MS / 1_000,
      now,
    }),
    // A browser writes the length by itself.
    headers: Object.entries(headers).map(([name, value]) => ({ name, value })),
    upload_until: new Date(now.getTime() + PERMIT_MS).toISOString(),
    url: presign(bucket, {
      method: 'GET',
      key,
      query: { 'response-content-type': type, 'response-content-disposition': 'attachment' },
      seconds: DROPPED_MS / 1_000,
      now,
    }),
    kept_until: new Date(now.getTime() + DROPPED_MS).toISOString(),
  };
}
