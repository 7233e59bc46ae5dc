import { Button, Modal, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { call, type Input, type Reply } from '../../shared/api/client.ts';
import { reading } from '../../shared/api/queries.ts';
import { useCommands } from '../../shared/commands/registry.ts';
import { Confirm, type Question } from '../../shared/dialog/confirm.tsx';
import { Panel } from '../../shared/layout/panel.tsx';
import { Picker } from '../../shared/products/picker.tsx';
import { useVariantNames } from '../../shared/products/variant-names.ts';
import { manyOrders } from '../../shared/shops/words.tsx';
import { Answer, Empty } from '../../shared/states/answer.tsx';
import { notifyOfFailure } from '../../shared/states/notify.tsx';
import { useAddressState } from '../../shared/table/address.ts';
import { Pages } from '../../shared/table/table.tsx';
import { Moment } from '../../shared/values/moment.tsx';

type Items = Reply<'listChannelItems'>;
type Missing = Items['missing'][number];
type Known = Items['known'][number];
type Variant = Missing['suggestions'][number];
type Asked = Question & { readonly why: string };

/** An item, and what it is said to be: a variant, or undefined for what others make. */
type Said = {
  readonly item: Pick<Missing, 'key' | 'title'> & { readonly orders?: number };
  readonly is: Variant | undefined;
  /** What a person calls the variant, where that is known already. */
  readonly named?: string;
};

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
  const [choosing, setChoosing] = useState<Said['item']>();
  const [question, setQuestion] = useState<Asked>();
  const [note, setNote] = useState<{ text: string; tone: 'busy' | 'good' | 'bad' }>();
  const noteRef = useRef<HTMLParagraphElement>(null);
  const missing = (query.data?.missing ?? []).filter(
    ({ key }) => (handled.get(key) ?? Number.NEGATIVE_INFINITY) < query.dataUpdatedAt - LOOKED_AT_MS,
  );
  const known = query.data?.known ?? [];
  const nameOf = useVariantNames(missing.some(({ suggestions }) => suggestions.length > 0) || known.length > 0);
  const wordsFor = ({ product_name: product, variant_sku: sku }: Variant): string => `${product}, ${nameOf(sku)}`;
  // The line with the button that had the focus goes; what became of it takes the focus.
  useEffect(() => {
    if (note !== undefined) noteRef.current?.focus();
  }, [note]);
  const refresh = async (): Promise<void> => {
    await Promise.all(
      ['listChannelItems', 'getChannel', 'listChannels', 'listShopOrders'].map((each) =>
        queries.invalidateQueries({ queryKey: [each] }),
      ),
    );
  };
  /** It goes from the list at once, since it can be changed below; a refusal brings it back. */
  const say = async ({ item, is, named }: Said): Promise<void> => {
    const words = `${item.title}: ${is === undefined ? 'not made here' : (named ?? wordsFor(is))}.`;
    setHandled((before) => new Map(before).set(item.key, Date.now()));
    setNote({ text: words, tone: 'busy' });
    try {
      await call('setChannelItem', { path: { id }, body: bodyOf(item, is) });
    } catch (error) {
      setHandled((before) => new Map([...before].filter(([key]) => key !== item.key)));
      setNote({ text: `${item.title} is as it was: what you said was not taken.`, tone: 'bad' });
      throw error;
    }
    setNote({ text: `${words} ${goingOn(item.orders, missing.length > 1)}`, tone: 'good' });
    await refresh();
  };
  const sayAtOnce = (said: Said): void => void say(said).catch(notifyOfFailure);
  const askNotOurs = (item: Said['item']): void =>
    setQuestion({
      title: `Is ${item.title} made by others?`,
      label: 'It is not made here',
      keepLabel: 'Leave it',
      why: 'It is left out of this and all later orders. An order that has nothing else is ignored.',
      act: () => say({ item, is: undefined }),
    });
  const askToForget = ({ key, title }: Known): void =>
    setQuestion({
      title: `Forget what ${title} is?`,
      label: 'Forget it',
      why: 'The next order with it waits until you say anew what it is. Placed orders stay as they are.',
      act: async () => {
        await call('forgetChannelItem', { path: { id }, body: { key } });
        setNote({ text: `${title} is forgotten.`, tone: 'good' });
        await refresh();
      },
    });
  useCommands(
    mayChange
      ? missing.flatMap((item) => [
          ...item.suggestions.slice(0, 1).map((is) => ({
            id: `is-${item.key}`,
            label: `${item.title} is ${wordsFor(is)}`,
            group: 'Items',
            run: () => sayAtOnce({ item, is }),
          })),
          {
            id: `choose-${item.key}`,
            label: `Choose what ${item.title} is`,
            group: 'Items',
            run: () => setChoosing(item),
          },
        ])
      : [],
  );
  return (
    <Panel title="Items">
      <Text
        ref={noteRef}
        size="sm"
        role="status"
        tabIndex={-1}
        className={note === undefined ? 'platen-unseen' : 'platen-said'}
        data-tone={note?.tone}
      >
        {note?.text}
      </Text>
      <Answer query={query}>
        {({ missing: listed, next_key: nextKey }) =>
          listed.length + known.length === 0 ? (
            <Empty title="No item is known or missing.">
              Items stand here once an order has one that is not known. One with the SKU{' '}
              <code>product id/variant SKU</code> of yours never has to be.
            </Empty>
          ) : (
            <>
              {missing.length === 0 ? null : (
                <>
                  <Text size="sm" fw={600} className="platen-subtitle">
                    Orders wait for these
                  </Text>
                  <div className="platen-lines">
                    {missing.map((item) => (
                      <MissingLine
                        key={item.key}
                        item={item}
                        wordsFor={wordsFor}
                        {...(mayChange
                          ? {
                              actions: {
                                say: (is: Variant) => sayAtOnce({ item, is }),
                                choose: () => setChoosing(item),
                                askNotOurs: () => askNotOurs(item),
                              },
                            }
                          : {})}
                      />
                    ))}
                  </div>
                </>
              )}
              {known.length === 0 ? null : (
                <>
                  <Text size="sm" fw={600} className="platen-subtitle">
                    Known
                  </Text>
                  <div className="platen-lines">
                    {known.map((item) => (
                      <KnownLine
                        key={item.key}
                        item={item}
                        wordsFor={wordsFor}
                        {...(mayChange
                          ? { actions: { choose: () => setChoosing(item), forget: () => askToForget(item) } }
                          : {})}
                      />
                    ))}
                  </div>
                </>
              )}
              <Pages label="Items" nextCursor={nextKey} />
            </>
          )
        }
      </Answer>
      <Modal
        opened={choosing !== undefined}
        onClose={() => setChoosing(undefined)}
        title={choosing === undefined ? '' : `What is ${choosing.title}?`}
        size="lg"
      >
        {choosing === undefined ? null : (
          <Picker
            onChosen={async (is, named) => {
              await say({ item: choosing, is, named });
              setChoosing(undefined);
            }}
          />
        )}
      </Modal>
      <Confirm question={question} onClose={() => setQuestion(undefined)}>
        <Text size="sm">{question?.why}</Text>
      </Confirm>
    </Panel>
  );
}

