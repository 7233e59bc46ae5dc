import { NativeSelect, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { call, type Reply } from '../../../shared/api/client.ts';
import { Refused } from '../../../shared/api/failures.ts';
import { Form } from '../../../shared/form/form.tsx';
import { type Scope, ScopesField } from './scopes.tsx';

type Values = { name: string; kind: 'server' | 'devices'; redirect_uris: string; scopes: Scope[] };

const KINDS = [
  { value: 'server', label: 'On a server, with a secret' },
  { value: 'devices', label: 'On devices or in browsers, without one (PKCE)' },
];

/** The form that registers an app. */
export function RegisterApp({ onRegistered }: { onRegistered: (app: Reply<'registerOwnApp'>) => void }) {
  const form = useForm<Values>({
    initialValues: { name: '', kind: 'server', redirect_uris: '', scopes: ['orders:read', 'products:read'] },
  });
  const register = async ({ name, kind, redirect_uris: lines, scopes }: Values): Promise<void> => {
    const uris = lines.split(/\s+/).filter((line) => line !== '');
    const body = { name, confidential: kind === 'server', redirect_uris: uris, scopes };
    try {
      onRegistered(await call('registerOwnApp', { body }));
    } catch (error) {
      throw error instanceof Refused ? atField(error) : error;
    }
  };
  return (
    <Form form={form} submit={register} label="Register it">
      <TextInput
        label="Name"
        description="People are shown it when the app asks them."
        required
        maxLength={100}
        data-autofocus
        {...form.getInputProps('name')}
      />
      <NativeSelect
        label="Where it runs"
        description="With a secret it may also act for this account by itself."
        data={KINDS}
        {...form.getInputProps('kind')}
      />
      <Textarea
        label="Redirect addresses"
        description="One a line, compared to the letter: https, or http on 127.0.0.1 or localhost while you develop."
        autosize
        minRows={2}
        {...form.getInputProps('redirect_uris')}
      />
      <ScopesField
        label="What it may ask for"
        value={form.values.scopes}
        error={typeof form.errors.scopes === 'string' ? form.errors.scopes : undefined}
        onChange={(scopes) => form.setFieldValue('scopes', scopes)}
      />
    </Form>
  );
}

/** The service names the address that is wrong; the form has one field for all. */
function atField({ problem }: Refused): Refused {
  const errors = problem.errors.map((error) => ({ ...error, path: error.path.replace(/\[.*/, '') }));
  return new Refused({ ...problem, errors });
}
