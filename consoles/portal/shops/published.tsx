import { Button, Modal, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { Link } from 'wouter';
import { call, type Reply } from '../../shared/api/client.ts';
import { reading } from '../../shared/api/queries.ts';
import { useCommands } from '../../shared/commands/registry.ts';
import { Confirm, type Question } from '../../shared/dialog/confirm.tsx';
import { Panel } from '../../shared/layout/panel.tsx';
import { type Product, ProductSearch } from '../../shared/products/picker.tsx';
import { Answer, Empty } from '../../shared/states/answer.tsx';
import { Failure } from '../../shared/states/failure.tsx';
import { notifyOf, notifyOfFailure } from '../../shared/states/notify.tsx';
import { Moment } from '../../shared/values/moment.tsx';

type InShop = Reply<'listChannelProducts'>['data'][number];

const LOOK_AGAIN_MS = 5_000;

const STATES: Readonly<Record<string, readonly [label: string, tone: string]>> = {
  waiting: ['On its way', 'busy'],
  published: ['In the shop', 'good'],
  failed: ['The shop refuses it', 'bad'],
  gone: ['Deleted in the shop', 'still'],
};

/** The products that were published in a shop, and how each does. */
export function Published({ id, mayChange }: { id: string; mayChange: boolean }) {
  const queries = useQueryClient();
  const [cursor, setCursor] = useState<string>();
  const query = useQuery({
    ...reading('listChannelProducts', { path: { id }, query: { cursor } }),
    refetchInterval: LOOK_AGAIN_MS,
  });
  const [isChoosing, setChoosing] = useState(false);
  const [question, setQuestion] = useState<Question>();
  const refresh = (): Promise<void> => queries.invalidateQueries({ queryKey: ['listChannelProducts'] });
  const publish = async (productId: string): Promise<void> => {
    await call('publishProduct', { path: { id }, body: { product_id: productId } });
    await refresh();
  };
  const tryAgain = ({ product_id: productId, name }: InShop): void =>
    void publish(productId).then(() => notifyOf(`${name} is on its way to the shop.`), notifyOfFailure);
  const askToStop = ({ product_id: productId, name }: InShop): void =>
    setQuestion({
      title: `Keep ${name} up to date no more?`,
      label: 'Stop it',
      keepLabel: 'Leave it',
      act: async () => {
        await call('stopChannelProduct', { path: { id, product_id: productId } });
        await refresh();
        notifyOf(`${name} is not kept up to date any more.`);
      },
    });
  useCommands(
    mayChange ? [{ id: 'publish', label: 'Publish a product', group: 'Products', run: () => setChoosing(true) }] : [],
  );
  const add = (
    <Button size="compact-sm" variant="default" onClick={() => setChoosing(true)}>
      Publish a product
    </Button>
  );
  return (
    <Panel title="Products in this shop" {...(mayChange ? { aside: add } : {})}>
      <Answer query={query}>
        {({ data, next_cursor: next }) => (
          <>
            {data.length === 0 && cursor === undefined ? (
              <Empty title="No product was published in this shop.">
                A product that you publish arrives as a draft. Which of its variants are in stock is kept up to date.
              </Empty>
            ) : null}
            <div className="platen-lines">
              {data.map((product) => (
                <ProductLine
                  key={product.product_id}
                  product={product}
                  {...(mayChange
                    ? { actions: { tryAgain: () => tryAgain(product), stop: () => askToStop(product) } }
                    : {})}
                />
              ))}
            </div>
            {cursor === undefined && next === null ? null : (
              <div className="platen-buttons platen-below">
                <Button variant="default" disabled={cursor === undefined} onClick={() => setCursor(undefined)}>
                  First products
                </Button>
                <Button variant="default" disabled={next === null} onClick={() => setCursor(next ?? undefined)}>
                  More products
                </Button>
              </div>
            )}
          </>
        )}
      </Answer>
      <Modal opened={isChoosing} onClose={() => setChoosing(false)} title="Publish a product" size="lg">
        <Publishing publish={publish} />
      </Modal>
      <Confirm question={question} onClose={() => setQuestion(undefined)}>
        <Text size="sm">
          In the shop it stays as it is, and may be sold although it is not in stock here. Delete it there. Orders of it
          come in as before.
        </Text>
      </Confirm>
    </Panel>
  );
}

/** Chooses products one after another, and says of each what has become of it. */
function Publishing({ publish }: { publish: (productId: string) => Promise<void> }) {
  const [note, setNote] = useState('');
  const [failure, setFailure] = useState<Error>();
  const isUnderWay = useRef(false);
  const send = async ({ id, name }: Product): Promise<void> => {
    if (isUnderWay.current) return;
    isUnderWay.current = true;
    setFailure(undefined);
    try {
      await publish(id);
      setNote(`${name} is on its way to the shop. You can choose another one.`);
    } catch (error) {
      setNote('');
      setFailure(error instanceof Error ? error : new Error(String(error)));
    } finally {
      isUnderWay.current = false;
    }
  };
  return (
    <>
      <Text size="sm" mb="sm">
        It arrives as a draft without a price. The price, the texts and the pictures are yours to write in the shop, and
        are never changed from here. Which variants are in stock is kept up to date.
      </Text>
      <Text size="sm" role="status" className={note === '' ? 'platen-unseen' : 'platen-said'} data-tone="good">
        {note}
      </Text>
      {failure === undefined ? null : <Failure error={failure} />}
      <ProductSearch verb="Publish" onChosen={(product) => void send(product)} />
    </>
  );
}

function ProductLine({
  product: { product_id: id, name, state, problem, published_at: at, left_out: leftOut },
  actions,
}: {
  product: InShop;
  actions?: { readonly tryAgain: () => void; readonly stop: () => void };
}) {
  const [label, tone] = STATES[state] ?? [state, 'still'];
  const again = state === 'gone' ? 'Publish it again' : 'Try again';
  const isStuck = state === 'failed' || state === 'gone';
  return (
    <div className="platen-line platen-problem">
      <div className="platen-line-text">
        <Text size="sm" component="div">
          <Link href={`/products/${id}`} className="platen-link">
            {name}
          </Link>{' '}
          <span className="platen-status" data-tone={tone}>
            {label}
          </span>
        </Text>
        {problem === null ? null : <Text size="sm">{problem}</Text>}
        <LeftOut variants={leftOut} />
        {at === null ? null : (
          <Text size="sm" c="dimmed" component="div">
            Up to date <Moment at={at} />
          </Text>
        )}
      </div>
      {actions === undefined ? null : (
        <div className="platen-buttons">
          {isStuck ? (
            <Button size="compact-sm" variant="default" onClick={actions.tryAgain} aria-label={`${again}: ${name}`}>
              {again}
            </Button>
          ) : null}
          <Button size="compact-sm" variant="default" onClick={actions.stop} aria-label={`Stop: ${name}`}>
            Stop
          </Button>
        </div>
      )}
    </div>
  );
}

const WHY_OUT: Readonly<Record<string, string>> = {
  switched_off: 'switched off in the product',
  not_made: 'not made any more',
};

/** The variants that the shop does not sell, and why: they are looked for there. */
function LeftOut({ variants }: { variants: InShop['left_out'] }) {
  if (variants.length === 0) return null;
  const texts = variants.map(({ variant_sku: sku, reason }) => `${sku} (${WHY_OUT[reason] ?? reason})`);
  return <Text size="sm">Not on sale: {texts.join(', ')}</Text>;
}
