import { NativeSelect, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { COUNTRY_CHOICES } from '../../shared/address/countries.ts';
import { call } from '../../shared/api/client.ts';
import { reading } from '../../shared/api/queries.ts';
import { Form } from '../../shared/form/form.tsx';
import { Entry } from '../../shared/layout/entry.tsx';
import { Answer } from '../../shared/states/answer.tsx';

/** Where a person asks for an account, if the print shop opens them so. */
export function SignUpPage() {
  const query = useQuery(reading('getEntrance', {}));
  return (
    <Entry
      title="Open an account"
      below={
        <Link href="/sign-in" className="platen-link">
          Back to the sign-in
        </Link>
      }
    >
      <Answer query={query} lines={4}>
        {({ sign_up: signUp, shop }) =>
          signUp === 'closed' ? (
            <Text size="sm">Accounts are not opened here by oneself. Ask {shop} for an invitation.</Text>
          ) : (
            <Ask shop={shop} needsApproval={signUp === 'approval'} />
          )
        }
      </Answer>
    </Entry>
  );
}

function Ask({ shop, needsApproval }: { shop: string; needsApproval: boolean }) {
  const [sentTo, setSentTo] = useState<string>();
  const form = useForm({ initialValues: { email: '', name: '', company: '', country_code: 'GB' } });
  const ask = async (values: typeof form.values): Promise<void> => {
    await call('requestSignUp', { body: values });
    setSentTo(values.email);
  };
  if (sentTo !== undefined) {
    return (
      <Text size="sm" role="status">
        A mail is on its way to {sentTo}. Its link confirms your address, once, within a day. Look among the spam, too.
      </Text>
    );
  }
  return (
    <>
      <Text c="dimmed" size="sm" mb="lg">
        {needsApproval
          ? `${shop} looks at each request and answers by mail.`
          : `${shop} opens it as soon as you have confirmed your address.`}
      </Text>
      <Form form={form} submit={ask} label="Go on">
        <TextInput label="Email" type="email" autoComplete="email" required {...form.getInputProps('email')} />
        <TextInput label="Your name" autoComplete="name" required {...form.getInputProps('name')} />
        <TextInput label="Company" autoComplete="organization" required {...form.getInputProps('company')} />
        <NativeSelect
          label="Country"
          autoComplete="country"
          required
          data={COUNTRY_CHOICES}
          {...form.getInputProps('country_code')}
        />
      </Form>
    </>
  );
}
