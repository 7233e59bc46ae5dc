import { Readable } from 'node:stream';
import { idOr, operatorActor } from '../accounts/access/act-on-access.ts';
import { noSuch } from '../lib/errors.ts';
import { OPERATOR_ROLES } from '../lib/operator.ts';
import { type OpsRoute, route } from '../lib/route.ts';
import type { PrivacyContext } from './context.ts';
import { exportPerson } from './disclose/export-person.ts';
import { getErasure, listErasures, receiptOf } from './erase/receipt.ts';
import { requestErasure } from './erase/request-erasure.ts';
import {
  ErasurePage,
  ErasureParams,
  ErasureReceipt,
  ListErasuresQuery,
  PersonAccountParams,
  PersonBody,
} from './ops-schema.ts';
import { readSubject } from './read-person.ts';

/** How long a request is worked on before its answer; the worker does the rest. */
const WAIT_MS = 5_000;

/** Whose data a request is about. Throws 404 for an account that cannot exist. */
const subjectOf = (ctx: PrivacyContext, accountId: string, body: PersonBody) =>
  readSubject(ctx, idOr(noSuch('account'), 'acct', accountId), body);

/** What is done when a person asks what is held of them, or that it be erased. */
export const privacyOpsRoutes: readonly OpsRoute<PrivacyContext>[] = [
  route({
    method: 'POST',
    path: '/accounts/:id/erase',
    access: { roles: [] },
    operationId: 'erasePerson',
    summary: 'Erase personal data',
    description: [
      'Of one order with its replacements, of one recipient over all orders of the account, or of the whole account.',
      'Everywhere at once: addresses, notes, metadata, free texts, tracking, pictures, print files, documents. What has',
      'ended is erased; an order that is still being made is erased by itself once it has ended. The receipt has counts and',
      'no personal data. A repeat returns the same receipt. Cannot be undone: a restored backup is erased again. An account',
      'is suspended first, and refused with 409 while it has a balance or is owed a refund.',
    ].join(' '),
    params: PersonAccountParams,
    body: PersonBody,
    errors: ['conflict'],
    replies: { 200: ErasureReceipt },
    handle: async (ctx, operator, { params, body, once }) => {
      const subject = await subjectOf(ctx, params.id, body);
      const request = { subject, reason: body.reason, waitMs: WAIT_MS };
      const erasure = await requestErasure(ctx, operatorActor(operator, once), request);
      return { status: 200, body: await receiptOf(ctx, erasure) };
    },
  }),
  route({
    method: 'POST',
    path: '/accounts/:id/export-person',
    access: { roles: [] },
    operationId: 'exportPerson',
    summary: 'Disclose personal data',
    description: [
      'All that is held of one order, one recipient or the whole account, as one JSON document. Files are named by their',
      'SHA-256, with a link that works for an hour. The audit log says who asked, and nothing of what was disclosed.',
    ].join(' '),
    params: PersonAccountParams,
    body: PersonBody,
    replies: { 200: 'application/json' },
    handle: async (ctx, operator, { params, body, once }) => {
      const subject = await subjectOf(ctx, params.id, body);
      const text = await exportPerson(ctx, operatorActor(operator, once), subject, body.reason);
      return { status: 200, body: Readable.from(text, { objectMode: false }) };
    },
  }),
  route({
    method: 'GET',
    path: '/erasures',
    access: { roles: OPERATOR_ROLES },
    operationId: 'listErasures',
    summary: 'List erasures',
    description: 'The receipts of all erasures, newest first.',
    query: ListErasuresQuery,
    replies: { 200: ErasurePage },
    csv: 'data',
    handle: async (ctx, _operator, { query }) => ({ status: 200, body: await listErasures(ctx, query) }),
  }),
  route({
    method: 'GET',
    path: '/erasures/:id',
    access: { roles: OPERATOR_ROLES },
    operationId: 'getErasure',
    summary: 'Fetch the receipt of an erasure',
    params: ErasureParams,
    replies: { 200: ErasureReceipt },
    handle: async (ctx, _operator, { params }) => ({ status: 200, body: await getErasure(ctx, params.id) }),
  }),
];
