import { Button, Text } from '@mantine/core';
import { lazy, Suspense, useState } from 'react';
import { call } from '../../shared/api/client.ts';
import { useCommands } from '../../shared/commands/registry.ts';
import { Panel } from '../../shared/layout/panel.tsx';
import type { Order } from '../../shared/orders/status.tsx';
import { useSession } from '../../shared/session/session.tsx';
import { notifyOf, notifyOfFailure } from '../../shared/states/notify.tsx';
import { Moment } from '../../shared/values/moment.tsx';
import { Money } from '../../shared/values/money.tsx';

// Most orders are looked at only: the fields of an address come with the first that is changed.
const ChangeAddress = lazy(async () => ({ default: (await import('./change-address.tsx')).ChangeAddress }));

const METHODS: Readonly<Record<string, string>> = { balance: 'Balance', card: 'Card', direct_debit: 'Direct debit' };

const PAYMENTS: Readonly<Record<string, string>> = {
  paid: 'Paid',
  processing: 'Payment under way',
  failed: 'Not paid',
  refunded: 'Refunded',
  part_refunded: 'Refunded in part',
};

/** What was charged and given back. */
export function Paid({ order }: { order: Order }) {
  return (
    <Panel title="Payment">
      <dl className="platen-facts platen-panel-body">
        <dt>Order total</dt>
        <dd>
          <Money amount={order.total} currency={order.currency} />
        </dd>
        <dt>State</dt>
        <dd>{PAYMENTS[order.payment_status] ?? order.payment_status}</dd>
        {order.charges.map(({ payment_id: id, method, amount, currency, charged_at: at }) => (
          <Amount
            key={`${id ?? 'balance'} ${method} ${at}`}
            label={METHODS[method] ?? method}
            at={at}
            amount={amount}
            currency={currency}
          />
        ))}
        {order.refunds.map(({ id, amount, currency, status, created_at: at }) => (
          <Amount
            key={id}
            label={status === 'pending' ? 'To be refunded' : 'Refunded'}
            at={at}
            amount={-amount}
            currency={currency}
          />
        ))}
      </dl>
    </Panel>
  );
}

function Amount({ label, at, amount, currency }: { label: string; at: string; amount: number; currency: string }) {
  return (
    <>
      <dt>
        {label}, <Moment at={at} />
      </dt>
      <dd>
        <Money amount={amount} currency={currency} />
      </dd>
    </>
  );
}

async function keep({ shipping_address: address }: Order): Promise<void> {
  try {
    await call('saveAddress', { body: { address } });
    notifyOf('Kept in the address book.');
  } catch (error) {
    notifyOfFailure(error);
  }
}

const COUNTRIES = new Intl.DisplayNames('en-GB', { type: 'region' });

/** Where the order goes. */
export function Delivery({ order }: { order: Order }) {
  const { shipping_address: to } = order;
  const { role } = useSession().session.user;
  const lines = [
    to.contact_name,
    to.company_name,
    to.line1,
    to.line2,
    [to.postcode, to.city].join(' '),
    to.county,
    COUNTRIES.of(to.country_code) ?? to.country_code,
    to.phone,
    to.email,
  ].filter((line) => line.trim() !== '');
  const [isChanging, setChanging] = useState(false);
  const canChange = order.actions.change_address.available && role !== 'reader';
  useCommands(
    canChange
      ? [{ id: 'address', label: 'Change the delivery address', group: 'Order', run: () => setChanging(true) }]
      : [],
  );
  return (
    <Panel
      title="Delivery"
      aside={
        canChange && !isChanging ? (
          <Button size="compact-sm" variant="default" onClick={() => setChanging(true)}>
            Change the address
          </Button>
        ) : null
      }
    >
      <div className="platen-panel-body">
        {isChanging && canChange ? (
          <Suspense fallback={null}>
            <ChangeAddress order={order} onClose={() => setChanging(false)} />
          </Suspense>
        ) : order.erased_at === null ? (
          <address className="platen-address">
            {lines.map((line) => (
              <div key={line}>{line}</div>
            ))}
            {role === 'reader' ? null : (
              <Button
                size="compact-sm"
                variant="subtle"
                mt="xs"
                className="platen-flush"
                onClick={() => void keep(order)}
              >
                Keep in the address book
              </Button>
            )}
          </address>
        ) : (
          <Text size="sm">
            The recipient’s details were erased on <Moment at={order.erased_at} />.
          </Text>
        )}
        {order.brand === null ? null : (
          <Text size="sm" mt="sm">
            Packing slip of {order.brand.name}
          </Text>
        )}
        {order.notes === '' ? null : (
          <Text size="sm" mt="sm">
            {order.notes}
          </Text>
        )}
      </div>
    </Panel>
  );
}

/** The parcels, with their tracking and what is in them. */
export function Shipments({ order }: { order: Order }) {
  if (order.shipments.length === 0) return null;
  const names = new Map(order.items.map(({ id, name }) => [id, name]));
  return (
    <Panel title={order.shipments.length === 1 ? 'One parcel' : `${order.shipments.length} parcels`}>
      <div className="platen-lines">
        {order.shipments.map(({ id, carrier, tracking_number: number, tracking_url: url, shipped_at: at, items }) => (
          <div key={id} className="platen-line">
            <div style={{ flex: 1, minWidth: 0 }}>
              <Text size="sm" fw={600}>
                {carrier}{' '}
                {url === null ? (
                  number
                ) : (
                  <a href={url} target="_blank" rel="noopener noreferrer">
                    {number}
                  </a>
                )}
              </Text>
              <Text size="sm" c="dimmed">
                {items.map(({ line_id: line, quantity }) => `${quantity} × ${names.get(line) ?? line}`).join(', ')}
              </Text>
            </div>
            <Text size="sm" c="dimmed">
              <Moment at={at} />
            </Text>
          </div>
        ))}
      </div>
    </Panel>
  );
}
