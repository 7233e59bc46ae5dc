type Line = { readonly qty: number; readonly qty_shipped: number; readonly qty_cancelled: number };

/**
 * How many of the pieces are sent and how many cancelled: "3 of 5 pieces sent, 1 cancelled".
 * Undefined where the status says it: nothing is sent or cancelled yet, or one of both is all.
 */
export function piecesWords(lines: readonly Line[]): string | undefined {
  const sum = (count: (line: Line) => number): number => lines.reduce((all, line) => all + count(line), 0);
  const pieces = sum(({ qty }) => qty);
  const sent = sum(({ qty_shipped: shipped }) => shipped);
  const cancelled = sum(({ qty_cancelled: less }) => less);
  if (sent + cancelled === 0 || sent === pieces || cancelled === pieces) return undefined;
  const words = `${sent} of ${pieces} pieces sent`;
  return cancelled === 0 ? words : `${words}, ${cancelled} cancelled`;
}
