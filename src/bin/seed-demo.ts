import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createAccount } from '../accounts/create-account.ts';
import { mintToken } from '../accounts/mint-token.ts';
import { findAccountByName } from '../accounts/sql.ts';
import type { AppContext } from '../app/context.ts';
import { inspectImage } from '../artwork/inspect.ts';
import { reserveBlobs } from '../artwork/reserve-blobs.ts';
import { keepDesigns } from '../artwork/sql.ts';
import { creditAccount } from '../billing/credit-account.ts';
import type { BaseProduct } from '../catalogue/reference.ts';
import { readVersions, recordCount } from '../catalogue/sql.ts';
import { validationFailed } from '../lib/errors.ts';
import { newId, publicId, type Uuid } from '../lib/ids.ts';
import { type Pence, pence } from '../lib/money.ts';
import { importCatalogue } from '../pricing/import-catalogue.ts';
import { type PersonalisationTemplate, readTemplate } from '../products/personalisation-template.ts';
import { findProductByName, insertProduct } from '../products/sql.ts';

export type DemoReport = {
  readonly account_id: string;
  readonly token: string;
  readonly products: { readonly fixed: string; readonly personalised: string };
};

const FOLDER = new URL('../../data/demo/', import.meta.url);
type SeededAccount = { readonly name: string; readonly balancePence: Pence };

export const DEMO_ACCOUNT: SeededAccount = { name: 'Demo Print Club', balancePence: pence(500_000) };

/** A product of a file of demo data; its designs and its mockup are pictures of the same folder. */
export type DemoProduct = {
  key: string;
  name: string;
  description: string;
  tags: string[];
  retail_price_pence: number;
  master_sku: string;
  variant_skus: string[];
  areas?: {
    print_area: string;
    method: string;
    design: string;
    position: { x: number; y: number; scale: number; rotation: number };
  }[];
  template?: unknown;
};

type DemoProducts = {
  designs: { design: string }[];
  products: (DemoProduct & { key: 'fixed' | 'personalised' })[];
};

/** The designs of a product by their names, and its mockup: paths below `data/demo`. */
type DemoPictures = { readonly designs: ReadonlyMap<string, string>; readonly mockup: string };

/**
 * Puts the demo print shop into the database.
 * Catalogue, stock and price book unless there is a catalogue already, one account with a balance, and its two
 * products. What exists is reused; the token is a new one each time.
 */
export async function seedDemo(ctx: AppContext, account: SeededAccount = DEMO_ACCOUNT): Promise<DemoReport> {
  await seedCatalogue(ctx);
  const { name, balancePence } = account;
  const accountId = (await findAccountByName(ctx.database, name)) ?? (await createAccount(ctx, { name }));
  if (balancePence > 0) {
    await creditAccount(ctx, { accountId, amountPence: balancePence, reference: 'demo opening balance' });
  }
  const products = await seedDemoProducts(ctx, accountId);
  const { token } = await mintToken(ctx, { accountId, name: 'demo' });
  return { account_id: publicId('acct', accountId), token, products };
}

/** Adds the two products that every demo account has. */
export async function seedDemoProducts(ctx: AppContext, accountId: Uuid): Promise<DemoReport['products']> {
  const file = (await readDemo('products.json')) as DemoProducts;
  const products = { fixed: '', personalised: '' };
  for (const product of file.products) {
    const designs = new Map(file.designs.map(({ design }) => [design, `designs/${design}.png`]));
    const id = await seedProduct(ctx, accountId, product, { designs, mockup: `mockups/${product.key}.png` });
    products[product.key] = publicId('prod', id);
  }
  return products;
}

/** Puts the demo catalogue, its prices and the stock into a database that has no catalogue. */
export async function seedCatalogue(ctx: AppContext): Promise<void> {
  if ((await readVersions(ctx.database)).catalogueVersion > 0) return;
  await importCatalogue(ctx, await readDemo('catalogue.json'));
  const stock = (await readDemo('stock.json')) as { sku: string; on_hand: number }[];
  const now = ctx.clock.now();
  await ctx.database.transaction(async (tx) => {
    for (const { sku, on_hand: onHand } of stock) {
      await recordCount(tx, { sku, onHand, reason: 'demo data', actor: 'seed demo', now });
    }
  });
}

/** Adds a product of the demo to an account, unless it has one of that name. Returns its id. */
export async function seedProduct(
  ctx: AppContext,
  accountId: Uuid,
  product: DemoProduct,
  pictures: DemoPictures,
): Promise<Uuid> {
  const known = await findProductByName(ctx.database, accountId, product.name);
  if (known !== undefined) return known;
  const base = (await ctx.catalogue.latest()).baseProducts.find(({ entry }) => entry.master_sku === product.master_sku);
  if (base === undefined)
    throw new Error(`the catalogue has no ${product.master_sku}, which the demo product is made of`);
  const designs = new Map<string, string>();
  for (const [design, path] of pictures.designs) designs.set(design, await storePicture(ctx, accountId, path));
  const now = ctx.clock.now();
  const id = newId(now.getTime());
  await insertProduct(ctx.database, {
    id,
    accountId,
    baseProductId: base.id,
    name: product.name,
    description: product.description,
    status: 'active',
    tags: product.tags,
    retailPricePence: product.retail_price_pence,
    mockupHash: await storePicture(ctx, accountId, pictures.mockup),
    personalisation: product.template === undefined ? null : readDemoTemplate(product.template, designs, base),
    areas: (product.areas ?? []).map(({ print_area, method, design, position }) => ({
      print_area,
      method,
      design_hash: hashOf(designs, design),
      ...position,
    })),
    variants: product.variant_skus.map((sku) => ({ id: newId(now.getTime()), sku })),
    now,
  });
  return id;
}

/** Stores an image of the demo by the path that customers' images take. */
async function storePicture(ctx: AppContext, accountId: Uuid, name: string): Promise<string> {
  const bytes = await readFile(new URL(name, FOLDER));
  await reserveBlobs(ctx, [createHash('sha256').update(bytes).digest('hex')]);
  const hash = await ctx.blobs.put(bytes);
  const report = await inspectImage(ctx.images, await ctx.blobs.path(hash));
  if (report.kind !== 'ok') throw new Error(`data/demo/${name}: ${report.message}`);
  await keepDesigns(ctx.database, accountId, [{ hash, bytes: bytes.byteLength, report }], ctx.clock.now());
  return hash;
}

/**
 * Reads the template with the content hash of each option's design in place of its name.
 * Checks it against the base product.
 */
function readDemoTemplate(
  template: unknown,
  designs: ReadonlyMap<string, string>,
  base: BaseProduct,
): PersonalisationTemplate {
  const hashed: unknown = JSON.parse(JSON.stringify(template), (key, value: unknown) =>
    key === 'design' && typeof value === 'string' ? hashOf(designs, value) : value,
  );
  const read = readTemplate(hashed, base.entry.print_areas, 'template');
  if (read.kind === 'refused') throw validationFailed(read.problems);
  return read.value;
}

function hashOf(designs: ReadonlyMap<string, string>, design: string): string {
  const hash = designs.get(design);
  if (hash === undefined) throw new Error(`data/demo/products.json has no design "${design}"`);
  return hash;
}

/** Reads a JSON file of `data/demo`. */
export async function readDemo(name: string): Promise<unknown> {
  return JSON.parse(await readFile(new URL(name, FOLDER), 'utf8'));
}
