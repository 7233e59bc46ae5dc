import type { Caller } from '../../lib/caller.ts';
import { notFound } from '../../lib/errors.ts';
import { parseId } from '../../lib/ids.ts';
import { type Page, readPage, toPage } from '../../lib/paging.ts';
import type { ProductsContext } from '../read-products.ts';
import type { ListTemplatesQuery, Template, TemplateSummary } from './template-schema.ts';
import { findTemplate, listTemplateRows, type TemplateRow } from './template-sql.ts';
import { summaryView, templateView } from './template-view.ts';

/** A page of the account's personalised products that are not archived, newest first. */
export async function listTemplates(
  ctx: ProductsContext,
  { accountId }: Caller,
  query: ListTemplatesQuery,
): Promise<Page<TemplateSummary>> {
  const { limit, after } = readPage('prod', query);
  const rows = await listTemplateRows(ctx.database, accountId, { before: after ?? null, limit: limit + 1 });
  const catalogue = await ctx.catalogue.latest();
  return toPage(
    rows,
    limit,
    (row) => summaryView(ctx, catalogue, row),
    ({ id }) => id,
  );
}

/** A personalised product with its draft. Throws 404 for any other product, and for another account's. */
export async function getTemplate(ctx: ProductsContext, caller: Caller, publicProductId: string): Promise<Template> {
  const row = await readOwnTemplate(ctx, caller, publicProductId);
  return templateView(ctx, await ctx.catalogue.latest(), row);
}

/** A personalised product as it is stored. Throws 404 for any other product, and for another account's. */
export async function readOwnTemplate(
  ctx: Pick<ProductsContext, 'database'>,
  { accountId }: Caller,
  publicProductId: string,
): Promise<TemplateRow> {
  const id = parseId('prod', publicProductId);
  const row = id === undefined ? undefined : await findTemplate(ctx.database, accountId, id);
  if (row === undefined) throw notFound();
  return row;
}
