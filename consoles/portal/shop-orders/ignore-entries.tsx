import { Button, Text } from '@mantine/core';
import { useState } from 'react';
import { call } from '../../shared/api/client.ts';
import { Confirm, type Question } from '../../shared/dialog/confirm.tsx';
import type { ShopOrder } from '../../shared/shops/words.tsx';

/** Says that what buyers enter for the items of an order does not matter, from now on. */
export function IgnoreEntries({ order: { id, number }, onDone }: { order: ShopOrder; onDone: () => void }) {
  const [question, setQuestion] = useState<Question>();
  const ask = (): void =>
    setQuestion({
      title: `Leave out what buyers enter for the items of ${number}?`,
      label: 'It does not matter',
      keepLabel: 'Leave it',
      isMaking: true,
      act: async () => {
        await call('ignoreShopOrderEntries', { path: { id } });
        onDone();
      },
    });
  return (
    <>
      <Button variant="default" onClick={ask}>
        Entries do not matter
      </Button>
      <Confirm question={question} onClose={() => setQuestion(undefined)}>
        <Text size="sm">
          This and all later orders are made without it, until you say on the page of the shop anew what these items
          are. If buyers expect it to be made, choose a personalised product there instead.
        </Text>
      </Confirm>
    </>
  );
}
