import { NativeSelect, SimpleGrid, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { COUNTRY_CHOICES } from '../../shared/address/countries.ts';
import { call, type Reply } from '../../shared/api/client.ts';
import { Refused } from '../../shared/api/failures.ts';
import { reading } from '../../shared/api/queries.ts';
import { Form } from '../../shared/form/form.tsx';
import { KeepUnsaved } from '../../shared/leaving/unsaved.tsx';
import { notifyOf } from '../../shared/states/notify.tsx';

/** The fields by where the body of the request has them, which is how the service names what is wrong. */
const FIELDS = {
  legal_name: { label: 'Legal name', autoComplete: 'organization', required: true },
  company_number: { label: 'Company number', autoComplete: 'off', required: false },
  'address.line1': { label: 'Street and number', autoComplete: 'address-line1', required: true },
  'address.line2': { label: 'Second address line', autoComplete: 'address-line2', required: false },
  'address.city': { label: 'Town or city', autoComplete: 'address-level2', required: true },
  'address.county': { label: 'County', autoComplete: 'address-level1', required: false },
  'address.postcode': { label: 'Postcode', autoComplete: 'postal-code', required: true },
  'address.country_code': { label: 'Country', autoComplete: 'country', required: true },
  'contact.name': { label: 'Contact for questions', autoComplete: 'name', required: false },
  'contact.email': { label: 'Email of the contact', autoComplete: 'email', required: false },
} as const;
type Field = keyof typeof FIELDS;
const NAMES = Object.keys(FIELDS) as Field[];

type Company = Reply<'getCompany'>;

/** The form of whom invoices are addressed to. */
export function BillingForm({ company: { billing } }: { company: Company }) {
  const queries = useQueryClient();
  const [stored, setStored] = useState(() => fieldsOf(billing));
  const form = useForm({ initialValues: { fields: stored } });
  const isUnsaved = JSON.stringify(form.values.fields) !== JSON.stringify(stored);
  const save = async ({ fields }: typeof form.values): Promise<void> => {
    try {
      const changed = await call('changeCompany', { body: bodyOf(fields) });
      queries.setQueryData(reading('getCompany', {}).queryKey, changed);
      const saved = fieldsOf(changed.billing);
      setStored(saved);
      form.setValues({ fields: saved });
      notifyOf('Saved. Invoices from now on are addressed so.');
    } catch (error) {
      if (error instanceof Refused) showAt(error);
      throw error;
    }
  };
  const showAt = ({ problem }: Refused): void =>
    form.setErrors(Object.fromEntries(problem.errors.map(({ path, message }) => [path, message])));
  return (
    <>
      <KeepUnsaved isUnsaved={isUnsaved} />
      <Form form={form} submit={save} label="Save">
        <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md">
          {NAMES.map((name) => {
            const field = {
              ...FIELDS[name],
              value: form.values.fields[name],
              error: form.errors[name],
              onChange: ({ currentTarget: { value } }: { currentTarget: { value: string } }) =>
                form.setValues(({ fields }) => ({ fields: { ...(fields ?? form.values.fields), [name]: value } })),
            };
            if (name !== 'address.country_code') return <TextInput key={name} {...field} />;
            return <NativeSelect key={name} {...field} data={COUNTRY_CHOICES} />;
          })}
        </SimpleGrid>
      </Form>
    </>
  );
}

function fieldsOf(billing: Company['billing']): Record<Field, string> {
  return {
    legal_name: billing?.legal_name ?? '',
    company_number: billing?.company_number ?? '',
    'address.line1': billing?.address.line1 ?? '',
    'address.line2': billing?.address.line2 ?? '',
    'address.city': billing?.address.city ?? '',
    'address.county': billing?.address.county ?? '',
    'address.postcode': billing?.address.postcode ?? '',
    'address.country_code': billing?.address.country_code ?? 'GB',
    'contact.name': billing?.contact?.name ?? '',
    'contact.email': billing?.contact?.email ?? '',
  };
}

function bodyOf(fields: Record<Field, string>) {
  const { 'contact.name': contactName, 'contact.email': contactEmail } = fields;
  return {
    legal_name: fields.legal_name,
    company_number: fields.company_number,
    address: {
      line1: fields['address.line1'],
      line2: fields['address.line2'],
      city: fields['address.city'],
      county: fields['address.county'],
      postcode: fields['address.postcode'],
      country_code: fields['address.country_code'],
    },
    contact: contactName === '' && contactEmail === '' ? null : { name: contactName, email: contactEmail },
  };
}
