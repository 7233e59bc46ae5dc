import { operatorActor } from '../accounts/access/act-on-access.ts';
import { OpsAccountParams } from '../accounts/ops-schema.ts';
import { OPERATOR_ROLES } from '../lib/operator.ts';
import { type OpsRoute, route } from '../lib/route.ts';
import { BOOKKEEPERS, type BooksContext } from './context.ts';
import { correct, correctionProblems } from './correct.ts';
import { approveEntry, refuseEntry } from './decide-entry.ts';
import {
  ApproveBody,
  BookEntry,
  BookEntryPage,
  CorrectionBody,
  EntryBody,
  EntryParams,
  ListEntriesQuery,
  RefuseBody,
  WithdrawalBody,
  WriteOffBody,
} from './entry-schema.ts';
import { getBookEntry, listBookEntries } from './read-entries.ts';
import { entryProblems, recordEntry } from './record-entry.ts';
import { withdraw, writeOff } from './withdraw.ts';

const SECOND =
  'From the limit `SECOND_PERSON_FROM_GBP` on nothing is posted yet: the entry is `proposed`, and another person approves it.';

/** What operators enter in the books, and what they approve. */
export const booksOpsRoutes: readonly OpsRoute<BooksContext>[] = [
  route({
    method: 'POST',
    path: '/books/corrections',
    access: { roles: BOOKKEEPERS },
    movesMoney: true,
    operationId: 'correctEntry',
    summary: 'Correct what was entered wrongly',
    description: [
      'Takes back a posting, whole or in part, or all that is left of an entry, by postings of today that are linked to it.',
      'A top-up can be moved to the account that it was for. A debt that was collected by bank is owed for its order again;',
      'what a won dispute has credited to the balance since is taken back first. Postings of an order are undone by the operations of the',
      `order: 409. ${SECOND}`,
    ].join(' '),
    body: CorrectionBody,
    bodyProblems: correctionProblems,
    errors: ['conflict', 'not_found'],
    replies: { 201: BookEntry },
    handle: async (ctx, operator, { body, once }) => ({
      status: 201,
      body: await correct(ctx, operatorActor(operator, once), body),
    }),
  }),
  route({
    method: 'POST',
    path: '/books/entries',
    access: { roles: BOOKKEEPERS },
    movesMoney: true,
    operationId: 'recordEntry',
    summary: 'Record a line of a statement',
    description: [
      'What the statements of the bank, the payment provider, HMRC and the carriers show, so that every account of the shop',
      'can be brought to its statement. Opening balances and adjustments need a second person from the limit on.',
    ].join(' '),
    body: EntryBody,
    bodyProblems: entryProblems,
    errors: ['conflict', 'not_found'],
    replies: { 201: BookEntry },
    handle: async (ctx, operator, { body, once }) => ({
      status: 201,
      body: await recordEntry(ctx, operatorActor(operator, once), body),
    }),
  }),
  route({
    method: 'GET',
    path: '/books/entries',
    access: { roles: OPERATOR_ROLES },
    operationId: 'listEntries',
    summary: 'List entries of the books',
    description: 'Corrections, withdrawals, write-offs and lines of statements, newest first.',
    query: ListEntriesQuery,
    replies: { 200: BookEntryPage },
    csv: 'data',
    handle: async (ctx, _operator, { query }) => ({ status: 200, body: await listBookEntries(ctx, query) }),
  }),
  route({
    method: 'GET',
    path: '/books/entries/:id',
    access: { roles: OPERATOR_ROLES },
    operationId: 'getEntry',
    summary: 'Fetch an entry of the books',
    params: EntryParams,
    replies: { 200: BookEntry },
    handle: async (ctx, _operator, { params }) => ({ status: 200, body: await getBookEntry(ctx, params.id) }),
  }),
  route({
    method: 'POST',
    path: '/books/entries/:id/approve',
    access: { roles: BOOKKEEPERS },
    movesMoney: true,
    operationId: 'approveEntry',
    summary: 'Approve a proposed entry',
    description: [
      'Posts it, as the books are now. The approver is another person than the proposer; where no other operator with the',
      'role finance or admin is enabled, the proposer records an approval of their own. 409 once it is decided or expired.',
    ].join(' '),
    params: EntryParams,
    body: ApproveBody,
    bodyIsOptional: true,
    errors: ['conflict'],
    replies: { 200: BookEntry },
    handle: async (ctx, operator, { params, body, once }) => ({
      status: 200,
      body: await approveEntry(ctx, operatorActor(operator, once), params.id, body.reason),
    }),
  }),
  route({
    method: 'POST',
    path: '/books/entries/:id/refuse',
    access: { roles: BOOKKEEPERS },
    operationId: 'refuseEntry',
    summary: 'Refuse a proposed entry',
    description: 'Nothing is posted, and its reference can be used again. 409 once it is decided.',
    params: EntryParams,
    body: RefuseBody,
    errors: ['conflict'],
    replies: { 200: BookEntry },
    handle: async (ctx, operator, { params, body, once }) => ({
      status: 200,
      body: await refuseEntry(ctx, operatorActor(operator, once), params.id, body.reason),
    }),
  }),
  route({
    method: 'POST',
    path: '/accounts/:id/withdrawals',
    access: { roles: BOOKKEEPERS },
    movesMoney: true,
    operationId: 'withdrawBalance',
    summary: 'Pay a balance out by bank',
    description: `A part of the balance, or all of it when the customer leaves. 409 above the balance. ${SECOND}`,
    params: OpsAccountParams,
    body: WithdrawalBody,
    errors: ['conflict'],
    replies: { 201: BookEntry },
    handle: async (ctx, operator, { params, body, once }) => ({
      status: 201,
      body: await withdraw(ctx, operatorActor(operator, once), params.id, body),
    }),
  }),
  route({
    method: 'POST',
    path: '/accounts/:id/write-offs',
    access: { roles: BOOKKEEPERS },
    movesMoney: true,
    operationId: 'writeOff',
    summary: 'Write off a debt or an unclaimed balance',
    description: `At most what is owed, or what the balance is. A dispute that is won later gives it back. ${SECOND}`,
    params: OpsAccountParams,
    body: WriteOffBody,
    errors: ['conflict'],
    replies: { 201: BookEntry },
    handle: async (ctx, operator, { params, body, once }) => ({
      status: 201,
      body: await writeOff(ctx, operatorActor(operator, once), params.id, body),
    }),
  }),
];
