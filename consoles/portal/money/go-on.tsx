import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { call } from '../../shared/api/client.ts';
import { useCommands } from '../../shared/commands/registry.ts';
import { notifyOf } from '../../shared/states/notify.tsx';
import { useSaving } from '../../shared/states/use-saving.ts';
import { formatMoney } from '../../shared/values/money.tsx';
import type { TopUp } from './top-up-state.tsx';

/** Leads back to the provider's page of a top-up, as long as it can be paid there; else says what came of it. */
export function GoOn({ topUp: { id, amount, currency } }: { topUp: TopUp }) {
  const queries = useQueryClient();
  const { isSaving, run } = useSaving(async () => {
    const { state, pay_url: url } = await call('lookAtTopUp', { path: { id } });
    if (url !== null) {
      location.assign(url);
      return;
    }
    if (state === 'paid') notifyOf(`${formatMoney(amount, currency)} is on your balance already.`);
    else if (state === 'open') notifyOf('The payment is not confirmed yet. Look again in a moment.');
    else notifyOf('Nothing was taken, and the page for this payment has ended.');
    await Promise.all(
      ['listTopUps', 'getMoney', 'getStatement'].map((name) => queries.invalidateQueries({ queryKey: [name] })),
    );
  });
  const label = `Go on to pay ${formatMoney(amount, currency)}`;
  useCommands([{ id: `pay-${id}`, label, group: 'Money', run }]);
  return (
    <Button
      size="compact-sm"
      variant="default"
      loading={isSaving}
      loaderProps={{ type: 'dots' }}
      aria-label={label}
      onClick={run}
    >
      Go on to pay
    </Button>
  );
}
