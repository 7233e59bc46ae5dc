import { Money, oneOf } from '../lib/schemas.ts';
import { type Static, Type } from '../lib/typebox.ts';

const Breaks = Type.Array(Type.Object({ from_quantity: Type.Integer(), unit_price: Money }), {
  description: 'The unit price of the highest from_quantity that the quantity reaches.',
});

/** The prices of a base product, which can be read without creating a product. Net of VAT. */
export const PricesReply = Type.Object(
  {
    currency: oneOf(['GBP']),
    blanks: Type.Array(Type.Object({ variant_sku: Type.String(), breaks: Breaks }), {
      description: 'Counted over all sizes and colours of this base product in an order.',
    }),
    prints: Type.Array(Type.Object({ print_area: Type.String(), method: Type.String(), breaks: Breaks }), {
      description: 'Added to the blank; counted over the same design, area and method in an order.',
    }),
    setups: Type.Array(Type.Object({ method: Type.String(), basis: oneOf(['design']), price: Money }), {
      description: 'Charged once for each design and method.',
    }),
  },
  { title: 'Prices' },
);
export type PricesReply = Static<typeof PricesReply>;
