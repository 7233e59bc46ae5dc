import { pageQuery } from '../lib/paging.ts';
import { dictionary, nullable, oneOf, pageSchema, Timestamp } from '../lib/schemas.ts';
import { type Static, Type } from '../lib/typebox.ts';
import { StoredAddress } from '../orders/schema.ts';
import { INBOX_REASONS, INBOX_STATES, SOUGHT_REASONS } from './inbox/reasons.ts';

const State = oneOf(INBOX_STATES, {
  description:
    'new: about to be looked at. waiting: see reason. placed: it is an order here. ignored: it never will be. failed: by a fault of ours.',
});
const Reason = oneOf(INBOX_REASONS, { description: 'Why it waits or was ignored, or what came after it was placed.' });
const OfReason = Type.Optional(
  oneOf(SOUGHT_REASONS, {
    description:
      'Only orders with this reason. Each reason is one of a single state. report_refused: placed ones of which their shop takes no more news.',
  }),
);

/** What a shop is answered about an order that it sent. */
export const ShopOrderReceived = Type.Object(
  {
    id: Type.String({ description: 'Of the order in the inbox of the shop.' }),
    state: State,
    reason: Reason,
    order: nullable(
      Type.Object(
        { id: Type.String(), reference: Type.String() },
        { title: 'ReceivedAs', description: 'The order that it is here, once it is placed.' },
      ),
    ),
  },
  { title: 'ShopOrderReceived' },
);
export type ShopOrderReceived = Static<typeof ShopOrderReceived>;

const ShopOrderItem = Type.Object(
  {
    id: Type.String(),
    key: Type.String({ description: 'The name of the item in the mapping.' }),
    title: Type.String(),
    quantity: Type.Integer(),
    state: oneOf(['ours', 'missing', 'others', 'unknown'], {
      description: 'missing: map it, or mark it as others. others: not made here. unknown: not looked at yet.',
    }),
  },
  { title: 'ShopOrderItem' },
);

/** An order of a shop, and what became of it. */
export const ShopOrderView = Type.Object(
  {
    id: Type.String(),
    channel: Type.Object({ id: Type.String(), name: Type.String() }, { title: 'ShopOrderChannel' }),
    shop_order_id: Type.String({ description: "The shop's own id of the order." }),
    number: Type.String({ description: 'The number that the shop shows.' }),
    state: State,
    reason: Reason,
    problems: Type.Array(Type.Object({ path: Type.String(), message: Type.String() }, { title: 'ShopOrderProblem' }), {
      description: 'What is wrong, with the member of what the shop sent.',
    }),
    order: nullable(
      Type.Object(
        {
          id: Type.String(),
          reference: Type.String(),
          is_unpaid: Type.Boolean({ description: 'It is placed, and made once it is paid.' }),
        },
        { title: 'PlacedShopOrder' },
      ),
    ),
    items: Type.Array(ShopOrderItem),
    recipient: nullable(
      Type.Object(
        { name: Type.String(), city: Type.String(), postcode: Type.String(), country: Type.String() },
        { title: 'ShopOrderRecipient', description: 'Until it is placed: then its order has it.' },
      ),
    ),
    ordered_at: Timestamp,
    received_at: Timestamp,
    next_look_at: nullable({ ...Timestamp, description: 'When it is looked at again by itself.' }),
    reported: nullable(
      Type.Object(
        {
          at: nullable({ ...Timestamp, description: 'When it was last reported to the shop.' }),
          is_known: Type.Boolean({ description: 'Whether the shop knows all of it: parcels, and a cancel here.' }),
          problem: nullable(Type.String({ description: 'Why the shop refuses the report.' })),
        },
        { title: 'ShopOrderReport', description: 'null where nothing is reported to the shop.' },
      ),
    ),
    actions: Type.Object(
      {
        place: Type.Boolean(),
        ignore: Type.Boolean(),
        correct_address: Type.Boolean(),
        ignore_entries: Type.Boolean({
          description: 'It waits because buyers entered something for items that are not personalised.',
        }),
      },
      { title: 'ShopOrderActions', description: 'What a person can do with it now.' },
    ),
  },
  { title: 'ShopOrder' },
);
export type ShopOrderView = Static<typeof ShopOrderView>;

const ShopOrderItemEntered = Type.Object(
  {
    ...ShopOrderItem.properties,
    entered: Type.Array(Type.Object({ name: Type.String(), value: Type.String() }, { title: 'EnteredValue' }), {
      description:
        'What its buyer entered, without the bookkeeping of the shop; none once it is placed or ignored: then its order has it.',
    }),
    personalisation: nullable(
      Type.Object(
        {
          product_id: Type.String(),
          variant_sku: Type.String(),
          inputs: dictionary(Type.String(), {
            maxProperties: 500,
            description: 'What of it fills the layers of the product, for POST /products/{id}/personalisation/preview.',
          }),
        },
        {
          title: 'ShopItemPersonalisation',
          description: 'null for what is not personalised here, and once it is placed or ignored.',
        },
      ),
    ),
    line: nullable(
      Type.Integer({
        description: 'The place of its line among the items of its order here, from 0; null before that.',
      }),
    ),
  },
  { title: 'ShopOrderItemEntered' },
);

