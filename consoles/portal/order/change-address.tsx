import { Button, Group, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { AddressFields, type TypedAddress } from '../../shared/address/fields.tsx';
import { call } from '../../shared/api/client.ts';
import { Refused } from '../../shared/api/failures.ts';
import type { Order } from '../../shared/orders/status.tsx';
import { Failure } from '../../shared/states/failure.tsx';
import { Countdown } from '../../shared/values/countdown.tsx';

/** Changes where an order goes, for as long as the service takes it. */
export function ChangeAddress({ order, onClose }: { order: Order; onClose: () => void }) {
  const queries = useQueryClient();
  const [address, setAddress] = useState<TypedAddress>(order.shipping_address);
  const [isSending, setSending] = useState(false);
  const [failure, setFailure] = useState<Error>();
  const problems = failure instanceof Refused ? failure.problem.errors : [];
  const names = Object.keys(address) as (keyof TypedAddress)[];
  const changed = names.filter((name) => address[name].trim() !== order.shipping_address[name]);
  const save = async (): Promise<void> => {
    setSending(true);
    setFailure(undefined);
    try {
      const body = Object.fromEntries(changed.map((name) => [name, address[name].trim()]));
      await call('changeOrderAddress', { path: { id: order.id }, body });
      await queries.invalidateQueries();
      onClose();
    } catch (error) {
      setFailure(error instanceof Error ? error : new Error(String(error)));
    } finally {
      setSending(false);
    }
  };
  return (
    <Stack gap="sm">
      {failure === undefined ? null : <Failure error={failure} />}
      <Text size="sm">
        For another{' '}
        <Countdown until={order.actions.change_address.until} onPassed={() => void queries.invalidateQueries()} />, and
        as long as the price stays: the same country and shipping zone.
      </Text>
      <AddressFields
        address={address}
        onChange={setAddress}
        problemAt={(name) => problems.find(({ path }) => path === name)?.message}
      />
      <Group gap="sm">
        <Button disabled={changed.length === 0} loading={isSending} onClick={() => void save()}>
          Save the address
        </Button>
        <Button variant="default" onClick={onClose}>
          Keep it
        </Button>
      </Group>
    </Stack>
  );
}
