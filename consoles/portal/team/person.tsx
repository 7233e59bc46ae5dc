import { Checkbox, NativeSelect, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { call, type Input, type Reply } from '../../shared/api/client.ts';
import { Form } from '../../shared/form/form.tsx';

/** A role that the service takes; what it lists as one, it takes. */
export type Role = Input<'invitePerson'>['body']['role'];

/** The roles, and what each may do. */
export const ROLES: readonly { readonly value: Role; readonly label: string }[] = [
  { value: 'orders', label: 'Orders: places and follows orders' },
  { value: 'manager', label: 'Manager: everything but the team' },
  { value: 'owner', label: 'Owner: everything, and the team' },
  { value: 'reader', label: 'Reader: sees everything, changes nothing' },
];

/** The form that changes the role and the name of a person, and removes a second factor that they have lost. */
export function ChangePerson({
  person,
  onChanged,
}: {
  person: Reply<'listPeople'>['data'][number];
  onChanged: () => void;
}) {
  const form = useForm({ initialValues: { role: person.role as Role, name: person.name, lostFactor: false } });
  const change = async ({ role, name, lostFactor }: typeof form.values): Promise<void> => {
    const body = {
      ...(role === person.role ? {} : { role }),
      ...(name === person.name ? {} : { name }),
      ...(lostFactor ? { second_factor: false as const } : {}),
    };
    if (Object.keys(body).length > 0) await call('changePerson', { path: { id: person.id }, body });
    onChanged();
  };
  return (
    <Form form={form} submit={change} label="Save">
      <NativeSelect label="Role" data={[...ROLES]} data-autofocus {...form.getInputProps('role')} />
      <TextInput label="Name" {...form.getInputProps('name')} />
      {person.second_factor ? (
        <Checkbox
          label="Remove the second factor, which they have lost"
          {...form.getInputProps('lostFactor', { type: 'checkbox' })}
        />
      ) : null}
    </Form>
  );
}

/** What a person is called, which may be the address alone. */
export function nameOf({ name, email }: { readonly name: string; readonly email: string }): string {
  return name === '' ? email : name;
}
