import { nullable, oneOf } from '../lib/schemas.ts';
import { type Static, Type } from '../lib/typebox.ts';
import { OpsOrder } from '../orders/ops-schema.ts';
import { Address, LINES_MAX } from '../orders/schema.ts';

/** Lengths count Unicode code points (decisions, "Bounds"). */
const CARRIER_MAX = 100;
const TRACKING_NUMBER_MAX = 100;
const TRACKING_URL_MAX = 2_048;

/** One line of text that is not blank: it is printed, and read out on the phone. */
const Line = (maxLength: number, description: string) =>
  Type.String({
    minLength: 1,
    maxLength,
    pattern: '^(?=.*\\S)[^\\u0000-\\u001f\\u007f]*$',
    description,
    'x-message': `must be one line of text of at most ${maxLength} characters.`,
  });

const carrier = Line(CARRIER_MAX, 'Who carries it.');
const tracking_number = Type.String({
  maxLength: TRACKING_NUMBER_MAX,
  pattern: '^((?=.*\\S)[^\\u0000-\\u001f\\u007f]*)?$',
  description: 'The carrier\'s number of the parcel. "" only where the shipping service of the order is not tracked.',
  'x-message': `must be one line of text of at most ${TRACKING_NUMBER_MAX} characters.`,
});
const tracking_url = nullable(
  Type.String({
    minLength: 1,
    maxLength: TRACKING_URL_MAX,
    pattern: '^[Hh][Tt][Tt][Pp][Ss]?://[^\\s\\u0000-\\u001f\\u007f]+$',
    description: 'Where the recipient can track it, an http or https address.',
    'x-message': 'must be an http or https address.',
  }),
);

/** The body of `POST /orders/{id}/shipments`. */
export const CreateShipmentBody = Type.Object(
  {
    carrier,
    tracking_number: Type.Optional(tracking_number),
    tracking_url: Type.Optional(tracking_url),
    items: Type.Array(
      Type.Object(
        {
          line_id: Type.String({ minLength: 1, maxLength: 100, description: 'A line of the order that has started.' }),
          quantity: Type.Integer({ minimum: 1, maximum: 10_000, description: 'Pieces of it in this parcel.' }),
        },
        { title: 'ShipmentItem' },
      ),
      { minItems: 1, maxItems: LINES_MAX, description: 'What is in the parcel, each line once.' },
    ),
  },
  { title: 'CreateShipmentBody' },
);
export type CreateShipmentBody = Static<typeof CreateShipmentBody>;

/** The body of `PATCH /orders/{id}/shipments/{shipment}`: only what is sent changes. */
export const CorrectShipmentBody = Type.Object(
  {
    carrier: Type.Optional(carrier),
    tracking_number: Type.Optional(tracking_number),
    tracking_url: Type.Optional(tracking_url),
  },
  { title: 'CorrectShipmentBody' },
);
export type CorrectShipmentBody = Static<typeof CorrectShipmentBody>;

const PartOfAddress = Type.Partial(Type.Object(Address.properties), { title: 'AddressChange' });
export type AddressChange = Static<typeof PartOfAddress>;

/**
 * The body of `PATCH /orders/{id}/address`.
 * Members of an address, at the top or in `shipping_address`.
 */
export const ChangeAddressBody = Type.Object(
  {
    ...PartOfAddress.properties,
    shipping_address: Type.Optional({
      ...PartOfAddress,
      description: 'The address, with the names that an order shows.',
    }),
  },
  { title: 'ChangeAddressBody' },
);
export type ChangeAddressBody = Static<typeof ChangeAddressBody>;

/** The answer of `POST /orders/{id}/shipments`. */
export const ShippedOrder = Type.Object(
  { ...OpsOrder.properties, shipment_id: Type.String({ description: 'The shipment that this request made.' }) },
  { title: 'ShippedOrder' },
);
export type ShippedOrder = Static<typeof ShippedOrder>;

export const ShipmentParams = Type.Object({
  id: Type.String({ description: 'Order id or reference, of any account.' }),
  shipment: Type.String({ description: 'Shipment id.' }),
});

export const PackingSlipQuery = Type.Object({
  shipment: Type.Optional(
    Type.String({ minLength: 1, maxLength: 100, description: 'Only the parcel of this shipment; all when left out.' }),
  ),
});

export const PrintFiles = Type.Object(
  {
    data: Type.Array(
      Type.Object(
        {
          line_id: Type.String(),
          print_area: Type.String(),
          method: Type.String(),
          station: nullable(Type.String({ description: 'Where it is worked; null until the order is promoted.' })),
          state: oneOf(['pending', 'ready', 'failed', 'expired'], {
            description: 'expired: its time was over, and the file was deleted.',
          }),
          file_url: nullable(Type.String({ description: 'Signed, valid for one hour; null until the file is ready.' })),
          width_px: nullable(Type.Integer({ description: 'Null once it has expired, as the two below.' })),
          height_px: nullable(Type.Integer()),
          dpi: nullable(Type.Integer()),
          quantity: Type.Integer({ description: 'Pieces to print: those that are not cancelled.' }),
        },
        { title: 'PrintFile' },
      ),
    ),
  },
  { title: 'PrintFiles' },
);
export type PrintFiles = Static<typeof PrintFiles>;

const NextAction = Type.Object(
  {
    action: oneOf(['promote', 'resume', 'retry_print_files', 'start', 'finish', 'spoil', 'ship']),
    request: Type.String({
      description: 'The method and the path, below `/ops/v1`. The role of that operation is needed.',
    }),
    quantity: nullable(
      Type.Integer({
        description: 'How many pieces of the line it can be done for; null for an action on the whole order.',
      }),
    ),
    area: nullable(Type.String({ description: 'For finish: the print area that has pieces left.' })),
    method: nullable(Type.String({ description: 'For finish: the method of that print job.' })),
  },
  { title: 'NextAction' },
);

/** The answer of `GET /lines/{line}`. */
export const ScannedLine = Type.Object(
  {
    order_id: Type.String(),
    reference: OpsOrder.properties.reference,
    state: OpsOrder.properties.state,
    hold: OpsOrder.properties.hold,
    line: OpsOrder.properties.lines.items,
    next_actions: Type.Array(NextAction, {
      description:
        'What can be done with the line now; empty when nothing is left to do, or when something else comes first.',
    }),
  },
  { title: 'ScannedLine' },
);
export type ScannedLine = Static<typeof ScannedLine>;

export const ScannedLineParams = Type.Object({
  line: Type.String({ description: 'Line id, of any account, as its barcode has it.' }),
});
