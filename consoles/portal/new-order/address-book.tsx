import { Button, Group, Text, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { TypedAddress } from '../../shared/address/fields.tsx';
import { call } from '../../shared/api/client.ts';
import { reading } from '../../shared/api/queries.ts';
import { notifyOf, notifyOfFailure } from '../../shared/states/notify.tsx';
import { useSettled } from '../../shared/values/settled.ts';

const SETTLE_MS = 250;
const SHOWN = 6;

/** Finds an address that was kept before, and keeps the one in the form. */
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
  const query = useQuery({ ...reading('listAddresses', { query: { search } }), enabled: search !== '' });
  const found = search === '' ? [] : (query.data?.data ?? []).slice(0, SHOWN);
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
  return (
    <div className="platen-panel-body">
      <Group gap="sm" align="flex-end">
        <TextInput
          label="Search the address book"
          type="search"
          autoComplete="off"
          style={{ flex: 1, minWidth: 200 }}
          value={text}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
        />
        <Button variant="default" disabled={!isFilled} onClick={() => void keep()}>
          Keep this address
        </Button>
      </Group>
      <div aria-live="polite">
        {search !== '' && query.data !== undefined && found.length === 0 ? (
          <Text size="sm" mt="xs">
            No address has these words.
          </Text>
        ) : null}
        {found.map(({ id, label, address: kept }) => (
          <Group key={id} gap="sm" mt="xs" wrap="nowrap">
            <Button
              size="compact-sm"
              variant="default"
              aria-label={`Use ${label}`}
              onClick={() => {
                onChoose(kept);
                setText('');
              }}
            >
              Use
            </Button>
            <Text size="sm">
              {[...new Set([label, kept.contact_name, kept.line1, kept.postcode, kept.city])].join(', ')}
            </Text>
          </Group>
        ))}
      </div>
    </div>
  );
}
