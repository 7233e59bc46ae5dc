import type { ArtworkFacts } from '../../artwork/preflight/preflight.ts';
import { reserveBlobs } from '../../artwork/reserve-blobs.ts';
import type { Caller } from '../../lib/caller.ts';
import { type Problem, validationFailed } from '../../lib/errors.ts';
import type { Artworks } from '../ingest-designs.ts';
import type { ProductsContext } from '../read-products.ts';
import { readDesigns } from './designer-sql.ts';

/** Designs that a body names, by the places of its areas. */
export type OwnDesigns = {
  readonly at: (index: number) => { readonly hash: string; readonly facts: ArtworkFacts };
  readonly artworks: Artworks;
};

type Named = { readonly decoration?: { readonly areas: readonly { readonly design: string }[] } };

/**
 * Finds the designs of the account that a body names, and dates their last use.
 * So none of them is collected meanwhile. Throws 422 for one that the account does not have, or no longer: another
 * account's is the same.
 */
export async function findOwnDesigns(
  ctx: ProductsContext,
  { accountId }: Pick<Caller, 'accountId'>,
  { decoration }: Named,
): Promise<OwnDesigns> {
  const areas = decoration?.areas ?? [];
  const hashes = [...new Set(areas.map(({ design }) => design))];
  // Only what the account has is dated: the name of another's design keeps nothing.
  const known = (await readDesigns(ctx.database, accountId, hashes)).map(({ hash }) => hash);
  if (known.length > 0) await reserveBlobs(ctx, known);
  const rows = new Map((await readDesigns(ctx.database, accountId, known)).map((row) => [row.hash, row]));
  const problems = areas.flatMap(({ design }, index): Problem[] =>
    rows.has(design) ? [] : [{ path: `decoration.areas[${index}].design`, code: 'unknown_design', message: UNKNOWN }],
  );
  if (problems.length > 0) throw validationFailed(problems);
  const at: OwnDesigns['at'] = (index) => {
    const row = rows.get(areas[index]?.design ?? '');
    if (row === undefined) throw new Error('a design of a body was not found');
    return { hash: row.hash, facts: { ...row.report, widthPx: row.width_px, heightPx: row.height_px } };
  };
  const pictureAt: Artworks['pictureAt'] = (index) => ({ hash: at(index).hash, report: at(index).facts });
  // The mockup stays as it is: a new product has none, and the drawn ones show it.
  return { at, artworks: { pictureAt, mockupHash: undefined, keep: async () => {} } };
}

const UNKNOWN = 'The account has no such design any more. Give the artwork again.';
