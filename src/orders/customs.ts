import { publicId, type Uuid } from '../lib/ids.ts';
import { pence, toPounds } from '../lib/money.ts';
import { Money, nullable, oneOf } from '../lib/schemas.ts';
import { type Static, Type } from '../lib/typebox.ts';

/**
 * The customer as customs see it.
 * A number that it does not have, or that does not count for the parcel, is `""`.
 */
export type SellerOfRecord = {
  readonly name: string;
  readonly eori_number: string;
  readonly ioss_number: string;
};

/** What was declared for a parcel that left the customs territory, kept as it was declared. */
export type CustomsDeclaration = {
  readonly incoterm: 'DDP' | 'DAP';
  readonly declared_pence: number;
  readonly net_weight_grams: number;
  readonly gross_weight_grams: number;
  /** The seller of record: the customer. Absent on older declarations. */
  readonly seller?: SellerOfRecord;
  readonly items: readonly {
    readonly line_id: Uuid;
    readonly sku: string;
    readonly description: string;
    readonly material: string;
    readonly hs_code: string;
    readonly origin_country: string;
    readonly quantity: number;
    readonly value_pence: number;
    readonly weight_grams: number;
  }[];
};

/** A declaration as operators see it on a shipment. */
export const Customs = Type.Object(
  {
    form: oneOf(['CN22', 'CN23'], { description: 'The form it takes: CN23 above 270.00 GBP or 2 kg.' }),
    incoterm: oneOf(['DDP', 'DAP'], { description: 'DDP: duty was charged with the order. DAP: due on delivery.' }),
    currency: oneOf(['GBP']),
    declared_value: {
      ...Money,
      description:
        'What the consumer paid for the pieces where the order says so, else what was charged for them with their setups, net of VAT.',
    },
    net_weight_grams: Type.Integer(),
    gross_weight_grams: Type.Integer({ description: 'With packaging.' }),
    seller: nullable(
      Type.Object(
        { name: Type.String(), eori_number: Type.String(), ioss_number: Type.String() },
        {
          description: 'The seller of record: the customer, with the numbers of the order. Null on older declarations.',
        },
      ),
    ),
    items: Type.Array(
      Type.Object(
        {
          line_id: Type.String(),
          variant_sku: Type.String(),
          description: Type.String(),
          material: Type.String(),
          hs_code: Type.String(),
          origin_country: Type.String(),
          quantity: Type.Integer(),
          value: Money,
          weight_grams: Type.Integer(),
        },
        { title: 'CustomsItem' },
      ),
    ),
  },
  { title: 'Customs' },
);
export type Customs = Static<typeof Customs>;

export function customsView(declaration: CustomsDeclaration): Customs {
  return {
    form: customsForm(declaration),
    incoterm: declaration.incoterm,
    currency: 'GBP',
    declared_value: toPounds(pence(declaration.declared_pence)),
    net_weight_grams: declaration.net_weight_grams,
    gross_weight_grams: declaration.gross_weight_grams,
    seller: declaration.seller ?? null,
    items: declaration.items.map((item) => ({
      line_id: publicId('line', item.line_id),
      variant_sku: item.sku,
      description: item.description,
      material: item.material,
      hs_code: item.hs_code,
      origin_country: item.origin_country,
      quantity: item.quantity,
      value: toPounds(pence(item.value_pence)),
      weight_grams: item.weight_grams,
    })),
  };
}

/** The highest value for CN22: 300 special drawing rights, as the British post rounds them. */
const SHORT_FORM_PENCE_MAX = 27_000;
/** The highest weight of a small packet of the Universal Postal Union. */
const SHORT_FORM_GRAMS_MAX = 2_000;

/** The form of the Universal Postal Union: CN22, or CN23 for a higher value or weight. */
function customsForm(declaration: CustomsDeclaration): Customs['form'] {
  const isShort =
    declaration.declared_pence <= SHORT_FORM_PENCE_MAX && declaration.gross_weight_grams <= SHORT_FORM_GRAMS_MAX;
  return isShort ? 'CN22' : 'CN23';
}
