import { readFileSync } from 'node:fs';

/** What to know before the operations, in Markdown. */
export const INTRODUCTION = readFileSync(new URL('introduction.md', import.meta.url), 'utf8').trimEnd();

/** The sections of the reference, in display order. */
export const TAGS: readonly { readonly name: string; readonly description: string }[] = [
  { name: 'Orders', description: 'Price, place, follow and cancel orders.' },
  { name: 'Problems', description: 'Report what is wrong with pieces that were sent, and read what the shop answers.' },
  { name: 'Products', description: 'What you sell: a base product with stored designs. They cost nothing to create.' },
  { name: 'Brands', description: 'The names under which you sell: what the packing slip in a parcel carries.' },
  {
    name: 'Artwork',
    description: 'Check artwork before you order. Artwork is fetched from https addresses, never uploaded.',
  },
  { name: 'Catalogue', description: 'Blanks, print areas, prices and stock, for reference.' },
  { name: 'Account', description: 'The balance and its transactions, and whom invoices are addressed to.' },
  { name: 'Webhooks', description: 'Subscriptions to order events, and their deliveries.' },
  {
    name: 'Events',
    description: [
      'The signed requests that your webhook URLs receive, and the event log. Verify `svc-signature` over the raw',
      'bytes before you parse them, in constant time, and refuse a `svc-timestamp` more than 300 seconds off. Answer 2xx',
      'within 10 seconds. Deliveries may repeat (same `id`) and arrive out of order (see `sequence`, `created_at`).',
    ].join(' '),
  },
  {
    name: 'Quotes',
    description: 'Live shipping and tax quotes, not available yet: a valid request is answered with 501.',
  },
];

const TAG_OF: Readonly<Record<string, string>> = {
  orders: 'Orders',
  problems: 'Problems',
  products: 'Products',
  brands: 'Brands',
  uploads: 'Artwork',
  catalog: 'Catalogue',
  stock: 'Catalogue',
  account: 'Account',
  webhooks: 'Webhooks',
  events: 'Events',
  shipping: 'Quotes',
  tax: 'Quotes',
};

/** The section of a path, by its first word. Throws for a path without a section. */
export function tagOf(path: string): string {
  const tag = TAG_OF[path.split('/')[1] ?? ''];
  if (tag === undefined) throw new Error(`the reference has no section for ${path}`);
  return tag;
}
