import type { InboxRow, Received } from './inbox-sql.ts';
import { isMadeTheSame, type Parts } from './parts.ts';

type Approved = Pick<InboxRow, 'content' | 'parts'> & Pick<Received, 'items'>;

/**
 * Whether what a person has approved covers an order as its shop has it now.
 * Fewer pieces are covered, and what costs nothing, such as a note. More pieces, another way in which they are made,
 * another address, another service, or a suspicion of fraud since then are a person's to approve. Pure.
 */
export function isStillApproved(before: Approved, { content, parts, items }: Received): boolean {
  if (before.content === null || before.parts === null) return false;
  if (before.parts.address !== parts.address) return false;
  if (before.content.shipping_method !== content.shipping_method) return false;
  if (content.high_risk === true && before.content.high_risk !== true) return false;
  const { items: had, parts: was } = before;
  const approved = piecesOf(had, ({ id }) => was.made[id]);
  const wanted = piecesOf(items, ({ id }) => (isMadeTheSame(was, parts, id) ? was.made[id] : parts.made[id]));
  return [...wanted].every(([item, pieces]) => pieces <= (approved.get(item) ?? 0));
}

/** Pieces of each item in the way in which it is made. */
function piecesOf(
  items: Approved['items'],
  madeOf: (item: Approved['items'][number]) => Parts['made'][string] | undefined,
): Map<string, number> {
  const pieces = new Map<string, number>();
  for (const one of items) {
    const { id, quantity } = one;
    const item = JSON.stringify([id, madeOf(one)]);
    pieces.set(item, (pieces.get(item) ?? 0) + quantity);
  }
  return pieces;
}
