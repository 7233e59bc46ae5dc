import { operatorActor } from '../../accounts/access/act-on-access.ts';
import { OPERATOR_ROLES } from '../../lib/operator.ts';
import { type OpsRoute, route } from '../../lib/route.ts';
import { BOOKKEEPERS, type BooksContext } from '../context.ts';
import { getJournal, getSageJournal, getXeroJournal, listJournals, makeJournal } from './journal.ts';
import {
  DayQuery,
  Journal,
  JournalBody,
  JournalPage,
  JournalParams,
  ListJournalsQuery,
  PeriodQuery,
  Reconciliation,
  TrialBalance,
  VatDocumentPage,
  VatDocumentsQuery,
  VatReport,
} from './report-schema.ts';
import { getReconciliation, getTrialBalance } from './trial-balance.ts';
import { getVatReport, listVatDocuments } from './vat-report.ts';

const CSV = 'text/csv';

/** A file for an accounting system. */
function csvFile(name: string, text: string) {
  return {
    status: 200,
    body: Buffer.from(text),
    headers: { 'content-type': `${CSV}; charset=utf-8`, 'content-disposition': `attachment; filename="${name}.csv"` },
  };
}

/** What the shop's bookkeeper reads and hands over. */
export const reportOpsRoutes: readonly OpsRoute<BooksContext>[] = [
  route({
    method: 'GET',
    path: '/books/trial-balance',
    access: { roles: OPERATOR_ROLES },
    operationId: 'getTrialBalance',
    summary: 'Fetch the trial balance of a day',
    description: 'At the end of a day of the seller, in two columns with equal sums.',
    query: DayQuery,
    replies: { 200: TrialBalance },
    csv: 'accounts',
    handle: async (ctx, _operator, { query }) => ({ status: 200, body: await getTrialBalance(ctx, query) }),
  }),
  route({
    method: 'GET',
    path: '/books/reconciliation',
    access: { roles: OPERATOR_ROLES },
    operationId: 'getReconciliation',
    summary: 'Compare the accounts with their statements',
    description: [
      'Each account with its balance at the end of a day, the statement that it is compared with, and what has been on it',
      'for too long, such as charges without a payout. `GET /books/{account}` lists the entries of each, also as CSV.',
    ].join(' '),
    query: DayQuery,
    replies: { 200: Reconciliation },
    csv: 'accounts',
    handle: async (ctx, _operator, { query }) => ({ status: 200, body: await getReconciliation(ctx, query) }),
  }),
  route({
    method: 'GET',
    path: '/books/vat',
    access: { roles: OPERATOR_ROLES },
    operationId: 'getVatReport',
    summary: 'Fetch the output VAT of a period',
    description: [
      'Boxes 1 and 6 of the return, by rate and treatment, for days of the seller. Sales and credits count by their tax',
      'points. `ledger` proves that the figures are those of the ledger: `unexplained` is always 0.',
    ].join(' '),
    query: PeriodQuery,
    replies: { 200: VatReport },
    csv: 'rates',
    handle: async (ctx, _operator, { query }) => ({ status: 200, body: await getVatReport(ctx, query) }),
  }),
  route({
    method: 'GET',
    path: '/books/vat/documents',
    access: { roles: OPERATOR_ROLES },
    operationId: 'listVatDocuments',
    summary: 'List the documents of a VAT period',
    description: [
      'Invoices, then credit notes, each by rate. They sum to the report. A page may have fewer records than `limit`, or',
      'none, and still be followed by another.',
    ].join(' '),
    query: VatDocumentsQuery,
    replies: { 200: VatDocumentPage },
    csv: 'data',
    handle: async (ctx, _operator, { query }) => ({ status: 200, body: await listVatDocuments(ctx, query) }),
  }),
  route({
    method: 'POST',
    path: '/books/journals',
    access: { roles: BOOKKEEPERS },
    operationId: 'makeJournal',
    summary: 'Hand days over to the accounting system',
    description: [
      'Makes the journal of some days, whose debits equal its credits. It begins the day after the one before, so that no',
      'day is exported twice or left out. It is the same whenever it is read.',
    ].join(' '),
    body: JournalBody,
    errors: ['conflict'],
    replies: { 201: Journal },
    handle: async (ctx, operator, { body, once }) => ({
      status: 201,
      body: await makeJournal(ctx, operatorActor(operator, once), body),
    }),
  }),
  route({
    method: 'GET',
    path: '/books/journals',
    access: { roles: OPERATOR_ROLES },
    operationId: 'listJournals',
    summary: 'List the journals',
    description: 'The days that were handed over, latest first.',
    query: ListJournalsQuery,
    replies: { 200: JournalPage },
    csv: 'data',
    handle: async (ctx, _operator, { query }) => ({ status: 200, body: await listJournals(ctx, query) }),
  }),
  route({
    method: 'GET',
    path: '/books/journals/:to',
    access: { roles: OPERATOR_ROLES },
    operationId: 'getJournal',
    summary: 'Fetch a journal',
    params: JournalParams,
    replies: { 200: Journal },
    csv: 'lines',
    handle: async (ctx, _operator, { params }) => ({ status: 200, body: await getJournal(ctx, params.to) }),
  }),
  route({
    method: 'GET',
    path: '/books/journals/:to/xero',
    access: { roles: OPERATOR_ROLES },
    operationId: 'getXeroJournal',
    summary: 'Fetch a journal for Xero',
    description: 'A file that Xero imports as a manual journal. `XERO_CODES` sets the codes of the accounts.',
    params: JournalParams,
    replies: { 200: CSV },
    handle: async (ctx, _operator, { params }) =>
      csvFile(`xero-journal-${params.to}`, await getXeroJournal(ctx, params.to)),
  }),
  route({
    method: 'GET',
    path: '/books/journals/:to/sage',
    access: { roles: OPERATOR_ROLES },
    operationId: 'getSageJournal',
    summary: 'Fetch a journal for Sage 50',
    description: 'A file that Sage 50 imports as audit trail transactions. `SAGE_CODES` sets the nominal codes.',
    params: JournalParams,
    replies: { 200: CSV },
    handle: async (ctx, _operator, { params }) =>
      csvFile(`sage-journal-${params.to}`, await getSageJournal(ctx, params.to)),
  }),
];
