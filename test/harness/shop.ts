import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { SqlValue } from '../../src/lib/db.ts';
import { newId, publicId } from '../../src/lib/ids.ts';
import type { Address, PlaceOrderBody, PlaceOrderItem } from '../../src/orders/schema.ts';
import { insertProduct, type NewProduct } from '../../src/products/sql.ts';
import { flat } from '../harness/pictures.ts';
import type { Answer, Customer, ErrorReply, TestService } from '../harness/service.ts';

/** An address in Great Britain with nothing but what must be given. */
export const HOME: Address = {
  contact_name: 'Ada Byron',
  line1: '12 Mill Lane',
  city: 'Leeds',
  postcode: 'LS1 4DY',
  country_code: 'GB',
};

export const TEE_WHITE_M = 'TEE-CLASSIC-WHT-M';

/** One piece of the demo's fixed product, printed on the front, unless told otherwise. */
export function teeItem(service: TestService, changes: Partial<PlaceOrderItem> = {}): PlaceOrderItem {
  return {
    product_id: service.demo.products.fixed,
    variant_sku: TEE_WHITE_M,
    quantity: 1,
    print_jobs: [{ area: 'front', method: 'dtg' }],
    ...changes,
  };
}

/** A basket of one tee to an address in Great Britain, unless told otherwise. */
export function basket(service: TestService, changes: Partial<PlaceOrderBody> = {}): PlaceOrderBody {
  return { items: [teeItem(service)], shipping_address: HOME, ...changes };
}

/** Rows of a query of a test. Counts come as numbers. */
export async function rows<Row>(
  service: TestService,
  text: string,
  values: readonly SqlValue[] = [],
): Promise<readonly Row[]> {
  const name = `test_${createHash('sha256').update(text).digest('hex').slice(0, 24)}`;
  return service.ctx.database.all<Row>({ name, text }, values);
}

const WRITTEN_BY_AN_ORDER = [
  'orders',
  'order_line',
  'print_job',
  'order_reference',
  'order_history',
  'posting',
  'event',
  'webhook_delivery',
  'setup_right',
  'setup_reliance',
  'blob',
  'design',
  'print_file',
  'job',
] as const;

/** How much there is of all that placing an order can write: a row count for each table, and the files in the store. */
export async function everythingWritten(service: TestService): Promise<Record<string, number>> {
  const counts = WRITTEN_BY_AN_ORDER.map((table) => `(select count(*) from ${table}) as ${table}`);
  const [found] = await rows<Record<string, number>>(
    service,
    `select ${counts.join(', ')}, (select sum(balance_pence)::bigint from account_balance) as balances`,
  );
  return { ...found, files: await countFiles(service, 'files'), staged: await countFiles(service, 'staging') };
}

async function countFiles(service: TestService, part: 'files' | 'staging'): Promise<number> {
  const folder = join(service.ctx.config.dataDir, 'blobs', part);
  if (!existsSync(folder)) return 0;
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).length;
}

/** The balance of an account, in pence. */
export async function balancePence(service: TestService, customer: Customer): Promise<number> {
  const [row] = await rows<{ balance_pence: number }>(
    service,
    'select balance_pence from account_balance where account_id = $1',
    [customer.accountId],
  );
  return row?.balance_pence ?? Number.NaN;
}

/** A product of a customer on a base product of the demo catalogue, without designs unless told otherwise: its public id. */
export async function addProduct(
  service: TestService,
  customer: Customer,
  masterSku: string,
  changes: Partial<NewProduct> = {},
): Promise<string> {
  const { baseProducts } = await service.ctx.catalogue.latest();
  const base = baseProducts.find(({ entry }) => entry.master_sku === masterSku);
  if (base === undefined) throw new Error(`the demo catalogue has no ${masterSku}`);
  const now = service.ctx.clock.now();
  const id = newId(now.getTime());
  await insertProduct(service.ctx.database, {
    id,
    accountId: customer.accountId,
    baseProductId: base.id,
    name: `Plain ${base.entry.title}`,
    description: '',
    status: 'active',
    tags: [],
    retailPricePence: null,
    mockupHash: null,
    personalisation: null,
    areas: [],
    variants: base.variants.map(({ entry }) => ({ id: newId(now.getTime()), sku: entry.sku })),
    now,
    ...changes,
  });
  return publicId('prod', id);
}

/** Serves a picture of one colour on the stranger's host: its address. Equal sizes and colours are equal bytes. */
export async function servePicture(
  service: TestService,
  path: string,
  size: { widthPx: number; heightPx: number; colour: string },
): Promise<string> {
  const body = await flat(size.widthPx, size.heightPx, size.colour).png().toBuffer();
  service.stranger.serve(path, { body, headers: { 'content-type': 'image/png' } });
  return service.stranger.url(path);
}

/** The problems of a refusal as `path code`, in order. */
export function problemsOf(answer: Answer<ErrorReply>): readonly string[] {
  return (answer.body.errors ?? []).map(({ path, code }) => `${path} ${code}`);
}

/** An error body without the one member that differs from request to request. */
export function withoutRequestId(answer: Answer<ErrorReply>): string {
  const { request_id: requestId, ...rest } = answer.body;
  return JSON.stringify({ ...rest, hasRequestId: requestId.startsWith('req_') });
}

/** A body without the signatures of its addresses, which are made anew for each answer and differ from second to second. */
export function unsigned(body: unknown): unknown {
  return JSON.parse(JSON.stringify(body).replaceAll(/\?expires=\d+&signature=[\w-]+/g, ''));
}
