import { pageQuery } from '../../lib/paging.ts';
import { Money, nullable, oneOf, pageSchema, Timestamp } from '../../lib/schemas.ts';
import { type Static, Type } from '../../lib/typebox.ts';
import { FIELDS } from './columns.ts';
import { ROWS_MAX } from './order-file-sql.ts';

/** Characters of a file: with its escapes it stays below the bytes that a body may have. */
const CONTENT_MAX = 900_000;
const COLUMNS_MAX = 300;
const PREFIX_MAX = 40;

/** The body of `POST /order-files`. */
export const UploadOrderFileBody = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 200, description: 'Of the file, to find it again.' }),
    content: Type.String({
      minLength: 1,
      maxLength: CONTENT_MAX,
      description: `The text of a CSV file with headings and at most ${ROWS_MAX} rows.`,
    }),
  },
  { title: 'UploadOrderFileRequest' },
);
export type UploadOrderFileBody = Static<typeof UploadOrderFileBody>;

const Column = Type.Object(
  {
    field: oneOf(FIELDS),
    column: nullable(
      Type.Integer({ minimum: 0, maximum: COLUMNS_MAX - 1, description: 'Counted from 0; null for none.' }),
    ),
  },
  { title: 'OrderFileColumn' },
);

/** The body of `PATCH /order-files/{id}`. */
export const ChangeOrderFileBody = Type.Object(
  {
    columns: Type.Optional(
      Type.Array(Column, { maxItems: FIELDS.length, description: 'Fields that are read from another column.' }),
    ),
    prefix: Type.Optional(
      Type.String({
        maxLength: PREFIX_MAX,
        description: 'Stands before each number of the shop, since numbers are unique over all accounts.',
      }),
    ),
    places_repeats: Type.Optional(
      Type.Boolean({
        description: [
          'Whether to place orders again that an earlier file placed under another number: with another prefix, or read',
          'from another column of the same file. They are left as existing otherwise.',
        ].join(' '),
      }),
    ),
  },
  { title: 'ChangeOrderFileRequest' },
);
export type ChangeOrderFileBody = Static<typeof ChangeOrderFileBody>;

/** The body of `POST /order-files/{id}/place`. */
export const PlaceOrderFileBody = Type.Object(
  {
    plan: Type.Integer({ description: 'The plan that was shown; 409 once there is another.' }),
  },
  { title: 'PlaceOrderFileRequest' },
);

/** A file of many orders, and how far it is. */
export const OrderFile = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    status: oneOf(['unmapped', 'checking', 'ready', 'placing', 'placed'], {
      description:
        'unmapped: fields need a column. checking: orders are read and priced. ready: nothing is placed until it is confirmed.',
    }),
    plan: Type.Integer({ description: 'Grows when the orders are read anew.' }),
    row_count: Type.Integer(),
    prefix: Type.String(),
    places_repeats: Type.Boolean({ description: 'Whether orders are placed again under another number.' }),
    headings: Type.Array(Type.String()),
    columns: Type.Array(Column),
    missing: Type.Array(oneOf(FIELDS), { description: 'Fields that need a column first.' }),
    counts: Type.Object(
      {
        waiting: Type.Integer({ description: 'Not checked yet.' }),
        ready: Type.Integer({ description: 'Checked and priced, and not placed yet.' }),
        wrong: Type.Integer({ description: 'Left out until they are mended.' }),
        existing: Type.Integer({ description: 'Placed before, under the same number of the shop; left as they are.' }),
        placed: Type.Integer(),
        refused: Type.Integer({ description: 'Not placed although they were ready; the reason stands at each.' }),
        others: Type.Integer({ description: 'Left to others: nothing of them is made here.' }),
      },
      { title: 'OrderFileCounts' },
    ),
    total: {
      ...Money,
      description: 'What the orders that are ready cost at most: a setup that several of them need is paid once.',
    },
    unpaid_count: Type.Integer({ description: 'Placed orders that were not paid when they were placed.' }),
    placed_total: { ...Money, description: 'What the placed orders cost.' },
    currency: oneOf(['GBP']),
    created_at: Timestamp,
    confirmed_at: nullable(Timestamp),
  },
  { title: 'OrderFile' },
);
export type OrderFile = Static<typeof OrderFile>;

