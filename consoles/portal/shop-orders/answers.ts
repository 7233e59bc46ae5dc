import { call } from '../../shared/api/client.ts';
import { reasonWords, type ShopOrder } from '../../shared/shops/words.tsx';

/** What a person can do with orders of shops. */
export type AnswerKind = 'place' | 'ignore';

/** What became of one of several orders. */
export type Result = { readonly id: string; readonly number: string; readonly words: string; readonly isGood: boolean };

const LOOK_EVERY_MS = 400;
const LOOKS_MAX = 25;

/** Answers an order: has it placed, or ignored. Throws what the service refuses. */
export async function answer(kind: AnswerKind, { id }: Pick<ShopOrder, 'id'>): Promise<ShopOrder> {
  return call(kind === 'place' ? 'placeShopOrder' : 'ignoreShopOrder', { path: { id } });
}

/** Answers one of several orders, and says what became of it once it was looked at. Never throws. */
export async function answerAndLook(kind: AnswerKind, order: ShopOrder): Promise<Result> {
  const { id, number } = order;
  try {
    return { id, number, ...outcomeOf(kind, await lookedAt(await answer(kind, order))) };
  } catch (error) {
    return { id, number, words: error instanceof Error ? error.message : String(error), isGood: false };
  }
}

/** An order once it is not new any more, or as it still is after some seconds. */
async function lookedAt(order: ShopOrder): Promise<ShopOrder> {
  let seen = order;
  for (let look = 0; seen.state === 'new' && look < LOOKS_MAX; look += 1) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    seen = await call('getShopOrder', { path: { id: order.id } });
  }
  return seen;
}

function outcomeOf(kind: AnswerKind, { state, reason, order }: ShopOrder): Pick<Result, 'words' | 'isGood'> {
  if (state === 'placed') return { words: `placed as ${order?.reference ?? 'an order'}`, isGood: true };
  if (state === 'ignored') return { words: 'ignored', isGood: kind === 'ignore' };
  if (state === 'new') return { words: 'is still being looked at', isGood: true };
  return { words: `waits: ${reasonWords(reason)}`, isGood: false };
}
