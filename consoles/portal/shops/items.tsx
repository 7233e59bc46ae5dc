import { Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call, type Reply } from '../../shared/api/client.ts';
import { reading } from '../../shared/api/queries.ts';
import { ItemLists, type ItemNote, type Said, SaidOfItem } from '../../shared/items/lists.tsx';
import { Panel } from '../../shared/layout/panel.tsx';
import { manyOrders } from '../../shared/shops/words.tsx';
import { Answer, Empty } from '../../shared/states/answer.tsx';
import { useAddressState } from '../../shared/table/address.ts';
import { Pages } from '../../shared/table/table.tsx';
import { Moment } from '../../shared/values/moment.tsx';

type Listed = Reply<'listChannelItems'>;
type Missing = Listed['missing'][number];
type Known = Listed['known'][number];

const LOOK_AGAIN_MS = 5_000;
/** Until the orders that waited for an item were looked at, the service still lists it as missing. */
const LOOKED_AT_MS = 15_000;

/** What the shop sells: the items that orders wait for first, then those that are known. */
export function Items({ id, mayChange }: { id: string; mayChange: boolean }) {
  const { get } = useAddressState();
  const queries = useQueryClient();
  const query = useQuery({
    ...reading('listChannelItems', { path: { id }, query: { after: get('cursor') } }),
    refetchInterval: LOOK_AGAIN_MS,
  });
  const [handled, setHandled] = useState<ReadonlyMap<string, number>>(new Map());
  const [note, setNote] = useState<ItemNote>();
  const missing = (query.data?.missing ?? []).filter(
    ({ key }) => (handled.get(key) ?? Number.NEGATIVE_INFINITY) < query.dataUpdatedAt - LOOKED_AT_MS,
  );
  const known = query.data?.known ?? [];
  const refresh = async (): Promise<void> => {
    await Promise.all(
      ['listChannelItems', 'getChannel', 'listChannels', 'listShopOrders'].map((each) =>
        queries.invalidateQueries({ queryKey: [each] }),
      ),
    );
  };
  /** It goes from the list at once, since it can be changed below; a refusal brings it back. */
  const say = async (item: Missing | Known, is: Said, named: string): Promise<void> => {
    const words = `${item.title}: ${named}.`;
    setHandled((before) => new Map(before).set(item.key, Date.now()));
    setNote({ text: words, tone: 'busy' });
    try {
      await call('setChannelItem', { path: { id }, body: { key: item.key, title: item.title, ...is } });
    } catch (error) {
      setHandled((before) => new Map([...before].filter(([key]) => key !== item.key)));
      setNote({ text: `${item.title} is as it was: what you said was not taken.`, tone: 'bad' });
      throw error;
    }
    setNote({ text: `${words} ${goingOn(item, missing.length > 1)}`, tone: 'good' });
    await refresh();
  };
  const forget = async ({ key, title }: Known): Promise<void> => {
    await call('forgetChannelItem', { path: { id }, body: { key } });
    setNote({ text: `${title} is forgotten.`, tone: 'good' });
    await refresh();
  };
  return (
    <Panel title="Items">
      <SaidOfItem note={note} />
      <Answer query={query}>
        {({ missing: listed, next_key: nextKey }) => (
          <>
            <ItemLists
              unknown={missing}
              known={known}
              mayChange={mayChange}
              heading={
                <Text size="sm" fw={600} className="platen-subtitle">
                  Orders wait for these
                </Text>
              }
              detailOf={({ orders, key }) => (
                <>
                  {orders === 1 ? '1 order waits' : `${manyOrders(orders)} wait`} for it ·{' '}
                  <span className="platen-code">{key}</span>
                </>
              )}
              sinceOf={({ set_at: at, key, ignores_entries: ignoresEntries }) => (
                <>
                  Since <Moment at={at} />
                  {ignoresEntries ? ', without what buyers enter' : ''} · <span className="platen-code">{key}</span>
                </>
              )}
              say={say}
              whyNotOurs="It is left out of this and all later orders. An order that has nothing else is ignored."
              forget={forget}
              whyForget="The next order with it waits until you say anew what it is. Placed orders stay as they are."
            />
            {listed.length + known.length === 0 ? (
              <Empty title="No item is known or missing.">
                Items stand here once an order has one that is not known. One with the SKU{' '}
                <code>product id/variant SKU</code> of yours never has to be.
              </Empty>
            ) : (
              <Pages label="Items" nextCursor={nextKey} />
            )}
          </>
        )}
      </Answer>
    </Panel>
  );
}

/** What happens to the orders that waited for an item; they may wait for another one, too. */
function goingOn(item: Missing | Known, isMoreMissing: boolean): string {
  if (!('orders' in item)) return 'Orders from now on are made so.';
  const { orders } = item;
  const going =
    orders === 1 ? 'The order that waited for it goes on' : `${manyOrders(orders)} that waited for it go on`;
  return isMoreMissing ? `${going}, unless another item is missing.` : `${going}.`;
}