const ListedOrderFile = Type.Object(
  (({ headings: _headings, columns: _columns, missing: _missing, ...rest }) => rest)(OrderFile.properties),
  { title: 'ListedOrderFile' },
);
export type ListedOrderFile = Static<typeof ListedOrderFile>;
export const OrderFilePage = pageSchema(ListedOrderFile);
export const ListOrderFilesQuery = Type.Object(pageQuery('file'));
export type ListOrderFilesQuery = Static<typeof ListOrderFilesQuery>;

const ENTRY_STATES = ['waiting', 'ready', 'wrong', 'existing', 'placed', 'refused', 'others'] as const;

/** An order of a file. */
export const OrderFileEntry = Type.Object(
  {
    place: Type.Integer({ description: 'Within the file, from 1.' }),
    external_reference: Type.String({ description: '"" where the file gives no number.' }),
    rows: Type.Array(Type.Integer(), { description: 'As a spreadsheet counts: the headings are row 1.' }),
    status: oneOf(ENTRY_STATES),
    total: nullable(Money),
    problems: Type.Array(
      Type.Object({
        row: Type.Integer(),
        column: nullable(Type.String({ description: 'The heading; null when it is about the whole row.' })),
        message: Type.String({ description: 'What is wrong and what would be right.' }),
      }),
    ),
    warnings: Type.Array(Type.String()),
    order: nullable(Type.Object({ id: Type.String(), reference: Type.String() })),
  },
  { title: 'OrderFileEntry' },
);
export type OrderFileEntry = Static<typeof OrderFileEntry>;

export const ListOrderFileEntriesQuery = Type.Object({
  status: Type.Optional(oneOf(ENTRY_STATES, { description: 'Only orders of this status.' })),
  after: Type.Optional(
    Type.String({ pattern: '^[0-9]{1,4}$', description: 'Only orders after this place; 0 when left out.' }),
  ),
});
export type ListOrderFileEntriesQuery = Static<typeof ListOrderFileEntriesQuery>;

/** A page of the orders of a file. */
export const OrderFileEntries = Type.Object(
  {
    data: Type.Array(OrderFileEntry),
    next_after: nullable(Type.Integer({ description: 'Pass as after to get the next page.' })),
  },
  { title: 'OrderFileEntries' },
);
export type OrderFileEntries = Static<typeof OrderFileEntries>;

export const DownloadOrderFileQuery = Type.Object({
  rows: Type.Optional(
    oneOf(['all', 'open'], { description: 'open: rows of orders that were not placed; all by default.' }),
  ),
});

export const OrderFileParams = Type.Object({ id: Type.String({ description: 'The id of a file, file_….' }) });

const ItemKey = Type.String({ minLength: 1, maxLength: 1_100, description: 'The key of the item.' });

/** What an item of a file is, or that it is none of ours. */
export const SayFileItemBody = Type.Object(
  {
    key: ItemKey,
    product_id: Type.Optional(Type.String({ maxLength: 100, description: 'The product that it is.' })),
    variant_sku: Type.Optional(Type.String({ maxLength: 100, description: 'Its variant.' })),
    not_ours: Type.Optional(Type.Boolean({ description: 'true for what is made by others.' })),
  },
  { title: 'SayOrderFileItemRequest' },
);
export type SayFileItemBody = Static<typeof SayFileItemBody>;

export const ForgetFileItemBody = Type.Object({ key: ItemKey }, { title: 'ForgetOrderFileItemRequest' });

const ItemOfFile = {
  key: Type.String(),
  title: Type.String({ description: 'What the file calls it.' }),
  rows: Type.Integer({ description: 'Rows of the file that have it.' }),
};
const FileItemVariant = Type.Object(
  { product_id: Type.String(), product_name: Type.String(), variant_sku: Type.String() },
  { title: 'OrderFileItemVariant' },
);

/** The items of a file that have to be said, or are. */
export const OrderFileItems = Type.Object(
  {
    unknown: Type.Array(
      Type.Object(
        { ...ItemOfFile, suggestions: Type.Array(FileItemVariant, { description: 'The likeliest first.' }) },
        { title: 'UnknownOrderFileItem' },
      ),
      { description: 'Items that are none of yours as the file has them, those of most rows first; at most 50.' },
    ),
    known: Type.Array(
      Type.Object(
        { ...ItemOfFile, variant: nullable({ ...FileItemVariant, description: 'null for what others make.' }) },
        { title: 'KnownOrderFileItem' },
      ),
      { description: 'Items that people have said something of; at most 200.' },
    ),
  },
  { title: 'OrderFileItems' },
);
export type OrderFileItems = Static<typeof OrderFileItems>;
