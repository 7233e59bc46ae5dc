import { Button, Group, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import type { TypedAddress } from '../../shared/address/fields.tsx';
import { call } from '../../shared/api/client.ts';
import { useCommands } from '../../shared/commands/registry.ts';
import { notifyOf, notifyOfFailure } from '../../shared/states/notify.tsx';
import { useSettled } from '../../shared/values/settled.ts';

const SETTLE_MS = 250;

// Loaded once a person comes to the field.
const KeptAddresses = lazy(async () => ({ default: (await import('./kept-addresses.tsx')).KeptAddresses }));

/** Finds an address that was kept before or removes it, and keeps the one in the form. */
export function AddressBook({
  address,
  onChoose,
}: {
  address: TypedAddress;
  onChoose: (address: TypedAddress) => void;
}) {
  const queries = useQueryClient();
  const [text, setText] = useState('');
  const search = useSettled(text.trim(), SETTLE_MS);
  // Without a word the newest are listed, from when a person comes to the field until they have chosen.
  const [isOpen, setOpen] = useState(false);
  const { contact_name: name, line1, city, postcode } = address;
  const isFilled = [name, line1, city, postcode].every((member) => member.trim() !== '');
  const keep = async (): Promise<void> => {
    try {
      await call('saveAddress', { body: { address } });
      await queries.invalidateQueries({ queryKey: ['listAddresses'] });
      notifyOf('Kept in the address book.');
    } catch (error) {
      notifyOfFailure(error);
    }
  };
  useCommands(
    isFilled ? [{ id: 'keep-address', label: 'Keep this address', group: 'Address book', run: () => void keep() }] : [],
  );
  const choose = (chosen: TypedAddress): void => {
    onChoose(chosen);
    setText('');
    setOpen(false);
  };
  return (
    <div className="platen-panel-body">
      <Group gap="sm" align="flex-end">
        <TextInput
          label="Search the address book"
          type="search"
          autoComplete="off"
          style={{ flex: 1, minWidth: 200 }}
          value={text}
          onFocus={() => setOpen(true)}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
        />
        <Button variant="default" disabled={!isFilled} onClick={() => void keep()}>
          Keep this address
        </Button>
      </Group>
      <div aria-live="polite">
        {isOpen || search !== '' ? (
          <Suspense fallback={null}>
            <KeptAddresses search={search} onChoose={choose} />
          </Suspense>
        ) : null}
      </div>
    </div>
  );
}
