import { namedAs } from '../lib/file-name.ts';
import { OPERATOR_ROLES } from '../lib/operator.ts';
import type { RenderedPdf } from '../lib/pdf/document.ts';
import { type OpsRoute, type RouteReply, route } from '../lib/route.ts';
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
    summary: 'Send a parcel',
    description:
      'Pieces of lines that have started, any part of what is left of them. `tracking_number` may be left out where the shipping service of the order is not tracked. Event `order.shipment_created`; when every piece that is not cancelled has shipped, `order.dispatched` follows.',
    params: OpsOrderParams,
    body: CreateShipmentBody,
    errors: ['conflict'],
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
    summary: "Correct a parcel's tracking",
    description:
      'Only what is sent changes. No event: `order.dispatched`, if it is yet to come, carries the corrected set.',
    params: ShipmentParams,
    body: CorrectShipmentBody,
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
    summary: 'Send an order to another address',
    description:
      'Before it is dispatched, inside the same territory and shipping zone; the money stays as it was. Only the members that are sent change.',
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
    summary: 'Follow the barcode of a line',
    description:
      'Job sheets and packing slips have the id of each line as a barcode. The line, the order that it is of, and what can be done with it next.',
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
    handle: async (ctx, _operator, { params }) => ({ status: 200, body: await listPrintFiles(ctx, params.id) }),
  }),
  route({
    method: 'GET',
    path: '/orders/:id/packing-slip',
    access: { roles: OPERATOR_ROLES },
    operationId: 'getPackingSlip',
    summary: 'Print a packing slip',
    description:
      'Of the whole order, or of one parcel, to the address that it left for; with a barcode (Code 128) of the id of each line, and the customs form of each parcel that leaves the territory.',
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
    description:
      'A card for each line, with its print jobs, a small picture of each whose file is ready, and a barcode (Code 128) of its id.',
    params: OpsOrderParams,
    replies: { 200: PDF },
    handle: async (ctx, _operator, { params }) => named(await drawJobSheet(ctx, params.id)),
  }),
];

function named({ fileName, pdf }: RenderedPdf): RouteReply {
  return { status: 200, body: pdf, headers: namedAs(fileName) };
}
