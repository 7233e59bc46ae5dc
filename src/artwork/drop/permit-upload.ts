import type { SignedIn } from '../../lib/caller.ts';
import type { Context } from '../../lib/context.ts';
import { ApiError } from '../../lib/errors.ts';
import type { PermitUploadBody, UploadPermit } from './drop-schema.ts';
import { DROPPED_MS, drawPermit, dropPath, signPermit } from './permit.ts';

/** Permits a person to leave one picture in the drop (docs/decisions/0056-the-drop.md). Writes nothing. */
export function permitUpload(ctx: Context, person: SignedIn, { type, size }: PermitUploadBody): UploadPermit {
  const { dropUrl, dropFilesUrl = dropUrl } = ctx.config;
  if (dropUrl === undefined || dropFilesUrl === undefined) {
    throw new ApiError('conflict', 'Files cannot be left here. Put the picture at an https address and give that.');
  }
  const nowMs = ctx.clock.now().getTime();
  const permit = drawPermit(ctx.secrets, person.accountId, { type, size, nowMs });
  return {
    upload_url: `${dropUrl}/files`,
    permit: signPermit(ctx.secrets, permit),
    url: dropFilesUrl + dropPath(permit),
    kept_until: new Date(nowMs + DROPPED_MS).toISOString(),
  };
}
