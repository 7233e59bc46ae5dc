import { fileURLToPath } from 'node:url';
import { lockAccount } from '../../accounts/lock-account.ts';
import type { AppContext } from '../../app/context.ts';
import { makeLogo } from '../../artwork/logo/make-logo.ts';
import { nameKeyOf } from '../../brands/name-key.ts';
import { draftContent } from '../../brands/save-brand.ts';
import { findBrandsByKey, insertBrand, setDefaultBrand } from '../../brands/sql.ts';
import { newId, type Uuid } from '../../lib/ids.ts';

/** What the parcels of the demo customer carry in place of the print shop's name. */
const BRAND = {
  name: 'Harbour & Pine',
  message: 'Thank you for ordering from our quay. If anything is not as it should be, write to us and we put it right.',
  support_email: 'hello@harbour-pine.example',
  website: 'https://harbour-pine.example',
  return_lines: ['Harbour & Pine', '3 Custom House Quay', 'Falmouth', 'TR11 3JT'],
};

const LOGO = new URL('../../../data/demo/month/harbour_lights.png', import.meta.url);

/** Gives the demo customer its brand, the default of its orders, unless it has one of that name. */
export async function openDemoBrand(ctx: AppContext, accountId: Uuid): Promise<void> {
  const nameKey = nameKeyOf(BRAND.name);
  if ((await findBrandsByKey(ctx.database, accountId, [nameKey])).length > 0) return;
  const logo = await makeLogo(ctx, fileURLToPath(LOGO));
  if (logo.kind === 'failed') throw new Error(`data/demo/month/harbour_lights.png: ${logo.message}`);
  const now = ctx.clock.now();
  const brandId = newId(now.getTime());
  await ctx.database.transaction(async (tx) => {
    await lockAccount(tx, accountId);
    const content = draftContent(BRAND, logo.hash);
    await insertBrand(tx, { accountId, brandId, id: newId(now.getTime()), nameKey, content, now });
    await setDefaultBrand(tx, accountId, brandId);
  });
}
