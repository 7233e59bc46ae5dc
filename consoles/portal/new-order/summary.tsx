import { Button, NativeSelect, Stack, Text } from '@mantine/core';
import { Link } from 'wouter';
import type { Reply } from '../../shared/api/client.ts';
import { Refused } from '../../shared/api/failures.ts';
import { Panel } from '../../shared/layout/panel.tsx';
import { Failure } from '../../shared/states/failure.tsx';
import { formatDay } from '../../shared/values/day.ts';
import { formatMoney, Money } from '../../shared/values/money.tsx';

export type Estimate = Reply<'estimateOrder'>;
type Offer = Estimate['shipping_option'];

/** What the order costs as the service says now, when it arrives, and what it warns of. */
export function Summary({
  estimate,
  error,
  missing,
  isBehind,
  shippingProblem,
  onShipping,
  onEmpty,
}: {
  estimate: Estimate | undefined;
  error: Error | null;
  /** What is to be filled in before there is a price. */
  missing: string | undefined;
  /** Whether the form has changed since. */
  isBehind: boolean;
  shippingProblem: string | undefined;
  onShipping: (id: string) => void;
  /** Begins another order, where the number is one that the form drew. */
  onEmpty: (() => void) | undefined;
}) {
  return (
    <Panel title="Price">
      <div className="platen-panel-body" aria-live="polite" aria-busy={isBehind}>
        {missing === undefined ? null : <Text size="sm">{missing} The price stands here then.</Text>}
        {error === null || missing !== undefined ? null : <Refusal error={error} />}
        {missing === undefined && error === null && estimate === undefined ? (
          <Text size="sm">The price is being asked for.</Text>
        ) : null}
        {estimate === undefined || missing !== undefined || error !== null ? null : (
          <Stack gap="sm" className={isBehind ? 'platen-behind' : ''}>
            <Amounts estimate={estimate} />
            <Delivery estimate={estimate} problem={shippingProblem} onShipping={onShipping} />
            {estimate.warnings.map(({ code, path, message }) => (
              <p key={`${code} ${path}`} className="platen-note" role="note">
                {message}
              </p>
            ))}
            {estimate.existing_order === undefined ? null : (
              <Used reference={estimate.existing_order.reference} onEmpty={onEmpty} />
            )}
            <Text size="xs" c="dimmed">
              {estimate.notice}
            </Text>
          </Stack>
        )}
      </div>
    </Panel>
  );
}

/** The order that has the number already. */
function Used({ reference, onEmpty }: { reference: string; onEmpty: (() => void) | undefined }) {
  return (
    <div className="platen-note" role="note">
      This number is that of{' '}
      <Link href={`/orders/${reference}`} className="platen-link">
        {reference}
      </Link>{' '}
      already: nothing new would be placed.
      {onEmpty === undefined ? (
        ' Give another number.'
      ) : (
        <Button size="compact-sm" variant="default" mt="xs" onClick={onEmpty}>
          Empty the form
        </Button>
      )}
    </div>
  );
}

/** What the service asks to change. The words stand at the fields, too. */
function Refusal({ error }: { error: Error }) {
  const problems = error instanceof Refused ? error.problem.errors : [];
  if (problems.length === 0) return <Failure error={error} />;
  return (
    <div role="alert">
      <Text size="sm">There is a price once this is put right:</Text>
      <ul className="platen-problems">
        {problems.map(({ path, message }) => (
          <li key={`${path} ${message}`}>{message}</li>
        ))}
      </ul>
    </div>
  );
}

function Amounts({ estimate }: { estimate: Estimate }) {
  const { currency } = estimate;
  const rows: readonly (readonly [label: string, amount: number])[] = [
    ['Pieces and prints', estimate.subtotal],
    ...(estimate.setup_total === 0 ? [] : [['Setups, paid once', estimate.setup_total] as const]),
    ['Shipping', estimate.shipping_cost],
    ['VAT', estimate.vat_amount],
    ...(estimate.duty_amount === 0 ? [] : [['Duty', estimate.duty_amount] as const]),
  ];
  return (
    <dl className="platen-facts">
      {rows.map(([label, amount]) => (
        <Amount key={label} label={label} amount={amount} currency={currency} />
      ))}
      <dt>
        <strong>Total</strong>
      </dt>
      <dd>
        <strong>
          <Money amount={estimate.total} currency={currency} />
        </strong>
      </dd>
    </dl>
  );
}

function Amount({ label, amount, currency }: { label: string; amount: number; currency: string }) {
  return (
    <>
      <dt>{label}</dt>
      <dd>
        <Money amount={amount} currency={currency} />
      </dd>
    </>
  );
}

function Delivery({
  estimate,
  problem,
  onShipping,
}: {
  estimate: Estimate;
  problem: string | undefined;
  onShipping: (id: string) => void;
}) {
  const chosen = estimate.shipping_option;
  const offers = [chosen, ...estimate.shipping_options].toSorted((one, other) => one.amount - other.amount);
  return (
    <>
      <NativeSelect
        label="Shipping"
        error={problem}
        data={offers.map((offer) => ({ value: offer.id, label: nameOf(offer) }))}
        value={chosen.id}
        onChange={({ currentTarget }) => onShipping(currentTarget.value)}
      />
      <Text size="sm">
        {arrival(chosen)}
        {chosen.tracked ? ', with tracking' : ', without tracking'}.
      </Text>
    </>
  );
}

function nameOf({ service, carrier, amount, currency }: Offer): string {
  return `${service}, ${carrier}: ${formatMoney(amount, currency)}`;
}

function arrival({ expected_delivery: due }: Offer): string {
  if (due === null) return 'Arrives once it is paid';
  const days =
    due.earliest === due.latest ? formatDay(due.latest) : `${formatDay(due.earliest)} to ${formatDay(due.latest)}`;
  return `Arrives ${days} when it is placed now`;
}
