import type { ArtworkContext } from '../../artwork/context.ts';
import { readSellerDays } from '../../billing/seller-days.ts';
import { readOwnBrand } from '../../brands/read-brands.ts';
import { draftContent } from '../../brands/save-brand.ts';
import type { BrandDraft } from '../../brands/schema.ts';
import { slipBrandOf } from '../../brands/slip-brand.ts';
import type { BrandContent } from '../../brands/sql.ts';
import type { Caller } from '../../lib/caller.ts';
import { FIRST_ID, type Uuid } from '../../lib/ids.ts';
import { type RenderedPdf, renderPdf } from '../../lib/pdf/document.ts';
import type { SellerDays } from '../../lib/seller-day.ts';
import type { PaperLineRow, PaperShipmentRow } from '../sql.ts';
import { packingSlip } from './packing-slip.ts';
import type { PaperOrder } from './parts.ts';

/**
 * The packing slip that a parcel of a made-up order would carry with a brand of the caller, as PDF.
 * It is drawn by the code of the real one, in turn with the other documents of the account. Throws 404 for an unknown
 * brand and another account's, and 503 when too many documents wait.
 */
export async function drawSampleSlip(ctx: ArtworkContext, caller: Caller, brandId: string): Promise<RenderedPdf> {
  return drawSlip(ctx, await readOwnBrand(ctx, caller, brandId));
}

/**
 * The same of a brand that is not saved; nothing of it is stored.
 * It has the saved logo of a brand of the caller, or none: one that is new is fetched and stored when it is saved.
 * Throws likewise.
 */
export async function drawSlipOfDraft(ctx: ArtworkContext, caller: Caller, draft: BrandDraft): Promise<RenderedPdf> {
  const { logo_of: logoOf, ...printed } = draft;
  const saved = logoOf === undefined ? undefined : await readOwnBrand(ctx, caller, logoOf);
  return drawSlip(ctx, draftContent(printed, saved?.logo_hash ?? null));
}

async function drawSlip(ctx: ArtworkContext, content: BrandContent): Promise<RenderedPdf> {
  const brand = await slipBrandOf(ctx, content);
  const order = sampleOrder(await readSellerDays(ctx), ctx.clock.now());
  const document = packingSlip({ ...order, brand }, order.shipments[0], ctx.config.seller);
  return { fileName: 'sample-packing-slip.pdf', pdf: await renderPdf(document, ctx.asker) };
}

function sampleOrder(days: SellerDays, now: Date): PaperOrder {
  const lines = [
    lineOf('Harbour tee', 'Navy', 'M', 'TEE-CLASSIC-NVY-M', 1),
    lineOf('Market tote', 'Natural', '', 'TOTE-COTTON-NAT', 2),
  ];
  const address = {
    contact_name: 'Sam Sample',
    company_name: '',
    line1: '1 Example Street',
    line2: '',
    city: 'York',
    county: '',
    postcode: 'YO1 7HH',
    country_code: 'GB',
    phone: '',
  };
  const parcel: PaperShipmentRow = {
    id: SAMPLE_ID,
    carrier: 'Royal Mail',
    tracking_number: 'AB123456789GB',
    shipped_at: now.toISOString(),
    shipping_address: address,
    items: lines.map(({ id, quantity }) => ({ line_id: id, quantity })),
    customs: null,
  };
  return {
    account_id: SAMPLE_ID,
    reference: 'PF-SAMPLE22',
    external_reference: 'SAMPLE-1001',
    replaces: null,
    type: 'bulk',
    state: 'dispatched',
    notes: '',
    hold: null,
    placed_at: now,
    updated_at: now,
    shipping_address: address,
    shipping: { service: '' },
    brand: null,
    lines,
    shipments: [parcel],
    days,
  };
}

const SAMPLE_ID = FIRST_ID as Uuid;

function lineOf(name: string, colour: string, size: string, sku: string, quantity: number): PaperLineRow {
  return {
    // Ids of lines that there are not: the barcodes scan as nothing.
    id: `${FIRST_ID.slice(0, -1)}${quantity}` as Uuid,
    sku,
    name,
    colour,
    size,
    quantity,
    quantity_cancelled: 0,
    quantity_shipped: quantity,
    quantity_short: 0,
    quantity_to_start: 0,
    pause: null,
    jobs: [],
  };
}
