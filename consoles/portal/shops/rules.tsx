import { Button, Checkbox, NativeSelect, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call, type Input } from '../../shared/api/client.ts';
import { Refused } from '../../shared/api/failures.ts';
import { reading } from '../../shared/api/queries.ts';
import { Form } from '../../shared/form/form.tsx';
import { Panel } from '../../shared/layout/panel.tsx';
import type { Shop } from '../../shared/shops/words.tsx';
import { notifyOf } from '../../shared/states/notify.tsx';

type Service = { readonly theirs: string; readonly ours: string };

const SERVICES_MAX = 50;

/** The rules of a shop, for who may change them and for who may not. */
export function Rules({
  shop,
  mayChange,
  onChanged,
}: {
  shop: Shop;
  mayChange: boolean;
  onChanged: (shop: Shop) => void;
}) {
  return (
    <Panel title="Rules">
      <div className="platen-panel-body">
        {mayChange && shop.state !== 'disconnected' ? (
          <ChangeRules shop={shop} onChanged={onChanged} />
        ) : (
          <Facts shop={shop} />
        )}
      </div>
    </Panel>
  );
}

function Facts({ shop }: { shop: Shop }) {
  const { needs_approval: needsApproval, delay_minutes: delay, services, refunds_buyers: refundsBuyers } = shop;
  return (
    <dl className="platen-facts">
      <dt>Placed</dt>
      <dd>{needsApproval ? 'once a person has looked' : 'by itself'}</dd>
      <dt>Waits before it is placed</dt>
      <dd>{delay === 1 ? '1 minute' : `${delay} minutes`}</dd>
      <dt>Items that are not known here</dt>
      <dd>{shop.unknown_is_others ? 'are made by others' : 'wait for a mapping'}</dd>
      <dt>Products without artwork</dt>
      <dd>{shop.makes_blanks ? 'are made as blank garments' : 'wait for a person'}</dd>
      {refundsBuyers === null ? null : (
        <>
          <dt>Refunds the buyer of what is cancelled here</dt>
          <dd>{refundsBuyers ? 'by itself' : 'no: your people do'}</dd>
        </>
      )}
      {services.map(({ theirs, ours }) => (
        <div key={theirs} className="platen-fact">
          <dt>{theirs}</dt>
          <dd>{ours}</dd>
        </div>
      ))}
    </dl>
  );
}

const REFUNDS =
  'When the print shop or you cancel pieces of an order here, your shop gives the buyer their price and its tax back, from your money and by the payment of the order. Shipping stays yours to refund, and so does what was cancelled before you switch this on. Where the payment provider refuses, the order says so under Shop orders.';

function ChangeRules({ shop, onChanged }: { shop: Shop; onChanged: (shop: Shop) => void }) {
  const form = useForm({
    initialValues: {
      name: shop.name,
      needs_approval: shop.needs_approval,
      delay_minutes: String(shop.delay_minutes),
      refunds_buyers: shop.refunds_buyers === true,
      unknown_is_others: shop.unknown_is_others,
      makes_blanks: shop.makes_blanks,
    },
  });
  const [services, setServices] = useState<readonly Service[]>(shop.services);
  const [problems, setProblems] = useState<Readonly<Record<string, string>>>({});
  const mayRefund = shop.refunds_buyers !== null;
  const change = async ({ refunds_buyers, delay_minutes: delay, ...rest }: typeof form.values): Promise<void> => {
    // What is no number is sent as none, so that the service says what would be right.
    const rules = { ...rest, delay_minutes: Number.parseInt(delay, 10) };
    const body: Input<'changeChannel'>['body'] = mayRefund ? { ...rules, refunds_buyers } : rules;
    setProblems({});
    try {
      onChanged(await call('changeChannel', { path: { id: shop.id }, body: { ...body, services } }));
      notifyOf('The rules are changed.');
    } catch (error) {
      if (error instanceof Refused) {
        setProblems(Object.fromEntries(error.problem.errors.map(({ path, message }) => [path, message])));
      }
      throw error;
    }
  };
  return (
    <Form form={form} submit={change} label="Save the rules">
      <TextInput label="Name" required maxLength={100} autoComplete="off" {...form.getInputProps('name')} />
      <Checkbox
        label="A person looks at each order"
        description="It waits until somebody of your account places it."
        {...form.getInputProps('needs_approval', { type: 'checkbox' })}
      />
      <TextInput
        label="Minutes before an order is placed"
        description="Meanwhile the shop can still change or cancel it. At most 10,080, a week."
        inputMode="numeric"
        autoComplete="off"
        required
        {...form.getInputProps('delay_minutes')}
      />
      <Checkbox
        label="Items that are not known here are made by others"
        description="For a shop that also sells goods of its own. Otherwise an order with one waits until you say what it is."
        {...form.getInputProps('unknown_is_others', { type: 'checkbox' })}
      />
      <Checkbox
        label="Products without artwork are made as blank garments"
        description="Otherwise an order of one waits until the product has artwork, or somebody of your account places it."
        {...form.getInputProps('makes_blanks', { type: 'checkbox' })}
      />
      {mayRefund ? (
        <Checkbox
          label="Refund the buyer of what is cancelled here"
          description={REFUNDS}
          {...form.getInputProps('refunds_buyers', { type: 'checkbox' })}
        />
      ) : null}
      <Services services={services} problems={problems} onChange={setServices} />
    </Form>
  );
}

function Services({
  services,
  problems,
  onChange,
}: {
  services: readonly Service[];
  problems: Readonly<Record<string, string>>;
  onChange: (services: readonly Service[]) => void;
}) {
  const offered = useQuery(reading('getShippingPreference', {})).data?.services ?? [];
  const set = (at: number, change: Partial<Service>): void =>
    onChange(services.map((service, index) => (index === at ? { ...service, ...change } : service)));
  return (
    <fieldset className="platen-rows">
      <legend>Shipping</legend>
      <Text size="xs" c="dimmed">
        Which service of ours stands for which of the shop. For any other, the cheapest tracked one is taken.
      </Text>
      {services.map(({ theirs, ours }, at) => (
        // Rows have no name of their own: what the shop calls a service is being typed.
        // biome-ignore lint/suspicious/noArrayIndexKey: the row at a place is the row at that place.
        <div key={at} className="platen-row">
          <TextInput
            label="In the shop"
            autoComplete="off"
            required
            maxLength={200}
            value={theirs}
            error={problems[`services[${at}].theirs`]}
            onChange={({ currentTarget }) => set(at, { theirs: currentTarget.value })}
          />
          <NativeSelect
            label="Here"
            data={[...new Set([ours, ...offered])].filter((service) => service !== '')}
            value={ours}
            error={problems[`services[${at}].ours`]}
            onChange={({ currentTarget }) => set(at, { ours: currentTarget.value })}
          />
          <Button
            variant="default"
            aria-label={`Remove ${theirs === '' ? `service ${at + 1}` : theirs}`}
            onClick={() => onChange(services.filter((_service, index) => index !== at))}
          >
            Remove
          </Button>
        </div>
      ))}
      {services.length >= SERVICES_MAX ? null : (
        <div>
          <Button
            variant="default"
            disabled={offered.length === 0}
            onClick={() => onChange([...services, { theirs: '', ours: offered[0] ?? '' }])}
          >
            Add a service
          </Button>
        </div>
      )}
    </fieldset>
  );
}
