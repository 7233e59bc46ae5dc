import { Button, Group, NativeSelect, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useState } from 'react';
import { useLocation } from 'wouter';
import { AddressFields } from '../../shared/address/fields.tsx';
import { call } from '../../shared/api/client.ts';
import { NoAnswer, Refused } from '../../shared/api/failures.ts';
import { reading } from '../../shared/api/queries.ts';
import { UPLOAD_UNDER_WAY, Uploads, useUploads } from '../../shared/artwork/uploads.ts';
import { useCommands } from '../../shared/commands/registry.ts';
import { Confirm, type Question } from '../../shared/dialog/confirm.tsx';
import { Page } from '../../shared/layout/page.tsx';
import { Panel } from '../../shared/layout/panel.tsx';
import { letGo } from '../../shared/layout/way.ts';
import { KeepUnsaved } from '../../shared/leaving/unsaved.tsx';
import { useSession } from '../../shared/session/session.tsx';
import { Answer, Empty } from '../../shared/states/answer.tsx';
import { notifyOfWarning } from '../../shared/states/notify.tsx';
import { useAddressState } from '../../shared/table/address.ts';
import { formatMoney } from '../../shared/values/money.tsx';
import { useSettled } from '../../shared/values/settled.ts';
import { AddressBook } from './address-book.tsx';
import { BrandField } from './brand.tsx';
import { bodyOf, type Draft, drawKey, givenAreas, missingIn, newDraft, newLine, placesOf } from './draft.ts';
import { type Again, draftAgain } from './from-order.ts';
import { Line, type LineProblems } from './line.tsx';
import { Products } from './products.tsx';
import { type Estimate, Summary } from './summary.tsx';

/** How long nothing must be typed before the service is asked for the price. */
const SETTLE_MS = 500;

const TYPES = [
  { value: 'bulk', label: 'An order' },
  { value: 'sample', label: 'A sample' },
];

/** Places an order by hand: products, artwork and address, with the service's price and words while it is filled in. */
export function NewOrderPage() {
  const from = useAddressState().get('from');
  const { role } = useSession().session.user;
  if (role === 'reader') {
    return (
      <Page title="New order">
        <Empty title="Who may only read places no orders. An owner or a manager changes a role on the page Team." />
      </Page>
    );
  }
  return from === undefined ? <NewOrder key="" begin={EMPTY} /> : <OrderAgain key={from} name={from} />;
}

/** The order that the form is filled in from stands in the address: another one begins anew. */
const FROM = ['from'];

/** Whether two forms hold the same, but for the service, which the form chooses by itself. */
function isSameForm(one: Draft, other: Draft): boolean {
  const without = (draft: Draft): string => JSON.stringify({ ...draft, lines: [], shipping: '' });
  const isSameLine = (line: Draft['lines'][number], index: number): boolean => line === other.lines[index];
  return one.lines.length === other.lines.length && one.lines.every(isSameLine) && without(one) === without(other);
}

const EMPTY: Again = { draft: newDraft(), missing: [] };

