import { Button, Group, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { TypedAddress } from '../../shared/address/fields.tsx';
import { call, type Reply, saveList } from '../../shared/api/client.ts';
import { reading } from '../../shared/api/queries.ts';
import { useCommands } from '../../shared/commands/registry.ts';
import { Confirm, type Question } from '../../shared/dialog/confirm.tsx';
import { SaveCsv } from '../../shared/table/save-csv.tsx';

const SHOWN = 6;

type Saved = Reply<'listAddresses'>['data'][number];

/** What a search of the address book finds, each to be used or removed, and the file of it. */
export function KeptAddresses({ search, onChoose }: { search: string; onChoose: (address: TypedAddress) => void }) {
  const queries = useQueryClient();
  const [question, setQuestion] = useState<Question & { readonly address: string }>();
  const query = useQuery(reading('listAddresses', { query: { search } }));
  const found = (query.data?.data ?? []).slice(0, SHOWN);
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
  useCommands(
    found.flatMap((saved) => [
      { id: `use-${saved.id}`, label: `Use ${saved.label}`, group: 'Address book', run: () => onChoose(saved.address) },
      { id: `remove-${saved.id}`, label: `Remove ${saved.label}`, group: 'Address book', run: () => remove(saved) },
    ]),
  );
  return (
    <>
      {query.data !== undefined && found.length === 0 ? (
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
            onClick={() => onChoose(saved.address)}
          >
            Use
          </Button>
          <Button size="compact-sm" variant="subtle" aria-label={`Remove ${saved.label}`} onClick={() => remove(saved)}>
            Remove
          </Button>
          <Text size="sm">{inOneLine(saved.label, saved.address)}</Text>
        </Group>
      ))}
      {found.length === 0 ? null : (
        <Group mt="xs">
          <SaveCsv
            group="Address book"
            list={search === '' ? 'the address book' : 'the addresses with these words'}
            save={() => saveList('listAddresses', { query: { search: search || undefined } }, 'addresses.csv')}
          />
        </Group>
      )}
      <Confirm question={question} onClose={() => setQuestion(undefined)}>
        <Text size="sm">{question?.address} leaves the address book. Orders keep theirs.</Text>
      </Confirm>
    </>
  );
}

function inOneLine(label: string, { contact_name: name, line1, postcode, city }: TypedAddress): string {
  return [...new Set([label, name, line1, postcode, city])].join(', ');
}
