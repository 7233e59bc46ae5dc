import type { Caller } from '../../lib/caller.ts';
import type { Db } from '../../lib/db.ts';
import { ApiError, notFound, type Problem, validationFailed } from '../../lib/errors.ts';
import { parseId, type Uuid } from '../../lib/ids.ts';
import { designsOf, type PersonalisationTemplate, readDraft } from '../personalisation-template.ts';
import type { ProductsContext } from '../read-products.ts';
import { getTemplate } from './read-templates.ts';
import type { SaveTemplateBody, Template } from './template-schema.ts';
import { type LockedTemplate, lockTemplate, saveDraftRow, useDesigns } from './template-sql.ts';

/**
 * Saves the draft of a personalised product. Orders go on being read by what is published.
 * A draft may lack what publishing asks for; its reply lists that. Throws 404, 422 for what is no template or names a
 * picture that the account does not have, and 409 when the draft was changed since the version that was sent, or the
 * product is archived. Locks the product, then the pictures.
 */
export async function saveTemplate(
  ctx: ProductsContext,
  caller: Caller,
  publicProductId: string,
  body: SaveTemplateBody,
): Promise<Template> {
  const { accountId } = caller;
  const id = parseId('prod', publicProductId);
  if (id === undefined) throw notFound();
  const read = readDraft(body.template, 'template');
  if (read.kind === 'refused') throw validationFailed(read.problems);
  await ctx.database.transaction(async (tx) => {
    const locked = await lockDraft(tx, accountId, id);
    refuseOtherDraft(locked, body.version);
    const problems = await pictureProblems(tx, accountId, read.value, ctx.clock.now());
    if (problems.length > 0) throw validationFailed(problems);
    await saveDraftRow(tx, accountId, id, read.value);
  });
  return getTemplate(ctx, caller, publicProductId);
}

/** Locks a personalised product. Throws 404 when the account has no such, 409 when it is archived. */
export async function lockDraft(tx: Db, accountId: Uuid, id: Uuid): Promise<LockedTemplate> {
  const locked = await lockTemplate(tx, accountId, id);
  if (locked === undefined) throw notFound();
  if (locked.status !== 'archived') return locked;
  throw new ApiError('conflict', 'This product is archived and cannot be changed. Create a new one in its place.');
}

/** Throws 409 when the draft is not the one that the caller has seen. */
export function refuseOtherDraft({ draft_version: present }: LockedTemplate, seen: number): void {
  if (present === seen) return;
  const detail = `This template was changed meanwhile: it is at version ${present}, and yours began from ${seen}. Load it again; nothing was overwritten.`;
  throw new ApiError('conflict', detail);
}

const HASH = /^[0-9a-f]{64}$/;

/** Finds options whose picture the account does not have. The others count as used now. */
export async function pictureProblems(
  tx: Db,
  accountId: Uuid,
  template: PersonalisationTemplate,
  now: Date,
): Promise<Problem[]> {
  const hashes = designsOf(template).filter((design) => HASH.test(design));
  const known = await useDesigns(tx, accountId, hashes, now);
  return template.layers.flatMap((layer, index) =>
    layer.type !== 'image_select'
      ? []
      : layer.options.flatMap(({ name, design }, at): Problem[] => {
          if (known.has(design)) return [];
          const message = `The picture of ${name === '' ? 'this option' : name} is not stored. Add it again.`;
          const path = `template.layers[${index}].options[${at}].design`;
          return [{ path, code: 'unknown_picture', message }];
        }),
  );
}
