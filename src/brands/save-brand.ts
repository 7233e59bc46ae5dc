import { lockAccount } from '../accounts/lock-account.ts';
import type { ArtworkContext } from '../artwork/context.ts';
import { ingestArtwork } from '../artwork/ingest.ts';
import { makeLogo } from '../artwork/logo/make-logo.ts';
import type { Caller } from '../lib/caller.ts';
import type { Db } from '../lib/db.ts';
import { ApiError, notFound, validationFailed } from '../lib/errors.ts';
import { newId, publicId, type Uuid } from '../lib/ids.ts';
import { unknownFieldWarnings } from '../lib/validation/unknown-field-warnings.ts';
import type { UnknownField } from '../lib/validation/validate.ts';
import { nameKeyOf } from './name-key.ts';
import { readOwnBrand } from './read-brands.ts';
import type { BrandDraft, CreateBrandBody, UpdateBrandBody, WrittenBrand } from './schema.ts';
import {
  BRANDS_MAX,
  type BrandContent,
  type BrandRow,
  countBrands,
  findBrand,
  findBrandsByKey,
  insertBrand,
  reviseBrand,
  setDefaultBrand,
} from './sql.ts';
import { brandView } from './view.ts';

/** A request to write a brand. */
export type SaveBrandRequest<Body> = {
  readonly body: Body;
  /** Members that the schema does not know. */
  readonly unknownFields: readonly UnknownField[];
  /** Fires when the caller has gone away. */
  readonly signal: AbortSignal;
};

/**
 * Creates a brand.
 * The logo is fetched, checked and made small first; then the brand is one transaction under the lock of the account,
 * so that bound and names hold in a race. A process that dies in between leaves a stored file that nothing uses, which
 * the collection finds. Throws 422 for a name that another brand has, one brand too many, and a logo that fails its
 * checks.
 */
export async function createBrand(
  ctx: ArtworkContext,
  { accountId }: Caller,
  { body, unknownFields, signal }: SaveBrandRequest<CreateBrandBody>,
): Promise<WrittenBrand> {
  // Refused before anything is fetched, and looked at again under the lock.
  await refuseCreation(ctx.database, accountId, body.name);
  const logo = await fetchLogo(ctx, accountId, { url: body.logo_url, signal });
  const row = await ctx.database.transaction(async (tx) => {
    await lockAccount(tx, accountId);
    await refuseCreation(tx, accountId, body.name);
    const now = ctx.clock.now();
    const brandId = newId(now.getTime());
    const content = changedContent(EMPTY, body, logo);
    await insertBrand(tx, {
      accountId,
      brandId,
      id: newId(now.getTime()),
      nameKey: nameKeyOf(body.name),
      content,
      now,
    });
    if (body.is_default === true) await setDefaultBrand(tx, accountId, brandId);
    return readWritten(tx, accountId, brandId);
  });
  return { ...brandView(ctx, row), warnings: unknownFieldWarnings(unknownFields) };
}

/**
 * Changes the members of a brand that were sent; placed orders keep what they were placed with.
 * A body that changes nothing writes nothing. Throws 404, 409 for an archived brand, and 422 as a creation does.
 */
export async function updateBrand(
  ctx: ArtworkContext,
  caller: Caller,
  brandId: string,
  { body, unknownFields, signal }: SaveBrandRequest<UpdateBrandBody>,
): Promise<WrittenBrand> {
  const { accountId } = caller;
  const before = await readOwnBrand(ctx, caller, brandId);
  const { id } = before;
  await refuseChange(ctx.database, accountId, before, body.name);
  const logo = await fetchLogo(ctx, accountId, { url: body.logo_url, signal });
  const row = await ctx.database.transaction(async (tx) => {
    await lockAccount(tx, accountId);
    const locked = await findBrand(tx, accountId, id);
    if (locked === undefined) throw notFound();
    await refuseChange(tx, accountId, locked, body.name);
    const content = changedContent(locked, body, logo);
    if (!isSameContent(content, locked)) {
      const now = ctx.clock.now();
      const revision = {
        accountId,
        brandId: id,
        id: newId(now.getTime()),
        nameKey: nameKeyOf(content.name),
        content,
        now,
      };
      await reviseBrand(tx, revision);
    }
    if (body.is_default !== undefined && body.is_default !== locked.is_default) {
      await setDefaultBrand(tx, accountId, body.is_default ? id : null);
    }
    return readWritten(tx, accountId, id);
  });
  return { ...brandView(ctx, row), warnings: unknownFieldWarnings(unknownFields) };
}

