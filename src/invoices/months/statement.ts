import type { LastEntry } from '../../billing/statement/statement-sql.ts';
import type { DocumentVat, InvoiceParty } from '../invoice.ts';

/**
 * The statement of a month: what moved on the balance, and the documents that were issued in it.
 * Amounts are pence.
 */
export type MonthStatement = {
  /** `2026-10` */
  readonly month: string;
  readonly firstDay: string;
  readonly lastDay: string;
  /** The time of the file: the end of the month, or now while it is not over. */
  readonly at: Date;
  readonly isOver: boolean;
  readonly accountId: string;
  readonly seller: InvoiceParty;
  readonly customer: InvoiceParty;
  readonly opening: LastEntry;
  readonly closing: LastEntry;
  readonly movements: Movements;
  readonly documents: DocumentSums;
};

/** Every movement; or their sums by day and kind, where they are too many. */
export type Movements =
  | { readonly kind: 'single'; readonly rows: readonly Movement[] }
  | { readonly kind: 'by_day'; readonly rows: readonly DaySum[] };

export type Movement = {
  readonly day: string;
  readonly what: string;
  /** What it is in the totals. */
  readonly sort: string;
  readonly reference: string;
  /** Below zero for what was taken. */
  readonly movedPence: number;
  readonly balancePence: number;
};

/** What entries of one kind moved on a day. */
export type DaySum = {
  readonly day: string;
  readonly sort: string;
  readonly entries: number;
  readonly movedPence: number;
  /** At the end of the day, on its last row; undefined on the others. */
  readonly balancePence: number | undefined;
};

/** The sum of movements of a kind. */
export type SortSum = { readonly sort: string; entries: number; movedPence: number };

/** The totals of a month by kind, in the order in which they first occur. */
export function sumsBySort({ movements }: Pick<MonthStatement, 'movements'>): SortSum[] {
  const sums = new Map<string, SortSum>();
  const add = (sort: string, entries: number, movedPence: number): void => {
    const sum = sums.get(sort) ?? { sort, entries: 0, movedPence: 0 };
    sum.entries += entries;
    sum.movedPence += movedPence;
    sums.set(sort, sum);
  };
  if (movements.kind === 'single') for (const { sort, movedPence } of movements.rows) add(sort, 1, movedPence);
  else for (const { sort, entries, movedPence } of movements.rows) add(sort, entries, movedPence);
  return [...sums.values()];
}

/** Documents of a month, as they show it. */
export type DocumentSum = {
  documents: number;
  netPence: number;
  vatPence: number;
  dutyPence: number;
  totalPence: number;
};

/** Invoices, credit notes, and the VAT of both by rate: what credit notes take back is taken off. */
export type DocumentSums = {
  readonly invoices: DocumentSum;
  readonly creditNotes: DocumentSum;
  readonly vat: readonly { readonly rateBp: number; netPence: number; vatPence: number }[];
};

/** A document, as far as its sums need it. */
export type SummedDocument = {
  kind: 'invoice' | 'credit_note';
  net_pence: number;
  vat_pence: number;
  duty_pence: number;
  total_pence: number;
  vat: Pick<DocumentVat, 'rate_bp' | 'net_pence' | 'vat_pence'>[];
};

/** Sums documents one by one. */
export function sumDocuments(): { add: (document: SummedDocument) => void; sums: () => DocumentSums } {
  const none = (): DocumentSum => ({ documents: 0, netPence: 0, vatPence: 0, dutyPence: 0, totalPence: 0 });
  const [invoices, creditNotes] = [none(), none()];
  const rates = new Map<number, { rateBp: number; netPence: number; vatPence: number }>();
  return {
    add: (document) => {
      const isInvoice = document.kind === 'invoice';
      const sum = isInvoice ? invoices : creditNotes;
      sum.documents += 1;
      sum.netPence += document.net_pence;
      sum.vatPence += document.vat_pence;
      sum.dutyPence += document.duty_pence;
      sum.totalPence += document.total_pence;
      for (const { rate_bp: rateBp, net_pence: netPence, vat_pence: vatPence } of document.vat) {
        const rate = rates.get(rateBp) ?? { rateBp, netPence: 0, vatPence: 0 };
        rate.netPence += isInvoice ? netPence : -netPence;
        rate.vatPence += isInvoice ? vatPence : -vatPence;
        rates.set(rateBp, rate);
      }
    },
    sums: () => ({ invoices, creditNotes, vat: [...rates.values()].toSorted((a, b) => b.rateBp - a.rateBp) }),
  };
}
