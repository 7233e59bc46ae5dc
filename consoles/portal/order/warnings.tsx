import type { Order } from '../../shared/orders/status.tsx';

/** So many are read at once; the others are opened. */
const SHOWN = 5;

/** What was accepted with an order but may not be what was meant, while it can still matter. */
export function Warnings({ order }: { order: Order }) {
  const notes = notesOf(order);
  const [shown, others] = [notes.slice(0, SHOWN), notes.slice(SHOWN)];
  return (
    <>
      {shown.map((note) => (
        <p key={note} className="platen-note" role="note">
          {note}
        </p>
      ))}
      {others.length === 0 ? null : (
        <details className="platen-note">
          <summary>{others.length} more like these</summary>
          {others.map((note) => (
            <p key={note}>{note}</p>
          ))}
        </details>
      )}
    </>
  );
}

const OVER: readonly string[] = ['dispatched', 'delivered', 'cancelled'];
/** The status and what blocks the order say these. */
const OF_PAYMENT: readonly string[] = ['payment_processing', 'payment_failed'];

/** Each message once, after the names of the lines that it is about where the order has several. */
function notesOf({ status, items, warnings }: Order): readonly string[] {
  if (OVER.includes(status)) return [];
  const lines = new Map<string, Set<string>>();
  for (const { code, path, message } of warnings) {
    if (OF_PAYMENT.includes(code)) continue;
    const names = lines.get(message) ?? new Set();
    lines.set(message, names);
    const name = items[Number(/^items\[(\d+)\]/.exec(path)?.[1])]?.name;
    if (name !== undefined && items.length > 1) names.add(name);
  }
  return [...lines].map(([message, names]) => (names.size === 0 ? message : `${[...names].join(', ')}: ${message}`));
}
