import { Button, Group, Modal, NativeSelect, Stack, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type MouseEvent, type Ref, useEffect, useRef, useState } from 'react';
import { Link } from 'wouter';
import { type Input, saveList } from '../../shared/api/client.ts';
import { reading } from '../../shared/api/queries.ts';
import { useCommands } from '../../shared/commands/registry.ts';
import { Confirm, type Question } from '../../shared/dialog/confirm.tsx';
import { Page } from '../../shared/layout/page.tsx';
import { useSession } from '../../shared/session/session.tsx';
import {
  SHOP_ORDER_STATES,
  type ShopOrder,
  ShopOrderReason,
  ShopOrderState,
  shopOrderStateLabel,
} from '../../shared/shops/words.tsx';
import { Answer, Empty } from '../../shared/states/answer.tsx';
import { keepTable, useAddressState } from '../../shared/table/address.ts';
import { TableMenus } from '../../shared/table/menus.tsx';
import { SaveCsv } from '../../shared/table/save-csv.tsx';
import { type Column, Table } from '../../shared/table/table.tsx';
import { Moment } from '../../shared/values/moment.tsx';
import { type AnswerKind, answer } from './answers.ts';
import { Detail } from './detail.tsx';
import { Problems } from './problems.tsx';
import { Reasons } from './reasons.tsx';
import { Progress, type Run, runAnswers, Selected, whyOf } from './selected.tsx';

type Filters = NonNullable<Input<'listShopOrders'>['query']>;

/** Orders come in by themselves; what was just answered is looked at within a second. */
const LOOK_AGAIN_MS = 15_000;
const LOOK_SOON_MS = 1_000;

