import { Button, Group, Text, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { TypedAddress } from '../../shared/address/fields.tsx';
import { call, type Reply } from '../../shared/api/client.ts';
import { reading } from '../../shared/api/queries.ts';
import { Confirm, type Question } from '../../shared/dialog/confirm.tsx';
import { notifyOf, notifyOfFailure } from '../../shared/states/notify.tsx';
import { useSettled } from '../../shared/values/settled.ts';

const SETTLE_MS = 250;
const SHOWN = 6;

type Saved = Reply<'listAddresses'>['data'][number];

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
  const [question, setQuestion] = useState<Question & { readonly address: string }>();
  const isListed = isOpen || search !== '';
  const query = useQuery({ ...reading('listAddresses', { query: { search } }), enabled: isListed });
  const found = isListed ? (query.data?.data ?? []).slice(0, SHOWN) : [];
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
  const remove = ({ id, label, address: kept }: Saved): void =>
    setQuestion({
      title: `Remove ${label}?`,
      label: 'Remove it',
      address: inOneLine(label, kept),
      act: async () => {
        await call('removeAddress', { path: { id } });
        await queries.invalidateQueries({ queryKey: ['listAddresses'] });
      },
    });
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
        {isListed && query.data !== undefined && found.length === 0 ? (
          <Text size="sm" mt="xs">
            {search === '' ? 'No address is kept yet.' : 'No address has these words.'}
          </Text>
        ) : null}
        {found.map((saved) => (
          <Group key={saved.id} gap="sm" mt="xs" wrap="nowrap">
            <Button
              size="compact-sm"
              variant="default"
              aria-label={`Use ${saved.label}`}
              onClick={() => {
                onChoose(saved.address);
                setText('');
                setOpen(false);
              }}
            >
              Use
            </Button>
            <Button
              size="compact-sm"
              variant="subtle"
              aria-label={`Remove ${saved.label}`}
              onClick={() => remove(saved)}
            >
              Remove
            </Button>
            <Text size="sm">{inOneLine(saved.label, saved.address)}</Text>
          </Group>
        ))}
      </div>
      <Confirm question={question} onClose={() => setQuestion(undefined)}>
        <Text size="sm">{question?.address} leaves the address book. Orders keep theirs.</Text>
      </Confirm>
    </div>
  );
}

function inOneLine(label: string, { contact_name: name, line1, postcode, city }: TypedAddress): string {
  return [...new Set([label, name, line1, postcode, city])].join(', ');
}
