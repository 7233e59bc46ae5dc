import { Button, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { AddressFields, type TypedAddress } from '../../shared/address/fields.tsx';
import { call, type Reply } from '../../shared/api/client.ts';
import { Refused } from '../../shared/api/failures.ts';
import { Failure } from '../../shared/states/failure.tsx';

type Opened = Reply<'getShopOrder'>;

/** Puts the address of an order right that its shop has sent, and that is not placed. */
export function CorrectAddress({
  order,
  onDone,
  onClose,
}: {
  order: Opened & { readonly shipping_address: TypedAddress };
  onDone: () => void;
  onClose: () => void;
}) {
  const [address, setAddress] = useState<TypedAddress>(order.shipping_address);
  const [isSending, setSending] = useState(false);
  const [failure, setFailure] = useState<Error>();
  const problems = failure instanceof Refused ? failure.problem.errors : [];
  // What the order was refused for, until it is sent again.
  const before = order.problems.map(({ path, message }) => ({
    path: path.replace(/^shipping_address\./, ''),
    message,
  }));
  const problemAt = (name: keyof TypedAddress): string | undefined =>
    (failure === undefined ? before : problems).find(({ path }) => path === name)?.message;
  const save = async (): Promise<void> => {
    setSending(true);
    setFailure(undefined);
    try {
      const body = Object.fromEntries(
        Object.entries(address).flatMap(([name, text]) => (text.trim() === '' ? [] : [[name, text.trim()]])),
      ) as TypedAddress;
      await call('correctShopAddress', { path: { id: order.id }, body });
      onDone();
    } catch (error) {
      setFailure(error instanceof Error ? error : new Error(String(error)));
    } finally {
      setSending(false);
    }
  };
  return (
    <Stack gap="sm" mt="md">
      {failure === undefined ? null : <Failure error={failure} />}
      <Text size="sm">It is looked at at once. In your shop it stays as it is, so correct it there as well.</Text>
      <AddressFields address={address} onChange={setAddress} problemAt={problemAt} />
      <Group gap="sm">
        <Button loading={isSending} onClick={() => void save()}>
          Save the address
        </Button>
        <Button variant="default" onClick={onClose}>
          Keep it
        </Button>
      </Group>
    </Stack>
  );
}