/** The orders of all connected shops, newest first, and what became of each. */
export function ShopOrdersPage() {
  const { get, set } = useAddressState();
  const queries = useQueryClient();
  const { role } = useSession().session.user;
  const mayAnswer = role !== 'reader';
  const mayChange = role === 'owner' || role === 'manager';
  const filters = {
    state: get('state') as Filters['state'],
    reason: get('reason') as Filters['reason'],
    channel: get('channel'),
  };
  const cursor = get('cursor');
  const open = get('open');
  const query = useQuery({
    ...reading('listShopOrders', { query: { ...filters, cursor } }),
    refetchInterval: ({ state: { data } }) =>
      data?.data.some(({ state }) => state === 'new') === true ? LOOK_SOON_MS : LOOK_AGAIN_MS,
  });
  const shops = useQuery(reading('listChannels', {})).data?.data ?? [];
  const [question, setQuestion] = useState<Question & { readonly why: string }>();
  const [run, setRun] = useState<Run>();
  const tabs = useRef<HTMLElement>(null);
  const isAnswered = useRef(false);
  // What was answered may leave the list with the focus in it: then the focus goes to what the list is narrowed to.
  useEffect(() => {
    if (query.data === undefined || !isAnswered.current || document.activeElement !== document.body) return;
    tabs.current?.querySelector<HTMLElement>('[aria-current]')?.focus();
  }, [query.data]);
  const isNarrowed = Object.values(filters).some((value) => value !== undefined);
  const clear = (): void => set({ state: undefined, reason: undefined, channel: undefined });
  const show = (id: string | undefined): void => set({ open: id, cursor });
  const refresh = async (): Promise<void> => {
    await Promise.all(
      ['listShopOrders', 'getShopOrder', 'listChannels', 'getChannel', 'listOrders'].map((each) =>
        queries.invalidateQueries({ queryKey: [each] }),
      ),
    );
  };
  const ask = (kind: AnswerKind, order: ShopOrder): void =>
    setQuestion({
      title: kind === 'place' ? `Place ${order.number}?` : `Ignore ${order.number}?`,
      label: kind === 'place' ? 'Place it now' : 'Ignore it',
      keepLabel: kind === 'place' ? 'Not yet' : 'Keep it',
      isMaking: kind === 'place',
      why: whyOf(kind),
      act: async () => {
        await answer(kind, order);
        isAnswered.current = true;
        if (open !== undefined) show(undefined);
        void refresh();
      },
    });
  const answerAll = async (kind: AnswerKind, orders: readonly ShopOrder[]): Promise<void> => {
    isAnswered.current = true;
    await runAnswers(kind, orders, setRun);
    await refresh();
  };
  useCommands([
    ...[undefined, ...SHOP_ORDER_STATES].map((state) => ({
      id: `state-${state ?? 'all'}`,
      label: state === undefined ? 'Orders of every state' : `Only orders: ${shopOrderStateLabel(state)}`,
      group: 'Orders of shops',
      run: () => set({ state, reason: undefined }),
    })),
    ...shops.map(({ id, name }) => ({
      id: `shop-${id}`,
      label: `Only orders of ${name}`,
      group: 'Orders of shops',
      run: () => set({ channel: id }),
    })),
    { id: 'no-filter', label: 'Show all orders', group: 'Orders of shops', run: clear },
    { id: 'refresh', label: 'Look again', group: 'Orders of shops', keys: 'r', run: () => void query.refetch() },
  ]);
  const columns = columnsOf(show, mayAnswer ? ask : undefined);
  const opened = query.data?.data.find(({ id }) => id === open);
  return (
    <Page title="Shop orders" aside={<Link href="/shops">Connected shops</Link>}>
      <Stack gap="md">
        {run === undefined ? null : <Progress run={run} onClose={() => setRun(undefined)} />}
        <section className="platen-panel">
          <Group px="md" py="xs" justify="space-between" gap="sm">
            <States ref={tabs} chosen={filters.state} channel={filters.channel} />
            <Group gap="xs">
              <Reasons
                state={filters.state}
                chosen={filters.reason}
                shops={shops.filter(({ id }) => filters.channel === undefined || id === filters.channel)}
                onChoose={(reason) => set({ reason })}
              />
              {shops.length < 2 && filters.channel === undefined ? null : (
                <NativeSelect
                  aria-label="Shop"
                  size="xs"
                  data={[
                    { value: '', label: 'All shops' },
                    ...shops.map(({ id, name }) => ({ value: id, label: name })),
                  ]}
                  value={filters.channel ?? ''}
                  onChange={({ currentTarget }) => set({ channel: currentTarget.value })}
                />
              )}
              <SaveCsv
                group="Orders of shops"
                save={() => saveList('listShopOrders', { query: filters }, 'shop-orders.csv')}
              />
              <TableMenus page="shop-orders" columns={columns} />
            </Group>
          </Group>
          <Answer query={query} lines={8}>
            {({ data, next_cursor: nextCursor }) =>
              data.length === 0 ? (
                <Empty title={isNarrowed ? 'No order is like this.' : 'No shop has sent an order yet.'}>
                  {isNarrowed ? (
                    <Button variant="subtle" onClick={clear}>
                      Show all orders
                    </Button>
                  ) : (
                    <>
                      Each order of a <Link href="/shops">connected shop</Link> stands here with what became of it:
                      placed, waiting with the reason, or ignored.
                    </>
                  )}
                </Empty>
              ) : (
                <Table
                  label="Orders of shops"
                  rows={data}
                  idOf={({ id }) => id}
                  nameOf={({ number, channel }) => `${number} of ${channel.name}`}
                  columns={columns}
                  nextCursor={nextCursor}
                  isBusy={query.isPlaceholderData}
                >
                  {({ rows, clear: clearSelection }) =>
                    mayAnswer ? (
                      <Selected
                        orders={rows}
                        isBusy={run !== undefined && run.results.length < run.total}
                        onRun={(kind, orders) => void answerAll(kind, orders)}
                        onClear={clearSelection}
                      />
                    ) : (
                      <Button size="compact-sm" variant="subtle" onClick={clearSelection}>
                        Select none
                      </Button>
                    )
                  }
                </Table>
              )
            }
          </Answer>
        </section>
      </Stack>
      <Modal
        opened={open !== undefined}
        onClose={() => show(undefined)}
        // Escape closes what is asked above it alone.
        closeOnEscape={question === undefined}
        title={opened === undefined ? 'An order of a shop' : `${opened.number} of ${opened.channel.name}`}
        size="lg"
      >
        {open === undefined ? null : (
          <Detail
            key={open}
            id={open}
            mayAnswer={mayAnswer}
            mayChange={mayChange}
            onAnswer={ask}
            onCorrected={() => void refresh()}
          />
        )}
      </Modal>
      <Confirm question={question} onClose={() => setQuestion(undefined)}>
        <Text size="sm">{question?.why}</Text>
      </Confirm>
    </Page>
  );
}

