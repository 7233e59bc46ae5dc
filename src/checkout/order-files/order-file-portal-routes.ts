import { PERSON_ROLES } from '../../lib/caller.ts';
import { type PersonRoute, route } from '../../lib/route.ts';
import {
  ChangeOrderFileBody,
  DownloadOrderFileQuery,
  ListOrderFileEntriesQuery,
  ListOrderFilesQuery,
  OrderFile,
  OrderFileEntries,
  OrderFilePage,
  OrderFileParams,
  PlaceOrderFileBody,
  UploadOrderFileBody,
} from './order-file-schema.ts';
import {
  changeOrderFile,
  getOrderFile,
  listOrderFileEntries,
  listOrderFiles,
  type OrderFilesContext,
  placeOrderFile,
  removeOrderFile,
  uploadOrderFile,
} from './order-files.ts';
import { writeResultFile } from './result-file.ts';

const PLACING = ['owner', 'manager', 'orders'] as const;

/** Files of many orders. */
export const orderFilePortalRoutes: readonly PersonRoute<OrderFilesContext>[] = [
  route({
    method: 'POST',
    path: '/order-files',
    access: { people: PLACING },
    operationId: 'uploadOrderFile',
    summary: 'Upload a file of orders',
    description: [
      'Takes the text of a CSV file: rows with one number are the lines of one order. The columns are guessed by their',
      'headings, and the orders are checked and priced in the background by the code of POST /orders and its estimate.',
      'Nothing is placed until the file is confirmed.',
    ].join(' '),
    body: UploadOrderFileBody,
    errors: ['conflict'],
    replies: { 201: OrderFile },
    handle: async (ctx, person, { body }) => ({ status: 201, body: await uploadOrderFile(ctx, person, body) }),
  }),
  route({
    method: 'GET',
    path: '/order-files',
    access: { people: PERSON_ROLES },
    operationId: 'listOrderFiles',
    summary: 'List files of orders',
    description: 'Newest first. A file is kept for 14 days.',
    query: ListOrderFilesQuery,
    replies: { 200: OrderFilePage },
    csv: 'data',
    handle: async (ctx, person, { query }) => ({ status: 200, body: await listOrderFiles(ctx, person, query) }),
  }),
  route({
    method: 'GET',
    path: '/order-files/:id',
    access: { people: PERSON_ROLES },
    operationId: 'getOrderFile',
    summary: 'Fetch a file of orders',
    params: OrderFileParams,
    replies: { 200: OrderFile },
    handle: async (ctx, person, { params }) => ({ status: 200, body: await getOrderFile(ctx, person, params.id) }),
  }),
  route({
    method: 'PATCH',
    path: '/order-files/:id',
    access: { people: PLACING },
    operationId: 'changeOrderFile',
    summary: 'Read a file of orders by other columns',
    description:
      'The orders are read and checked anew. The account’s next file begins with these columns; and with the prefix, once orders were placed with it.',
    params: OrderFileParams,
    body: ChangeOrderFileBody,
    errors: ['conflict'],
    replies: { 200: OrderFile },
    handle: async (ctx, person, { params, body }) => ({
      status: 200,
      body: await changeOrderFile(ctx, person, params.id, body),
    }),
  }),
  route({
    method: 'DELETE',
    path: '/order-files/:id',
    access: { people: PLACING },
    operationId: 'removeOrderFile',
    summary: 'Remove a file of orders',
    description: 'Orders that were placed from it stay.',
    params: OrderFileParams,
    errors: ['conflict'],
    replies: { 204: null },
    handle: async (ctx, person, { params }) => {
      await removeOrderFile(ctx, person, params.id);
      return { status: 204 };
    },
  }),
  route({
    method: 'GET',
    path: '/order-files/:id/orders',
    access: { people: PERSON_ROLES },
    operationId: 'listOrderFileEntries',
    summary: 'List the orders of a file',
    params: OrderFileParams,
    query: ListOrderFileEntriesQuery,
    replies: { 200: OrderFileEntries },
    handle: async (ctx, person, { params, query }) => ({
      status: 200,
      body: await listOrderFileEntries(ctx, person, params.id, query),
    }),
  }),
  route({
    method: 'GET',
    path: '/order-files/:id/rows',
    access: { people: PERSON_ROLES },
    operationId: 'downloadOrderFile',
    summary: 'Download a file of orders with its results',
    description: 'The rows as they came, with what became of each and what is wrong.',
    params: OrderFileParams,
    query: DownloadOrderFileQuery,
    replies: { 200: 'text/csv' },
    handle: async (ctx, person, { params, query }) => ({
      status: 200,
      body: Buffer.from(await writeResultFile(ctx, person, params.id, query.rows ?? 'all')),
    }),
  }),
  route({
    method: 'POST',
    path: '/order-files/:id/place',
    access: { people: PLACING },
    operationId: 'placeOrderFile',
    summary: 'Place the orders of a file',
    description: [
      'Places those that are ready, in the background, each at what was shown at most: one that costs more by then is',
      'refused. A repeat changes nothing, and no number is placed twice.',
    ].join(' '),
    params: OrderFileParams,
    body: PlaceOrderFileBody,
    errors: ['conflict'],
    replies: { 200: OrderFile },
    handle: async (ctx, person, { params, body }) => ({
      status: 200,
      body: await placeOrderFile(ctx, person, params.id, body.plan),
    }),
  }),
];
