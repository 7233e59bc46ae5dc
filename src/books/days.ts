import type { Context } from '../lib/context.ts';
import type { SellerDays } from '../lib/seller-day.ts';

/** Where the seller's days begin and end. */
export async function readSellerDays(_ctx: Pick<Context, 'database'>): Promise<SellerDays> {
  return { timeZone: 'Europe/London', from: new Date(0) };
}