function columnsOf(
  show: (id: string) => void,
  ask: ((kind: AnswerKind, order: ShopOrder) => void) | undefined,
): readonly Column<ShopOrder>[] {
  return [
    {
      title: 'Number',
      cell: ({ id, number }) => (
        <a
          href={`?open=${id}`}
          className="platen-link"
          onClick={(click) => {
            if (click.metaKey || click.ctrlKey || click.shiftKey) return;
            click.preventDefault();
            show(id);
          }}
        >
          {number}
        </a>
      ),
    },
    { title: 'Shop', isMinor: true, cell: ({ channel }) => channel.name },
    { title: 'For', isMinor: true, cell: ({ recipient }) => recipient?.name ?? '' },
    {
      title: 'State',
      cell: (order) => (
        <div>
          <ShopOrderState order={order} />{' '}
          {order.order === null ? null : (
            <Link href={`/orders/${order.order.reference}`} className="platen-link platen-number">
              {order.order.reference}
            </Link>
          )}
          <Text size="sm" component="div">
            <ShopOrderReason order={order} />
          </Text>
          <Problems order={order} />
          {order.reported === null || order.reported.is_known ? null : <Text size="sm">{order.reported.problem}</Text>}
        </div>
      ),
    },
    { title: 'Received', isMinor: true, cell: ({ received_at: at }) => <Moment at={at} /> },
    ...(ask === undefined
      ? []
      : [{ title: 'Answer', cell: (order: ShopOrder) => <Answers order={order} ask={ask} /> }]),
  ];
}

function Answers({ order, ask }: { order: ShopOrder; ask: (kind: AnswerKind, order: ShopOrder) => void }) {
  // Once it is answered the buttons are gone: the focus comes back to the link of the row.
  const answerBy =
    (kind: AnswerKind) =>
    ({ currentTarget }: MouseEvent<HTMLButtonElement>): void => {
      currentTarget.closest('tr')?.querySelector('a')?.focus();
      ask(kind, order);
    };
  return (
    <div className="platen-buttons">
      {order.actions.place ? (
        <Button size="compact-sm" variant="light" aria-label={`Place now: ${order.number}`} onClick={answerBy('place')}>
          Place now
        </Button>
      ) : null}
      {order.actions.ignore ? (
        <Button size="compact-sm" variant="default" aria-label={`Ignore: ${order.number}`} onClick={answerBy('ignore')}>
          Ignore
        </Button>
      ) : null}
    </div>
  );
}

function States({
  ref,
  chosen,
  channel,
}: {
  ref: Ref<HTMLElement>;
  chosen: string | undefined;
  channel: string | undefined;
}) {
  const hrefOf = (state: string | undefined): string => {
    const pairs = Object.entries({ state, channel }).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value]],
    );
    return pairs.length === 0 ? '/shop-orders' : `/shop-orders?${new URLSearchParams(pairs).toString()}`;
  };
  return (
    <nav ref={ref} className="platen-tabs" aria-label="State">
      {[undefined, ...SHOP_ORDER_STATES].map((state) => (
        <Link key={state ?? 'all'} href={keepTable(hrefOf(state))} aria-current={state === chosen ? 'page' : undefined}>
          {state === undefined ? 'All' : shopOrderStateLabel(state)}
        </Link>
      ))}
    </nav>
  );
}
