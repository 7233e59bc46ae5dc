import { Button, Group } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { statusLabel } from '../../shared/orders/status.tsx';
import { useAddressState } from '../../shared/table/address.ts';

/** What the list is narrowed by and no field or tab of the page shows, each to be taken away. */
export function Narrowed() {
  const { get, set } = useAddressState();
  const [type, number, status] = [get('type'), get('number'), get('status')];
  const chips = [
    ...(number === undefined ? [] : [{ name: 'number', words: `Number ${number}` }]),
    ...(type === undefined ? [] : [{ name: 'type', words: TYPES.get(type) ?? `Type ${type}` }]),
    // The tab of what needs the customer is marked then, and not that of the status.
    ...(status === undefined || get('blocked_by') === undefined
      ? []
      : [{ name: 'status', words: `Status ${statusLabel(status)}` }]),
  ];
  if (chips.length === 0) return null;
  return (
    <Group gap="xs" component="section" aria-label="Narrowed by">
      {chips.map(({ name, words }) => (
        <Button
          key={name}
          size="compact-sm"
          variant="light"
          className="platen-chip"
          aria-label={`${words}: take away`}
          rightSection={<IconX size={14} aria-hidden />}
          onClick={() => set({ [name]: undefined })}
        >
          {words}
        </Button>
      ))}
    </Group>
  );
}

const TYPES: ReadonlyMap<string, string> = new Map([
  ['sample', 'Only samples'],
  ['bulk', 'Without samples'],
]);
