/** What a reader should know before the operations, in Markdown. */
export const INTRODUCTION = `Place print-on-demand orders: Platen prices an order, charges your account, takes its artwork in by address, prints, ships, and tells you by signed webhook.

## First order

1. Mint a token. **Every token is live**: \`POST /orders\` charges your account and ships a real item. \`POST /orders/estimate\` takes the same body, gives the same prices and keeps nothing.
2. \`GET /products\` lists what you can order. Each has \`variants\`, of which you send a \`blank_variant_sku\`, and \`print_areas\`, of which you send every one to be printed as \`print_jobs\`.
3. \`POST /orders\` with your own number as \`external_reference\`.
4. \`POST /webhooks\` to hear what becomes of it.

## Retries

\`external_reference\` is the idempotency key of an order. The same value again gives back the first order with status 200 and the header \`Idempotent-Replayed: true\`; nothing is charged twice, and the second body is not compared. So after a time-out or a 5xx, send the same request again. References are unique over the whole platform: begin yours with a prefix of your own. Reads, estimates, changes and removals may be repeated as they are.

## Money, time, ids

Amounts are JSON numbers in pounds (\`15.98\`), always GBP, net of VAT; read \`vat_amount\`, do not derive it. Times are ISO 8601 in UTC with milliseconds and \`Z\`. Ids are opaque and compared exactly; an order's \`reference\` works wherever its id does, in any letter case.

## Lists

A list gives \`data\`, \`has_more\` and \`next_cursor\`, newest first unless it says otherwise. Pass \`next_cursor\` as \`cursor\` until it is null. A cursor marks a position in the order of the list: records that come or go while you read neither repeat nor hide others.

## Errors

Every error has the same JSON body. Tell errors apart by \`code\`; \`detail\` says what to change, and \`request_id\` is for support. A 422 lists every problem of the request at once, each with its path. [All codes, with cause and cure](/docs/errors).

## Limits

Requests are counted by token and by address. Each response tells of the limit that is nearer in \`X-RateLimit-*\`; a 429 says in \`Retry-After\` how many seconds to wait. A body has at most 1 MiB. Lengths count Unicode code points.

## What may change

Within v1 responses may gain fields, requests may gain optional fields, and new events and error codes may come: ignore what you do not know. Nothing that is here is removed or narrowed.`;

/** The sections of the reference, in the order in which it shows them. */
export const TAGS: readonly { readonly name: string; readonly description: string }[] = [
  { name: 'Orders', description: 'Price, place, follow and cancel orders.' },
  { name: 'Products', description: 'What you sell: a base product with stored designs. They cost nothing to create.' },
  {
    name: 'Artwork',
    description: 'Check artwork before you order. Artwork is fetched from https addresses, never uploaded.',
  },
  { name: 'Catalogue', description: 'Blanks, print areas, prices and stock, for reference.' },
  { name: 'Account', description: 'The balance and what moved it.' },
  { name: 'Webhooks', description: 'Subscriptions to order events, and what was delivered to them.' },
  {
    name: 'Events',
    description: [
      'What is posted to the URLs of your subscriptions, signed, and the log of it. Verify `svc-signature` over the raw',
      'bytes before you parse them, in constant time, and refuse a `svc-timestamp` more than 300 seconds off. Answer 2xx',
      'within 10 seconds. Deliveries may repeat (`id` is the same) and overtake one another (`sequence`, `created_at`).',
    ].join(' '),
  },
  {
    name: 'Quotes',
    description: 'Live shipping and tax quotes, not available yet: a valid request is answered with 501.',
  },
];

const TAG_OF: Readonly<Record<string, string>> = {
  orders: 'Orders',
  products: 'Products',
  uploads: 'Artwork',
  catalog: 'Catalogue',
  stock: 'Catalogue',
  account: 'Account',
  webhooks: 'Webhooks',
  events: 'Events',
  shipping: 'Quotes',
  tax: 'Quotes',
};

/** The section of a path, by its first word. Throws for a path that has none yet. */
export function tagOf(path: string): string {
  const tag = TAG_OF[path.split('/')[1] ?? ''];
  if (tag === undefined) throw new Error(`the reference has no section for ${path}`);
  return tag;
}