async function refuseCreation(db: Db, accountId: Uuid, name: string): Promise<void> {
  await refuseTakenName(db, accountId, name, undefined);
  if ((await countBrands(db, accountId)) < BRANDS_MAX) return;
  const message = `An account can have at most ${BRANDS_MAX} brands. Archive one first.`;
  throw validationFailed([{ path: '', code: 'too_many', message }]);
}

async function refuseChange(db: Db, accountId: Uuid, brand: BrandRow, name: string | undefined): Promise<void> {
  if (brand.archived_at !== null) {
    throw new ApiError('conflict', 'This brand is archived and cannot be changed. Create another one.');
  }
  if (name !== undefined) await refuseTakenName(db, accountId, name, brand.id);
}

async function refuseTakenName(db: Db, accountId: Uuid, name: string, own: Uuid | undefined): Promise<void> {
  const [other] = await findBrandsByKey(db, accountId, [nameKeyOf(name)]);
  if (other === undefined || other.id === own) return;
  const message = `Your brand ${publicId('brand', other.id)} has this name already. Give this one another name.`;
  throw validationFailed([{ path: 'name', code: 'name_taken', message }]);
}

/** Hex of the stored logo; null for none, undefined where the request does not say. */
type Logo = string | null | undefined;

/** Fetches a logo, checks it as any artwork, and stores it as it is printed. Throws 422. */
async function fetchLogo(
  ctx: ArtworkContext,
  accountId: Uuid,
  { url, signal }: { readonly url: string | null | undefined; readonly signal: AbortSignal },
): Promise<Logo> {
  if (url === undefined || url === null) return url;
  const intake = await ingestArtwork(ctx, accountId, [{ url, path: 'logo_url' }], signal);
  try {
    if (intake.problems.length > 0) throw validationFailed(intake.problems);
    const picture = intake.pictures.get(url);
    if (picture === undefined) throw new Error('a picture that was fetched is gone');
    const logo = await makeLogo(ctx, picture.staged.path);
    if (logo.kind === 'made') return logo.hash;
    throw validationFailed([{ path: 'logo_url', code: 'corrupt', message: logo.message }]);
  } finally {
    await intake.discard();
  }
}

const EMPTY: BrandContent = {
  name: '',
  message: '',
  support_email: '',
  website: '',
  return_lines: [],
  logo_hash: null,
};

/** What would be printed of a brand that is not saved. */
export function draftContent(draft: Omit<BrandDraft, 'logo_of'>, logo: string | null): BrandContent {
  return changedContent(EMPTY, draft, logo);
}

function changedContent(before: BrandContent, body: UpdateBrandBody, logo: Logo): BrandContent {
  return {
    name: body.name?.trim() ?? before.name,
    message: body.message?.trim() ?? before.message,
    support_email: body.support_email ?? before.support_email,
    website: body.website ?? before.website,
    return_lines: body.return_lines?.map((line) => line.trim()) ?? before.return_lines,
    logo_hash: logo === undefined ? before.logo_hash : logo,
  };
}

const MEMBERS = Object.keys(EMPTY) as (keyof BrandContent)[];

function isSameContent(one: BrandContent, other: BrandContent): boolean {
  return MEMBERS.every((member) => JSON.stringify(one[member]) === JSON.stringify(other[member]));
}

async function readWritten(tx: Db, accountId: Uuid, id: Uuid): Promise<BrandRow> {
  const row = await findBrand(tx, accountId, id);
  if (row === undefined) throw new Error('a brand that was written is gone');
  return row;
}
