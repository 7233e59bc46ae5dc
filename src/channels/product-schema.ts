import { pageQuery } from '../lib/paging.ts';
import { nullable, oneOf, pageSchema, Timestamp } from '../lib/schemas.ts';
import { type Static, Type } from '../lib/typebox.ts';

const ChannelProductState = oneOf(['waiting', 'published', 'failed', 'gone'], {
  description:
    'waiting: about to be written to the shop. failed: the shop refuses it, see problem. gone: it was deleted in the shop.',
});

/** A product of yours in a shop. */
export const ChannelProduct = Type.Object(
  {
    product_id: Type.String(),
    name: Type.String(),
    state: ChannelProductState,
    problem: nullable(Type.String({ description: 'Why it could not be written the last time, in words.' })),
    published_at: nullable({
      ...Timestamp,
      description: 'When the shop was last brought up to date; null before that.',
    }),
    left_out: Type.Array(
      Type.Object(
        {
          variant_sku: Type.String(),
          reason: oneOf(['switched_off', 'not_made'], {
            description: 'switched_off: in the product, by your people. not_made: the blank is not made any more.',
          }),
        },
        { title: 'LeftOutVariant' },
      ),
      {
        description:
          'Its variants that cannot be ordered: new ones are not published, and those in the shop are out of stock.',
      },
    ),
  },
  { title: 'ChannelProduct' },
);
export type ChannelProduct = Static<typeof ChannelProduct>;

export const ChannelProductPage = pageSchema(ChannelProduct);

export const ListChannelProductsQuery = Type.Object(pageQuery('prod'));
export type ListChannelProductsQuery = Static<typeof ListChannelProductsQuery>;

export const PublishProductBody = Type.Object(
  { product_id: Type.String({ maxLength: 100, description: 'A product of yours that is not archived.' }) },
  { title: 'PublishProductBody' },
);
export type PublishProductBody = Static<typeof PublishProductBody>;

export const ChannelProductParams = Type.Object({
  id: Type.String({ description: 'Channel id.' }),
  product_id: Type.String({ description: 'Product id.' }),
});
