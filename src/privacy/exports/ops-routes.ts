import type { Context } from '../../lib/context.ts';
import { OPERATOR_ROLES } from '../../lib/operator.ts';
import { readPage } from '../../lib/paging.ts';
import { type OpsRoute, route } from '../../lib/route.ts';
import { listExports } from './list-exports.ts';
import { ExportPage, ListExportsQuery } from './ops-schema.ts';

export const exportsOpsRoutes: readonly OpsRoute<Pick<Context, 'database' | 'clock'>>[] = [
  route({
    method: 'GET',
    path: '/exports',
    access: { roles: OPERATOR_ROLES },
    operationId: 'listExports',
    summary: 'List exports that lack evidence',
    description: [
      'Orders of all accounts without VAT because they leave the country, until each parcel has a tracking number and',
      'a customs declaration and the invoice is issued. A worker looks at them every five minutes. Without complete',
      'evidence three months after the tax point, VAT is due on the order.',
    ].join(' '),
    query: ListExportsQuery,
    replies: { 200: ExportPage },
    csv: 'data',
    handle: async (ctx, _operator, { query }) => ({
      status: 200,
      body: await listExports(ctx, { lacking: query.lacking, ...readPage('ord', query) }),
    }),
  }),
];