/** An order of a shop with the address that it is to go to, and what its buyers entered. */
export const ShopOrderWithAddress = Type.Object(
  {
    ...ShopOrderView.properties,
    items: Type.Array(ShopOrderItemEntered),
    shipping_address: nullable({
      ...StoredAddress,
      description: 'As the shop sent it, or a person has put it right; null once it is placed or ignored.',
    }),
  },
  { title: 'ShopOrderWithAddress' },
);
export type ShopOrderWithAddress = Static<typeof ShopOrderWithAddress>;

/** An order of a shop, as operators see it. */
export const OpsShopOrder = Type.Object(
  { ...ShopOrderView.properties, account_id: Type.String({ description: 'Whose shop it is.' }) },
  { title: 'OpsShopOrder' },
);
export type OpsShopOrder = Static<typeof OpsShopOrder>;

/** An order of a shop with its address, as operators see it. */
export const OpsShopOrderWithAddress = Type.Object(
  { ...ShopOrderWithAddress.properties, account_id: OpsShopOrder.properties.account_id },
  { title: 'OpsShopOrderWithAddress' },
);
export type OpsShopOrderWithAddress = Static<typeof OpsShopOrderWithAddress>;

export const OpsShopOrderPage = pageSchema(OpsShopOrder);

export const ListOpsShopOrdersQuery = Type.Object({
  ...pageQuery('sho'),
  state: Type.Optional(
    oneOf(INBOX_STATES, {
      description: 'Orders of this state; without it, a reason, an account and a shop those that failed.',
    }),
  ),
  reason: OfReason,
  account: Type.Optional(Type.String({ maxLength: 100, description: 'Only orders of the shops of this account.' })),
  channel: Type.Optional(Type.String({ maxLength: 100, description: 'Only orders of this shop.' })),
});
export type ListOpsShopOrdersQuery = Static<typeof ListOpsShopOrdersQuery>;

export const ShopOrderPage = pageSchema(ShopOrderView);

export const ListShopOrdersQuery = Type.Object({
  ...pageQuery('sho'),
  state: Type.Optional(oneOf(INBOX_STATES, { description: 'Only orders of this state.' })),
  reason: OfReason,
  channel: Type.Optional(Type.String({ description: 'Only orders of this shop.' })),
});
export type ListShopOrdersQuery = Static<typeof ListShopOrdersQuery>;

export const ShopOrderParams = Type.Object({ id: Type.String({ description: 'Shop order id.' }) });

const Key = Type.String({ minLength: 1, maxLength: 1_100, description: 'The key of the item.' });

/** What an item is, or that it is none of ours. */
export const SetItemBody = Type.Object(
  {
    key: Key,
    title: Type.String({ minLength: 1, maxLength: 1_100, description: 'What people are shown.' }),
    product_id: Type.Optional(Type.String({ maxLength: 100, description: 'The product that it is.' })),
    variant_sku: Type.Optional(Type.String({ maxLength: 100, description: 'Its variant.' })),
    not_ours: Type.Optional(Type.Boolean({ description: 'true for what is made by others.' })),
    ignores_entries: Type.Optional(
      Type.Boolean({
        description:
          'true where what buyers enter for it does not matter, though it is not personalised. Without it such orders wait.',
      }),
    ),
  },
  { title: 'SetItemBody' },
);
export type SetItemBody = Static<typeof SetItemBody>;

export const ForgetItemBody = Type.Object({ key: Key }, { title: 'ForgetItemBody' });

const Variant = Type.Object(
  { product_id: Type.String(), product_name: Type.String(), variant_sku: Type.String() },
  { title: 'ItemVariant' },
);

/** What is known of the items of a shop. */
export const ChannelItems = Type.Object(
  {
    missing: Type.Array(
      Type.Object(
        {
          key: Type.String(),
          title: Type.String(),
          orders: Type.Integer({ description: 'Orders that wait for it, of the first thousand that wait.' }),
          suggestions: Type.Array(Variant, { description: 'Variants that it may be, the likeliest first.' }),
        },
        { title: 'MissingItem' },
      ),
      { description: 'Items that orders wait for, those of most orders first; at most 50.' },
    ),
    known: Type.Array(
      Type.Object(
        {
          key: Type.String(),
          title: Type.String(),
          variant: nullable(Variant),
          ignores_entries: Type.Boolean({
            description:
              'Whether a person has said that what buyers enter for it does not matter. Saying anew what it is ends that.',
          }),
          set_at: Timestamp,
        },
        { title: 'KnownItem' },
      ),
      { description: 'Items that are mapped, or made by others (variant null), by key; at most 100.' },
    ),
    next_key: nullable(Type.String({ description: 'Pass as after to get more of those that are known.' })),
  },
  { title: 'ChannelItems' },
);
export type ChannelItems = Static<typeof ChannelItems>;

export const ListItemsQuery = Type.Object({
  after: Type.Optional(Type.String({ maxLength: 1_100, description: 'The next_key of the answer before.' })),
});
