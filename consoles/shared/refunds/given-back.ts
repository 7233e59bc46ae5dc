/** What a cancel gives back, in pence. */
export type GivenBack = {
  /** Goes to the balance at once. */
  readonly balancePence: number;
  /** What the print shop pays back by hand, by the method that it was paid by; none is 0. */
  readonly byHand: readonly { readonly method: string; readonly pence: number }[];
  /** Whether anything was paid at all. */
  readonly isPaid: boolean;
};

type Amount = { readonly method: string; readonly amount: number };

/** What was paid for an order and given back of it, in pounds. */
export type PaidOrder = { readonly charges: readonly Amount[]; readonly refunds: readonly Amount[] };

/** What comes back when orders are cancelled: what was paid, less what was given back or is on its way already. */
export function comesBack(orders: readonly PaidOrder[]): GivenBack {
  const sums = new Map<string, number>();
  for (const { charges, refunds } of orders) {
    for (const { method, amount } of charges) add(sums, method, penceOf(amount));
    for (const { method, amount } of refunds) add(sums, method, -penceOf(amount));
  }
  return givenBack(
    sums,
    orders.some(({ charges }) => charges.length > 0),
  );
}

/** What the answer to a cancel says. */
export type CancelAnswer = {
  readonly refunded_gbp: number;
  readonly pending_manual_refund: readonly { readonly method: string; readonly amount_gbp: number }[];
};

/** What came back when an order was cancelled, as the service answered. */
export function cameBack({ refunded_gbp: refunded, pending_manual_refund: pending }: CancelAnswer): GivenBack {
  const sums = new Map([[BALANCE, penceOf(refunded)]]);
  for (const { method, amount_gbp: amount } of pending) add(sums, method, penceOf(amount));
  return givenBack(sums, refunded > 0 || pending.length > 0);
}

const BALANCE = 'balance';

function givenBack(sums: ReadonlyMap<string, number>, isPaid: boolean): GivenBack {
  const byHand = [...sums].flatMap(([method, pence]) => (method === BALANCE || pence <= 0 ? [] : [{ method, pence }]));
  return { balancePence: Math.max(0, sums.get(BALANCE) ?? 0), byHand, isPaid };
}

function add(sums: Map<string, number>, method: string, pence: number): void {
  sums.set(method, (sums.get(method) ?? 0) + pence);
}

function penceOf(pounds: number): number {
  return Math.round(pounds * 100);
}
