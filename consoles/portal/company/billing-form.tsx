import { NativeSelect, SimpleGrid, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { COUNTRY_CHOICES } from '../../shared/address/countries.ts';
import { call, type Reply } from '../../shared/api/client.ts';
import { Refused } from '../../shared/api/failures.ts';
import { reading } from '../../shared/api/queries.ts';
import { Form } from '../../shared/form/form.tsx';
import { ChangedMeanwhile, differing, useStoredForm } from '../../shared/form/stored.tsx';
import { KeepUnsaved } from '../../shared/leaving/unsaved.tsx';
import { notifyOf } from '../../shared/states/notify.tsx';

/** The fields, each named by where the body of the request has it, a point as an underscore. */
const FIELDS = {
  legal_name: { label: 'Legal name', autoComplete: 'organization', required: true },
  company_number: { label: 'Company number', autoComplete: 'off', required: false },
  address_line1: { label: 'Street and number', autoComplete: 'address-line1', required: true },
  address_line2: { label: 'Second address line', autoComplete: 'address-line2', required: false },
  address_city: { label: 'Town or city', autoComplete: 'address-level2', required: true },
  address_county: { label: 'County', autoComplete: 'address-level1', required: false },
  address_postcode: { label: 'Postcode', autoComplete: 'postal-code', required: true },
  address_country_code: { label: 'Country', autoComplete: 'country', required: true },
  contact_name: { label: 'Contact for questions', autoComplete: 'name', required: false },
  contact_email: { label: 'Email of the contact', autoComplete: 'email', required: false },
} as const;
type Field = keyof typeof FIELDS;
type Values = Record<Field, string>;
const NAMES = Object.keys(FIELDS) as Field[];

type Company = Reply<'getCompany'>;

/** The form of whom invoices are addressed to. */
export function BillingForm({ company }: { company: Company }) {
  const queries = useQueryClient();
  const { form, stored, isUnsaved, isChanged, keep } = useStoredForm(company, valuesOf);
  const save = async (values: Values): Promise<void> => {
    try {
      const changed = await call('changeCompany', { body: differing(bodyOf(values), bodyOf(stored)) });
      keep(changed, values);
      queries.setQueryData(reading('getCompany', {}).queryKey, changed);
      notifyOf('Saved. Invoices from now on are addressed so.');
    } catch (error) {
      if (error instanceof Refused) showAt(error);
      throw error;
    }
  };
  const showAt = ({ problem }: Refused): void =>
    form.setErrors(Object.fromEntries(problem.errors.map(({ path, message }) => [path.replace('.', '_'), message])));
  return (
    <>
      <KeepUnsaved isUnsaved={isUnsaved} />
      {isChanged ? <ChangedMeanwhile what="The company" /> : null}
      <Form form={form} submit={save} label="Save">
        <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md">
          {NAMES.map((name) => {
            const field = { ...FIELDS[name], ...form.getInputProps(name) };
            if (name !== 'address_country_code') return <TextInput key={name} {...field} />;
            return <NativeSelect key={name} {...field} data={COUNTRY_CHOICES} />;
          })}
        </SimpleGrid>
      </Form>
    </>
  );
}

function valuesOf({ billing }: Company): Values {
  return {
    legal_name: billing?.legal_name ?? '',
    company_number: billing?.company_number ?? '',
    address_line1: billing?.address.line1 ?? '',
    address_line2: billing?.address.line2 ?? '',
    address_city: billing?.address.city ?? '',
    address_county: billing?.address.county ?? '',
    address_postcode: billing?.address.postcode ?? '',
    address_country_code: billing?.address.country_code ?? 'GB',
    contact_name: billing?.contact?.name ?? '',
    contact_email: billing?.contact?.email ?? '',
  };
}

/** An address is one thing, as is a contact: it is sent whole where a part of it was changed. */
function bodyOf(values: Values) {
  const { contact_name: contactName, contact_email: contactEmail } = values;
  return {
    legal_name: values.legal_name,
    company_number: values.company_number,
    address: {
      line1: values.address_line1,
      line2: values.address_line2,
      city: values.address_city,
      county: values.address_county,
      postcode: values.address_postcode,
      country_code: values.address_country_code,
    },
    contact: contactName === '' && contactEmail === '' ? null : { name: contactName, email: contactEmail },
  };
}
