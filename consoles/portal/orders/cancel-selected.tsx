import { Button, Text } from '@mantine/core';
import { useState } from 'react';
import { call } from '../../shared/api/client.ts';
import { Confirm, type Question } from '../../shared/dialog/confirm.tsx';
import type { Order } from '../../shared/orders/status.tsx';
import { formatMoney } from '../../shared/values/money.tsx';

type Result = { readonly reference: string; readonly words: string };

/** Cancels those of the selected orders that can be cancelled: how many is said first, and what came of each after. */
export function CancelSelected({ orders, onDone }: { orders: readonly Order[]; onDone: () => void }) {
  const [question, setQuestion] = useState<Question & { readonly orders: readonly Order[] }>();
  const [results, setResults] = useState<readonly Result[]>([]);
  const open = orders.filter(({ actions }) => actions.cancel.available);
  const many = open.length === 1 ? '1 order' : `${open.length} orders`;
  const ask = (): void => {
    setResults([]);
    setQuestion({
      title: `Cancel ${many}?`,
      label: `Cancel ${many}`,
      typed: String(open.length),
      orders: open,
      act: async () => {
        const refused: Result[] = [];
        // One by one: a cancel takes the account's balance, which the next would wait for.
        for (const { id, reference } of open) {
          try {
            await call('cancelOrder', { path: { id } });
          } catch (error) {
            refused.push({ reference, words: error instanceof Error ? error.message : String(error) });
          }
        }
        setResults(refused);
        onDone();
        if (refused.length > 0) throw new Error(`${open.length - refused.length} cancelled, ${refused.length} not.`);
      },
    });
  };
  const total = (question?.orders ?? []).reduce((sum, order) => sum + Math.round(order.total * 100), 0);
  return (
    <>
      <Button size="compact-sm" variant="outline" color="red.9" disabled={open.length === 0} onClick={ask}>
        Cancel {many}
      </Button>
      <Confirm question={question} onClose={() => setQuestion(undefined)}>
        <Text size="sm">
          Nothing of them is made, and {formatMoney(total / 100, 'GBP')} is refunded. A cancelled order cannot be taken
          up again.
        </Text>
        {results.length === 0 ? null : (
          <ul className="platen-problems">
            {results.map(({ reference, words }) => (
              <li key={reference}>
                {reference}: {words}
              </li>
            ))}
          </ul>
        )}
      </Confirm>
    </>
  );
}
