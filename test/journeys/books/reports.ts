import assert from 'node:assert/strict';
import type { TrialBalance, VatDocument, VatReport } from '../../../src/books/reports/report-schema.ts';
import { issueDueDocuments } from '../../../src/invoices/issue-due.ts';
import type { Page } from '../../../src/lib/paging.ts';
import type { CreatedOrder } from '../../../src/orders/schema.ts';
import { basket, teeItem } from '../../harness/shop.ts';
import { cents, finance, service } from './entries.ts';

/** Moves the clock of the service to a time that is to come. */
export function moveTo(iso: string): void {
  const ms = Date.parse(iso) - service.ctx.clock.now().getTime();
  assert.ok(ms > 0, `${iso} is past`);
  service.shiftMs(ms);
}

export type Sold = { readonly id: string; readonly net: number; readonly vat: number; readonly total: number };

/** Places an order of some tees, which the balance pays. Amounts are pence. */
export async function sell(quantity: number, changes: object = {}): Promise<Sold> {
  const body = basket(service, { items: [teeItem(service, { quantity })], ...changes });
  const { status, body: order, text } = await service.customer.request<CreatedOrder>('POST', '/orders', body);
  assert.deepEqual([status, order.payment_status], [201, 'paid'], text);
  const { charged } = order;
  const net = cents(charged.subtotal) + cents(charged.setup_total) + cents(charged.shipping_cost);
  return { id: order.id, net, vat: cents(charged.vat_amount), total: cents(charged.total) };
}

/** Gives a part of an order back. */
export async function giveBack(order: Sold, amount_gbp: number): Promise<void> {
  const answer = await finance.request('POST', `/orders/${order.id}/refunds`, { amount_gbp, reason: 'late' });
  assert.equal(answer.status, 200, answer.text);
}

/** Issues what is due. */
export async function issueAll(): Promise<void> {
  service.shiftMs(120_000);
  await issueDueDocuments(service.ctx);
}

export const vatOf = async (from: string, to = from): Promise<VatReport> => {
  const answer = await finance.request<VatReport>('GET', `/books/vat?from=${from}&to=${to}`);
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
};

/** All documents of a period, page by page. */
export async function documentsOf(from: string, to = from, limit = 3): Promise<VatDocument[]> {
  const found: VatDocument[] = [];
  let cursor = '';
  do {
    const path = `/books/vat/documents?from=${from}&to=${to}&limit=${limit}${cursor}`;
    const { body } = await finance.request<Page<VatDocument>>('GET', path);
    found.push(...body.data);
    cursor = body.next_cursor === null ? '' : `&cursor=${body.next_cursor}`;
  } while (cursor !== '');
  return found;
}

/** The trial balance of a day, in pence, debits above zero. */
export async function trialBalance(day?: string): Promise<Record<string, number>> {
  const query = day === undefined ? '' : `?day=${day}`;
  const { body } = await finance.request<TrialBalance>('GET', `/books/trial-balance${query}`);
  assert.equal(body.debit_total, body.credit_total);
  const sum = (of: 'debit' | 'credit'): number => body.accounts.reduce((total, row) => total + cents(row[of]), 0);
  assert.deepEqual([sum('debit'), sum('credit')], [cents(body.debit_total), cents(body.credit_total)]);
  return Object.fromEntries(body.accounts.map((row) => [row.account, cents(row.debit) - cents(row.credit)]));
}

/** What is not explained in a report, which must be nothing. */
export function assertExplained(report: VatReport): void {
  for (const row of report.ledger) assert.equal(row.unexplained, 0, JSON.stringify(row));
}
