import { EoriNumber, IossNumber, Money, nullable } from '../lib/schemas.ts';
import { Type } from '../lib/typebox.ts';

/** The numbers of the seller of record, as a request gives them. */
export const CustomsNumbersBody = Type.Object(
  {
    eori_number: Type.Optional(nullable(EoriNumber)),
    ioss_number: Type.Optional(nullable(IossNumber)),
  },
  {
    title: 'CustomsNumbers',
    description:
      'Your numbers as the seller of record, for the customs forms of this order. One that is left out is that of your account; null is none.',
  },
);

/** The numbers of the seller of record, as an order has them. */
export const CustomsNumbers = Type.Object(
  { eori_number: Type.String(), ioss_number: Type.String() },
  { title: 'OrderCustoms', description: 'The numbers of the seller of record; "" where there is none.' },
);

/** In pounds. */
const DECLARED_UNIT_PRICE_MAX = 10_000;

/** The value of a piece for customs, as a request gives it. */
export const DeclaredUnitPriceBody = Type.Number({
  exclusiveMinimum: 0,
  maximum: DECLARED_UNIT_PRICE_MAX,
  description:
    'What the consumer paid for one piece without tax, in GBP, at most 2 decimals: its value for customs and duty abroad. What is charged for it when left out.',
});

/** The value of a piece for customs, as an order has it. */
export const DeclaredUnitPrice = nullable({ ...Money, description: 'As the order gave it; null where it did not.' });