/** The form with what another order has. */
function OrderAgain({ name }: { name: string }) {
  const query = useQuery({
    queryKey: ['draftAgain', name],
    queryFn: ({ signal }) => draftAgain(name, signal),
    // What is typed into the form is not to be replaced.
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (query.data !== undefined) return <NewOrder begin={query.data} name={name} />;
  return (
    <Page title="New order">
      <Answer query={query} lines={8}>
        {() => null}
      </Answer>
    </Page>
  );
}

function NewOrder({ begin, name }: { begin: Again; name?: string }) {
  const [draft, setDraft] = useState(begin.draft);
  // What the form held before a person touched it.
  const [untouched, setUntouched] = useState(begin.draft);
  const [key, setKey] = useState(drawKey);
  const choosePreferred = useCallback(
    (shipping: string): void => setDraft((before) => (before.shipping === '' ? { ...before, shipping } : before)),
    [],
  );
  // What was sent last without an answer: it may be an order by now, and sending it again finds that order.
  const [lost, setLost] = useState<string>();
  const [uploads, countUpload] = useUploads();
  const [question, setQuestion] = useState<Question & Pick<Estimate, 'total'> & { readonly wanted: string }>();
  useNamedProduct((product) => {
    const line = newLine(product);
    for (const add of [setDraft, setUntouched]) add((before) => ({ ...before, lines: [...before.lines, line] }));
  });
  const missing = uploads > 0 ? UPLOAD_UNDER_WAY : missingIn(draft);
  const body = bodyOf(draft, key);
  // Empty while something is missing: what was typed halfway is not asked about.
  const wanted = missing === undefined ? JSON.stringify(body) : '';
  const asked = useSettled(wanted, SETTLE_MS);
  const query = useQuery({
    ...reading('estimateOrder', { body: asked === '' ? body : (JSON.parse(asked) as typeof body) }),
    enabled: asked !== '',
    // A price is of the moment.
    staleTime: 0,
    retry: false,
  });
  // Without a connection nothing is fetched, and the price that stands is that of the form as it was.
  const isBehind = asked !== wanted || query.isPlaceholderData || query.fetchStatus !== 'idle';
  const error = asked === '' ? null : query.error;
  const estimate = asked === '' || error !== null ? undefined : query.data;
  const errors = error instanceof Refused ? error.problem.errors : [];
  const problemAt = wordsFrom(errors);
  const change = (changes: Partial<Draft>): void => setDraft((before) => ({ ...before, ...changes }));
  const changeLines = (update: (lines: Draft['lines']) => Draft['lines']): void =>
    setDraft((before) => ({ ...before, lines: update(before.lines) }));
  const place = usePlacing(body, () => setLost(wanted));
  usePreferredShipping(draft, estimate, choosePreferred);
  const { set } = useAddressState();
  const empty = (): void => {
    if (name !== undefined) {
      // The form begins anew with an address that names no order.
      letGo();
      set({ from: undefined });
      return;
    }
    setDraft(newDraft());
    setUntouched(newDraft());
    setKey(drawKey());
  };
  const ask = (priced: Estimate): void =>
    setQuestion({
      title: `Place this order for ${formatMoney(priced.total, priced.currency)}?`,
      label: 'Place the order',
      keepLabel: 'Not yet',
      isMaking: true,
      act: () => place(priced.total),
      total: priced.total,
      wanted,
    });
  // A price that is asked for again may be another, or there may be none any more.
  const isOutdated =
    question !== undefined &&
    (question.wanted !== wanted || (lost !== wanted && (error !== null || estimate?.total !== question.total)));
  const isNew = estimate?.existing_order === undefined || lost === wanted;
  const canAsk = missing === undefined && estimate !== undefined && !isBehind && isNew;
  useCommands([
    ...(canAsk ? [{ id: 'place', label: 'Place the order', group: 'New order', run: () => ask(estimate) }] : []),
    { id: 'empty', label: 'Empty the form', group: 'New order', run: empty },
  ]);
  return (
    <Page title="New order">
      <KeepUnsaved isUnsaved={uploads > 0 || !isSameForm(draft, untouched)} named={FROM} />
      {name === undefined ? null : <Taken name={name} missing={begin.missing} />}
      <Uploads value={countUpload}>
        <div className="platen-columns">
          <Stack gap="md">
            {draft.lines.map((line) => (
              <Line
                key={line.key}
                line={line}
                problems={problemsOf(draft, line.key, errors)}
                onChange={(update) =>
                  changeLines((lines) => lines.map((each) => (each.key === line.key ? update(each) : each)))
                }
                onRemove={() => changeLines((lines) => lines.filter((each) => each.key !== line.key))}
              />
            ))}
            <Products onChoose={(product) => changeLines((lines) => [...lines, newLine(product)])} />
            <Panel title="Delivery address">
              <AddressBook
                address={draft.address}
                onChoose={(address) => setDraft((before) => ({ ...before, address, shipping: '' }))}
              />
              <div className="platen-panel-body">
                <AddressFields
                  address={draft.address}
                  // Another country has other services.
                  onChange={(update) =>
                    setDraft((before) => ({ ...before, address: update(before.address), shipping: '' }))
                  }
                  problemAt={(name) => problemAt(`shipping_address.${name}`)}
                />
              </div>
            </Panel>
          </Stack>
          <Stack gap="md" className="platen-beside">
            <Panel title="Order">
              <div className="platen-panel-body">
                <Stack gap="sm">
                  <TextInput
                    label="Your number"
                    description="Of your shop, once only. Without one, the form has one of its own."
                    autoComplete="off"
                    value={draft.number}
                    error={problemAt('external_reference')}
                    onChange={({ currentTarget }) => change({ number: currentTarget.value })}
                  />
                  <NativeSelect
                    label="Type"
                    data={TYPES}
                    value={draft.type}
                    onChange={({ currentTarget }) =>
                      change({ type: currentTarget.value === 'sample' ? 'sample' : 'bulk' })
                    }
                  />
                  <BrandField
                    brand={draft.brand}
                    problem={problemAt('brand')}
                    onChange={(brand) => change({ brand })}
                  />
                  <Textarea
                    label="Notes for the print shop"
                    rows={2}
                    value={draft.notes}
                    error={problemAt('notes')}
                    onChange={({ currentTarget }) => change({ notes: currentTarget.value })}
                  />
                </Stack>
              </div>
            </Panel>
            <Summary
              estimate={estimate}
              error={error}
              missing={missing}
              isBehind={isBehind}
              shippingProblem={problemAt('shipping_service')}
              onShipping={(shipping) => change({ shipping })}
              onEmpty={draft.number.trim() === '' ? empty : undefined}
            />
            <Group>
              <Button disabled={!canAsk} onClick={() => estimate !== undefined && ask(estimate)}>
                Place the order
              </Button>
            </Group>
          </Stack>
        </div>
      </Uploads>
      <Confirm
        question={question}
        outdated={
          isOutdated ? 'The order or its price has changed meanwhile: close this, and look at it again.' : undefined
        }
        onClose={() => setQuestion(undefined)}
      >
        {estimate === undefined ? null : <Asked draft={draft} estimate={estimate} />}
      </Confirm>
    </Page>
  );
}

/** Begins with the product that the address names, and then takes it out: going back adds no second line. */
function useNamedProduct(onNamed: (product: Parameters<typeof newLine>[0]) => void): void {
  const { get, set } = useAddressState();
  const id = get('product');
  const { data } = useQuery({ ...reading('getProduct', { path: { id: id ?? '' } }), enabled: id !== undefined });
  const isNamed = data !== undefined && data.id === id;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each product that is named
  useEffect(() => {
    if (!isNamed) return;
    onNamed(data);
    set({ product: undefined });
  }, [isNamed]);
}

/** Where the form was filled in from, and what of it is not there any more. */
function Taken({ name, missing }: { name: string; missing: readonly string[] }) {
  return (
    <p className="platen-note" role="note">
      Filled in from {name}, as it was placed. What is not as it was then stands at its line.
      {missing.length === 0 ? '' : ` Cannot be ordered any more: ${missing.join(', ')}.`}
    </p>
  );
}

/** What is about to be ordered, in short. */
function Asked({ draft, estimate }: { draft: Draft; estimate: Estimate }) {
  const pieces = estimate.lines.reduce((sum, { quantity }) => sum + quantity, 0);
  return (
    <Text size="sm">
      {pieces} {pieces === 1 ? 'piece' : 'pieces'} for {draft.address.contact_name}, {draft.address.city}, by{' '}
      {estimate.shipping_service}. The account is charged at once, and a real parcel is sent. The order can be cancelled
      for a while afterwards. If no answer comes, press the button again: it is placed once.
    </Text>
  );
}

/** Places the order and goes on to its page. The reference in the body makes sure that it is placed once. */
function usePlacing(
  body: Parameters<typeof call<'placeOrder'>>[1]['body'],
  onLost: () => void,
): (total: number) => Promise<void> {
  const [, navigate] = useLocation();
  const queries = useQueryClient();
  return async (total) => {
    const order = await call('placeOrder', { body: { ...body, expected_total: total } }).catch((error: unknown) => {
      if (error instanceof NoAnswer) onLost();
      throw error;
    });
    await queries.invalidateQueries({ queryKey: ['listOrders'] });
    await queries.invalidateQueries({ queryKey: ['getBalance'] });
    // Its page shows the others.
    for (const { code, message } of order.warnings) {
      if (code === 'replayed_with_different_body') notifyOfWarning(message);
    }
    letGo();
    navigate(`/orders/${order.reference}`);
  };
}

/** Begins with the service that the account prefers, where it is offered and none was chosen. */
function usePreferredShipping(draft: Draft, estimate: Estimate | undefined, choose: (id: string) => void): void {
  const preference = useQuery(reading('getShippingPreference', {}));
  const preferred = estimate?.shipping_options.find(({ service }) => service === preference.data?.service);
  const id = draft.shipping === '' ? preferred?.id : undefined;
  useEffect(() => {
    if (id !== undefined) choose(id);
  }, [id, choose]);
}

type Words = Refused['problem']['errors'];

/** Finds the service's words about a member of the request, or one within it. */
function wordsFrom(errors: Words): (path: string) => string | undefined {
  return (path) => errors.find((each) => isWithin(each.path, path))?.message;
}

function isWithin(path: string, place: string): boolean {
  return path === place || path.startsWith(`${place}.`) || path.startsWith(`${place}[`);
}

/** The lines of the request stand in the order of the form's variants. */
function problemsOf(draft: Draft, key: string, errors: Words): LineProblems {
  const problemAt = wordsFrom(errors);
  const own = placesOf(draft).flatMap(({ line, sku }, index) => (line.key === key ? [{ sku, index, line }] : []));
  const ofOwn = (path: (at: (typeof own)[number]) => string): string | undefined =>
    own.map((at) => problemAt(path(at))).find((words) => words !== undefined);
  return {
    ofSku: (sku) => {
      const index = own.find((at) => at.sku === sku)?.index;
      if (index === undefined) return undefined;
      return problemAt(`items[${index}].quantity`) ?? problemAt(`items[${index}].variant_sku`);
    },
    ofArea: (area) =>
      ofOwn(({ index, line }) => {
        const place = givenAreas(line).findIndex(({ print_area: name }) => name === area);
        return `items[${index}].decoration.areas[${place}]`;
      }),
    ofInput: (key) => ofOwn(({ index }) => `items[${index}].decoration.personalisation.inputs.${key}`),
    ofInputs: (keys) => {
      const places = own.map(({ index }) => `items[${index}].decoration.personalisation`);
      const isAtField = (path: string): boolean =>
        places.some((place) => keys.some((key) => isWithin(path, `${place}.inputs.${key}`)));
      return errors.find(({ path }) => places.some((place) => isWithin(path, place)) && !isAtField(path))?.message;
    },
  };
}
