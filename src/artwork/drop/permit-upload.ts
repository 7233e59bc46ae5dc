import type { SignedIn } from '../../lib/caller.ts';
import type { Context } from '../../lib/context.ts';
import { ApiError } from '../../lib/errors.ts';
import { permitInBucket } from './bucket/permit-in-bucket.ts';
import type { PermitUploadBody, UploadPermit } from './drop-schema.ts';
import { DROPPED_MS, drawPermit, dropPath, signPermit } from './permit.ts';

/**
 * Permits a person to leave one picture in the drop, or in the operator's bucket.
 * See docs/decisions/0056-the-drop.md. Throws 409 where there is neither.
 */
export async function permitUpload(ctx: Context, person: SignedIn, input: PermitUploadBody): Promise<UploadPermit> {
  const { dropUrl, dropFilesUrl = dropUrl, dropBucket } = ctx.config;
  if (dropBucket !== undefined) return permitInBucket(ctx, dropBucket, person, input);
  if (dropUrl === undefined || dropFilesUrl === undefined) {
    throw new ApiError('conflict', 'Files cannot be left here. Put the picture at an https address and give that.');
  }
  const { type, size } = input;
  const nowMs = ctx.clock.now().getTime();
  const permit = drawPermit(ctx.secrets, person.accountId, { type, size, nowMs });
  return {
    upload_url: `${dropUrl}/files`,
    headers: [
      { name: 'authorization', value: `Bearer ${signPermit(ctx.secrets, permit)}` },
      { name: 'content-type', value: type },
    ],
    upload_until: new Date(permit.until).toISOString(),
    url: dropFilesUrl + dropPath(permit),
    kept_until: new Date(nowMs + DROPPED_MS).toISOString(),
  };
}