type SetItem = Input<'setChannelItem'>['body'];

function bodyOf({ key, title }: Said['item'], is: Variant | undefined): SetItem {
  if (is === undefined) return { key, title, not_ours: true };
  return { key, title, product_id: is.product_id, variant_sku: is.variant_sku };
}

/** What happens to the orders that waited for an item; they may wait for another one, too. */
function goingOn(orders: number | undefined, isMoreMissing: boolean): string {
  if (orders === undefined) return 'Orders from now on are made so.';
  const going =
    orders === 1 ? 'The order that waited for it goes on' : `${manyOrders(orders)} that waited for it go on`;
  return isMoreMissing ? `${going}, unless another item is missing.` : `${going}.`;
}

function MissingLine({
  item: { key, title, orders, suggestions },
  wordsFor,
  actions,
}: {
  item: Missing;
  wordsFor: (variant: Variant) => string;
  actions?: { readonly say: (is: Variant) => void; readonly choose: () => void; readonly askNotOurs: () => void };
}) {
  const otherwise = suggestions.length === 0 ? 'Choose a product' : 'Something else';
  return (
    <div className="platen-line platen-problem">
      <div className="platen-line-text">
        <Text size="sm" fw={600}>
          {title}
        </Text>
        <Text size="sm" c="dimmed" component="div">
          {orders === 1 ? '1 order waits' : `${manyOrders(orders)} wait`} for it ·{' '}
          <span className="platen-code">{key}</span>
        </Text>
      </div>
      {actions === undefined ? null : (
        <div className="platen-buttons">
          {suggestions.map((variant) => (
            <Button
              key={`${variant.product_id} ${variant.variant_sku}`}
              variant="light"
              className="platen-long-button"
              onClick={() => actions.say(variant)}
            >
              It is {wordsFor(variant)}
            </Button>
          ))}
          <Button variant="default" onClick={actions.choose} aria-label={`${otherwise}: ${title}`}>
            {otherwise}
          </Button>
          <Button variant="default" onClick={actions.askNotOurs} aria-label={`Not ours: ${title}`}>
            Not ours
          </Button>
        </div>
      )}
    </div>
  );
}

function KnownLine({
  item: { key, title, variant, set_at: at },
  wordsFor,
  actions,
}: {
  item: Known;
  wordsFor: (variant: Variant) => string;
  actions?: { readonly choose: () => void; readonly forget: () => void };
}) {
  return (
    <div className="platen-line platen-problem">
      <div className="platen-line-text">
        <Text size="sm" component="div">
          <strong>{title}</strong> is {variant === null ? 'not made here' : wordsFor(variant)}
        </Text>
        <Text size="sm" c="dimmed" component="div">
          Since <Moment at={at} /> · <span className="platen-code">{key}</span>
        </Text>
      </div>
      {actions === undefined ? null : (
        <div className="platen-buttons">
          <Button size="compact-sm" variant="default" onClick={actions.choose} aria-label={`Change what ${title} is`}>
            Change
          </Button>
          <Button size="compact-sm" variant="default" onClick={actions.forget} aria-label={`Forget ${title}`}>
            Forget
          </Button>
        </div>
      )}
    </div>
  );
}
