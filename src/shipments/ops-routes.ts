import { OPERATOR_ROLES } from '../lib/operator.ts';
import type { RenderedPdf } from '../lib/pdf/document.ts';
import { type OpsRoute, type RouteReply, route } from '../lib/route.ts';
import { namedAs } from '../lib/text/file-name.ts';
import type { OrdersContext } from '../orders/context.ts';
import { OpsOrder, OpsOrderParams } from '../orders/ops-schema.ts';
import { changeAddress } from './change-address.ts';
import { correctShipment } from './correct-shipment.ts';
import { drawJobSheet, drawPackingSlip } from './documents/draw-documents.ts';
import { listPrintFiles } from './print-files.ts';
import { scanLine } from './scan-line.ts';
import {
  ChangeAddressBody,
  CorrectShipmentBody,
  CreateShipmentBody,
  PackingSlipQuery,
  PrintFiles,
  ScannedLine,
  ScannedLineParams,
  ShipmentParams,
  ShippedOrder,
} from './schema.ts';
import { shipOrder } from './ship-order.ts';

const PDF = 'application/pdf';

export const shipmentsOpsRoutes: readonly OpsRoute<OrdersContext>[] = [
  route({
    method: 'POST',
    path: '/orders/:id/shipments',
    access: { roles: ['production'] },
    operationId: 'shipOrder',
    summary: 'Ship a parcel',
    description: [
      'Any pieces of started lines that are not shipped yet. `tracking_number` is optional if the shipping',
      'service of the order is not tracked. Sends `order.shipment_created`, and `order.dispatched` once every',
      'piece that is not cancelled has shipped. For unfinished pieces the answer has the warning',
      '`unfinished_pieces`; a shop whose setting `SHIP_REQUIRES` is `finished` refuses them: 409',
      '`pieces_not_finished`. Spoiled pieces that have not been made again ship in no shop: 409 `pieces_short`.',
    ].join(' '),
    params: OpsOrderParams,
    body: CreateShipmentBody,
    errors: ['conflict', 'pieces_short', 'pieces_not_finished'],
    replies: { 201: ShippedOrder },
    handle: async (ctx, operator, { params, body, once }) => ({
      status: 201,
      body: await shipOrder(ctx, operator, { id: params.id, body, once }),
    }),
  }),
  route({
    method: 'PATCH',
    path: '/orders/:id/shipments/:shipment',
    access: { roles: ['production'] },
    operationId: 'correctShipment',
    summary: 'Correct the tracking of a parcel',
    description: [
      'Changes only the members that are sent. Sends no event; an `order.dispatched` that is still to come',
      'carries the corrected tracking. Once the order is erased only a parcel that was declared for customs: 409.',
    ].join(' '),
    params: ShipmentParams,
    body: CorrectShipmentBody,
    errors: ['conflict'],
    replies: { 200: OpsOrder },
    handle: async (ctx, operator, { params, body, once }) => ({
      status: 200,
      body: await correctShipment(ctx, operator, { ...params, body, once }),
    }),
  }),
  route({
    method: 'PATCH',
    path: '/orders/:id/address',
    access: { roles: ['production'] },
    operationId: 'changeAddress',
    summary: 'Change the delivery address of an order',
    description: [
      'Before dispatch, and only within the same territory and shipping zone and to a country of the same duty. Prices',
      'do not change. Changes only the members that are sent.',
    ].join(' '),
    params: OpsOrderParams,
    body: ChangeAddressBody,
    errors: ['conflict'],
    replies: { 200: OpsOrder },
    handle: async (ctx, operator, { params, body, once }) => ({
      status: 200,
      body: await changeAddress(ctx, operator, { id: params.id, body, once }),
    }),
  }),
  route({
    method: 'GET',
    path: '/lines/:line',
    access: { roles: OPERATOR_ROLES },
    operationId: 'getLine',
    summary: 'Look up a line by its barcode',
    description: [
      'Job sheets and packing slips show the id of each line as a barcode. Returns the line, its order, and what',
      'can be done with the line next.',
    ].join(' '),
    params: ScannedLineParams,
    replies: { 200: ScannedLine },
    handle: async (ctx, _operator, { params }) => ({ status: 200, body: await scanLine(ctx, params.line) }),
  }),
  route({
    method: 'GET',
    path: '/orders/:id/print-files',
    access: { roles: OPERATOR_ROLES },
    operationId: 'listPrintFiles',
    summary: 'List the print-ready files of an order',
    params: OpsOrderParams,
    replies: { 200: PrintFiles },
    csv: 'data',
    handle: async (ctx, _operator, { params }) => ({ status: 200, body: await listPrintFiles(ctx, params.id) }),
  }),
  route({
    method: 'GET',
    path: '/orders/:id/packing-slip',
    access: { roles: OPERATOR_ROLES },
    operationId: 'getPackingSlip',
    summary: 'Print a packing slip',
    description: [
      'For the whole order, or for one parcel with the address that it was sent to. Shows the id of each line as',
      'a barcode (Code 128), and adds the customs form of each parcel that leaves the customs territory.',
    ].join(' '),
    params: OpsOrderParams,
    query: PackingSlipQuery,
    replies: { 200: PDF },
    handle: async (ctx, _operator, { params, query }) => named(await drawPackingSlip(ctx, params.id, query.shipment)),
  }),
  route({
    method: 'GET',
    path: '/orders/:id/job-sheet',
    access: { roles: OPERATOR_ROLES },
    operationId: 'getJobSheet',
    summary: 'Print a job sheet',
    description: [
      'One card for each line, with its print jobs, a preview of each print file that is ready, and the id of',
      'the line as a barcode (Code 128).',
    ].join(' '),
    params: OpsOrderParams,
    replies: { 200: PDF },
    handle: async (ctx, _operator, { params }) => named(await drawJobSheet(ctx, params.id)),
  }),
];

function named({ fileName, pdf }: RenderedPdf): RouteReply {
  return { status: 200, body: pdf, headers: namedAs(fileName) };
}
