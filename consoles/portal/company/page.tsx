import { NativeSelect, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { call, type Reply } from '../../shared/api/client.ts';
import { reading } from '../../shared/api/queries.ts';
import { Form } from '../../shared/form/form.tsx';
import { ChangedMeanwhile, useStoredForm } from '../../shared/form/stored.tsx';
import { Page } from '../../shared/layout/page.tsx';
import { Panel } from '../../shared/layout/panel.tsx';
import { useSession } from '../../shared/session/session.tsx';
import { Answer } from '../../shared/states/answer.tsx';
import { notifyOf } from '../../shared/states/notify.tsx';
import { Moment } from '../../shared/values/moment.tsx';
import { BillingForm } from './billing-form.tsx';

/** Whom invoices are addressed to, how the account is treated for VAT, and how its orders are sent. */
export function CompanyPage() {
  const { role } = useSession().session.user;
  const mayChange = role === 'owner' || role === 'manager';
  const company = useQuery(reading('getCompany', {}));
  const shipping = useQuery(reading('getShippingPreference', {}));
  return (
    <Page title="Company">
      <Panel title="Invoices are addressed to">
        <Body>
          <Answer query={company}>
            {(value) => (mayChange ? <BillingForm company={value} /> : <Addressed company={value} />)}
          </Answer>
        </Body>
      </Panel>
      <Panel title="VAT">
        <Body>
          <Answer query={company} lines={2}>
            {(value) => <Vat company={value} mayChange={mayChange} />}
          </Answer>
        </Body>
      </Panel>
      <Panel title="Shipping">
        <Body>
          <Answer query={shipping} lines={2}>
            {(value) => <Shipping preference={value} mayChange={mayChange} />}
          </Answer>
        </Body>
      </Panel>
    </Page>
  );
}

const Body = ({ children }: { children: ReactNode }) => <div className="platen-panel-body">{children}</div>;

type Company = Reply<'getCompany'>;

function Addressed({ company: { billing } }: { company: Company }) {
  if (billing === null) return <Text size="sm">Not known yet. An owner or a manager enters it.</Text>;
  const { legal_name: name, address, company_number: number, contact } = billing;
  const { line1, line2, city, county, postcode, country_code: country } = address;
  const lines = [name, line1, line2, city, county, postcode, country, number, contact?.name, contact?.email];
  return (
    <address className="platen-address">
      {lines
        .filter((line) => line !== undefined && line !== '')
        .map((line) => (
          <div key={line}>{line}</div>
        ))}
    </address>
  );
}

function Vat({ company, mayChange }: { company: Company; mayChange: boolean }) {
  const queries = useQueryClient();
  const form = useForm({ initialValues: { vat_number: '' } });
  const { vat_number: number, vat_status: status, vat_proposal: proposal } = company;
  const propose = async ({ vat_number: proposed }: typeof form.values): Promise<void> => {
    const changed = await call('proposeVatNumber', { body: { vat_number: proposed.trim() === '' ? null : proposed } });
    queries.setQueryData(reading('getCompany', {}).queryKey, changed);
    form.reset();
  };
  return (
    <>
      <Text size="sm">
        {number === '' ? 'No VAT number is on record.' : `VAT number on record: ${number}.`}{' '}
        {status === 'reverse_charge_eu' ? 'Reverse charge where it applies.' : 'VAT is charged as usual.'}
      </Text>
      {proposal === null ? null : (
        <Text size="sm" className="platen-note" mt="sm" role="status">
          {proposal.vat_number === '' ? 'To have none any more' : proposal.vat_number} was proposed{' '}
          <Moment at={proposal.proposed_at} />. The print shop checks it; until then nothing changes.
        </Text>
      )}
      {mayChange ? (
        <div style={{ marginTop: '1rem' }}>
          <Form form={form} submit={propose} label="Propose">
            <TextInput
              label="Another VAT number"
              description="With its prefix, such as DE123456789; leave it empty for none. The print shop checks it first, since it changes what you are charged."
              {...form.getInputProps('vat_number')}
            />
          </Form>
        </div>
      ) : null}
    </>
  );
}

/** Stands in the list for the service that the shop takes by itself. */
const USUAL = '';

type Preference = Reply<'getShippingPreference'>;

function Shipping({ preference, mayChange }: { preference: Preference; mayChange: boolean }) {
  const queries = useQueryClient();
  const { service, services } = preference;
  const { form, isUnsaved, isChanged, keep } = useStoredForm(preference, chosenIn);
  const change = async (values: typeof form.values): Promise<void> => {
    // A colleague may have chosen another one meanwhile.
    if (isUnsaved) {
      const body = { service: values.service === USUAL ? null : values.service };
      const changed = await call('changeShippingPreference', { body });
      keep(changed, values);
      queries.setQueryData(reading('getShippingPreference', {}).queryKey, changed);
    }
    notifyOf('Saved.');
  };
  if (!mayChange) return <Text size="sm">New orders begin with {service ?? 'the usual service'}.</Text>;
  return (
    <>
      {isChanged && isUnsaved ? <ChangedMeanwhile what="The service" /> : null}
      <Form form={form} submit={change} label="Save the service">
        <NativeSelect
          label="New orders begin with"
          description="Where it is offered; you can choose another one for each order."
          data={[{ value: USUAL, label: 'The usual service' }, ...services]}
          {...form.getInputProps('service')}
        />
      </Form>
    </>
  );
}

const chosenIn = ({ service }: Preference) => ({ service: service ?? USUAL });
