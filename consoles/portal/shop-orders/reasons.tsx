import { NativeSelect } from '@mantine/core';
import { reasonsOf, SHOP_ORDER_STATES, type Shop, shopOrderStateLabel } from '../../shared/shops/words.tsx';

/** Counts of a shop end here. */
const COUNTED_MAX = 1_000;

/**
 * What the list is narrowed to within a state, or of every state.
 * Of what waits it says how many there are, which the shops have with them.
 */
export function Reasons({
  state,
  chosen,
  shops,
  onChoose,
}: {
  state: string | undefined;
  chosen: string | undefined;
  shops: readonly Shop[];
  onChoose: (reason: string) => void;
}) {
  const groups = SHOP_ORDER_STATES.filter((each) => state === undefined || each === state)
    .map((each) => ({
      group: shopOrderStateLabel(each),
      items: reasonsOf(each).map(({ reason, label }) => ({
        value: reason,
        label: `${label}${countOf(shops, reason)}`,
      })),
    }))
    .filter(({ items }) => items.length > 0);
  if (groups.length === 0) return null;
  return (
    <NativeSelect
      aria-label="Reason"
      size="xs"
      data={[{ value: '', label: 'Every reason' }, ...groups]}
      value={chosen ?? ''}
      onChange={({ currentTarget }) => onChoose(currentTarget.value)}
    />
  );
}

function countOf(shops: readonly Shop[], reason: string): string {
  const counted = shops.flatMap(({ waiting }) => {
    const isCutOff = waiting.reduce((sum, { orders }) => sum + orders, 0) >= COUNTED_MAX;
    return waiting.filter((one) => one.reason === reason).map(({ orders }) => ({ orders, isCutOff }));
  });
  if (counted.length === 0) return '';
  const sum = counted.reduce((all, { orders }) => all + orders, 0);
  return ` (${sum.toLocaleString('en-GB')}${counted.some(({ isCutOff }) => isCutOff) ? '+' : ''})`;
}
