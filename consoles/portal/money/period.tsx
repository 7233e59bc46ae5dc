import { Button, Group, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useCommands } from '../../shared/commands/registry.ts';
import { Failure } from '../../shared/states/failure.tsx';
import { useAddressState } from '../../shared/table/address.ts';

/** The period that stands in the address, and the list of it as a file. */
export function Period({ save, menus }: { save: () => Promise<void>; menus: ReactNode }) {
  const { get, set } = useAddressState();
  const [isSaving, setSaving] = useState(false);
  const [failure, setFailure] = useState<Error>();
  const keep = async (): Promise<void> => {
    setSaving(true);
    setFailure(undefined);
    try {
      await save();
    } catch (error) {
      setFailure(error instanceof Error ? error : new Error(String(error)));
    } finally {
      setSaving(false);
    }
  };
  useCommands([{ id: 'export', label: 'Save this list as CSV', group: 'Money', run: () => void keep() }]);
  return (
    <>
      <Group px="md" py="sm" gap="sm" align="end">
        {(['from', 'to'] as const).map((name) => (
          <TextInput
            key={name}
            type="date"
            size="sm"
            label={name === 'from' ? 'From' : 'To'}
            value={get(name) ?? ''}
            onChange={({ currentTarget }) => set({ [name]: currentTarget.value })}
          />
        ))}
        <Button variant="default" loading={isSaving} loaderProps={{ type: 'dots' }} onClick={() => void keep()}>
          Save as CSV
        </Button>
        {menus}
      </Group>
      {failure === undefined ? null : <Failure error={failure} />}
    </>
  );
}
