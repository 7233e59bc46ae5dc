import { Button, Modal, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { call } from '../../shared/api/client.ts';
import { reading } from '../../shared/api/queries.ts';
import { useCommands } from '../../shared/commands/registry.ts';
import { Confirm, type Question } from '../../shared/dialog/confirm.tsx';
import { type Secret, ShownOnce } from '../../shared/dialog/shown-once.tsx';
import { Page } from '../../shared/layout/page.tsx';
import { Panel } from '../../shared/layout/panel.tsx';
import { useSession } from '../../shared/session/session.tsx';
import { manyOrders, type Shop } from '../../shared/shops/words.tsx';
import { Answer } from '../../shared/states/answer.tsx';
import { notifyOf, notifyOfFailure } from '../../shared/states/notify.tsx';
import { TextBlock } from '../../shared/values/text-block.tsx';
import { secretOf } from './connect.tsx';
import { Health, ShopState } from './health.tsx';
import { Items } from './items.tsx';
import { isLinkedByKey, PLATFORMS, RenewByKey, renewAccess } from './link.tsx';
import { Published } from './published.tsx';
import { Rules } from './rules.tsx';

type Asked = Question & { readonly why: string };

const PLATFORM_LABELS: Readonly<Record<string, string>> = PLATFORMS;

/** How it does changes by itself. */
const LOOK_AGAIN_MS = 5_000;

/** One shop: how it does, its items, its rules, and its end. */
export function ShopPage({ id }: { id: string }) {
  const queries = useQueryClient();
  const { role } = useSession().session.user;
  const mayChange = role === 'owner' || role === 'manager';
  const { queryKey } = reading('getChannel', { path: { id } });
  const query = useQuery({ ...reading('getChannel', { path: { id } }), refetchInterval: LOOK_AGAIN_MS });
  const [question, setQuestion] = useState<Asked>();
  const [secret, setSecret] = useState<Secret>();
  const keep = (shop: Shop): void => {
    queries.setQueryData(queryKey, shop);
    for (const each of ['listChannels', 'listShopOrders', 'listChannelItems'])
      void queries.invalidateQueries({ queryKey: [each] });
  };
  const pause = useMutation({
    mutationFn: (paused: boolean) => call('changeChannel', { path: { id }, body: { paused } }),
    // Drawn at once; what the service says then takes its place, and a refusal takes it back.
    onMutate: (paused) =>
      queries.setQueryData<Shop>(queryKey, (before) => before && { ...before, state: paused ? 'paused' : 'active' }),
    onSuccess: keep,
    onError: (error) => {
      notifyOfFailure(error);
      void queries.invalidateQueries({ queryKey });
    },
  });
  const consent = useMutation({ mutationFn: renewAccess, onError: notifyOfFailure });
  const [renewed, setRenewed] = useState<Shop>();
  const renew = (shop: Shop): void => (isLinkedByKey(shop) ? setRenewed(shop) : consent.mutate(shop));
  const askToRotate = (shop: Shop): void =>
    setQuestion({
      title: `Replace the secret of ${shop.name}?`,
      label: 'Make a new secret',
      keepLabel: 'Leave it',
      isMaking: true,
      why: 'The new one is taken at once, and the present one for 24 hours more. Put the new one into the shop meanwhile, and no order is refused. If the present one has leaked, disconnect the shop and connect it anew.',
      act: async () => {
        const made = await call('rotateChannelSecret', { path: { id } });
        keep(made.channel);
        setSecret(secretOf(made, false));
      },
    });
  const askToDisconnect = (shop: Shop): void =>
    setQuestion({
      title: `Disconnect ${shop.name}?`,
      label: 'Disconnect it',
      keepLabel: 'Leave it connected',
      typed: shop.name,
      why: endOf(shop),
      act: async () => {
        keep(await call('disconnectChannel', { path: { id } }));
        notifyOf(`${shop.name} is disconnected.`);
      },
    });
  const shown = query.data;
  const isChangeable = mayChange && shown !== undefined && shown.state !== 'disconnected';
  useCommands([
    ...(isChangeable
      ? [
          {
            id: 'pause',
            label: shown.state === 'paused' ? 'Let the shop go on' : 'Pause the shop',
            group: 'Shop',
            run: () => pause.mutate(shown.state !== 'paused'),
          },
          shown.link === null
            ? { id: 'rotate', label: 'Replace the secret', group: 'Shop', run: () => askToRotate(shown) }
            : { id: 'renew', label: 'Ask the shop for access again', group: 'Shop', run: () => renew(shown) },
          { id: 'disconnect', label: 'Disconnect the shop', group: 'Shop', run: () => askToDisconnect(shown) },
        ]
      : []),
    { id: 'refresh', label: 'Look again', group: 'Shop', keys: 'r', run: () => void query.refetch() },
  ]);
  return (
    <Page title={shown?.name ?? 'A connected shop'} aside={<Link href="/shops">All shops</Link>}>
      <Answer query={query} lines={6}>
        {(shop) => (
          <div className="platen-columns">
            <Stack gap="md">
              <Panel
                title="How it does"
                aside={<Link href={`/shop-orders?${new URLSearchParams({ channel: id })}`}>Its orders</Link>}
              >
                <div className="platen-line">
                  <div className="platen-line-text">
                    <ShopState state={shop.state} />
                    <Health shop={shop} isOwnPage />
                  </div>
                </div>
              </Panel>
              {shop.state === 'disconnected' ? null : <Items id={id} mayChange={mayChange} />}
              {shop.state !== 'disconnected' && shop.link !== null ? <Published id={id} mayChange={mayChange} /> : null}
            </Stack>
            <Stack gap="md">
              {isChangeable ? (
                <Panel title="The shop">
                  <div className="platen-panel-body">
                    {shop.link === null ? (
                      <>
                        <Text size="sm" mb={6}>
                          It posts its orders to:
                        </Text>
                        <TextBlock text={shop.orders_url} label="The address for its orders" />
                        <Text size="sm" mt="sm" component="div">
                          <a href="/docs/channels">How it signs and what it sends</a>
                        </Text>
                      </>
                    ) : (
                      <Text size="sm" component="div">
                        {PLATFORM_LABELS[shop.platform] ?? shop.platform} at{' '}
                        <a href={shop.link.address} target="_blank" rel="noreferrer" className="platen-link">
                          {shop.link.address}
                        </a>
                      </Text>
                    )}
                    <div className="platen-buttons platen-below">
                      {shop.state === 'paused' ? (
                        <Button onClick={() => pause.mutate(false)}>Let it go on</Button>
                      ) : (
                        <Button variant="default" onClick={() => pause.mutate(true)}>
                          Pause
                        </Button>
                      )}
                      {shop.link === null ? (
                        <Button variant="default" onClick={() => askToRotate(shop)}>
                          Replace the secret
                        </Button>
                      ) : (
                        <Button variant="default" onClick={() => renew(shop)}>
                          Ask the shop for access again
                        </Button>
                      )}
                      <Button variant="default" onClick={() => askToDisconnect(shop)}>
                        Disconnect
                      </Button>
                    </div>
                  </div>
                </Panel>
              ) : null}
              <Rules key={shop.id} shop={shop} mayChange={mayChange} onChanged={keep} />
            </Stack>
          </div>
        )}
      </Answer>
      <Modal opened={renewed !== undefined} onClose={() => setRenewed(undefined)} title="Give the shop’s new key">
        {renewed === undefined ? null : (
          <RenewByKey
            shop={renewed}
            onRenewed={() => {
              setRenewed(undefined);
              notifyOf('The new key is taken. The shop is read with it now.');
              void queries.invalidateQueries({ queryKey });
            }}
          />
        )}
      </Modal>
      <ShownOnce secret={secret} onClose={() => setSecret(undefined)} />
      <Confirm question={question} onClose={() => setQuestion(undefined)}>
        <Text size="sm">{question?.why}</Text>
      </Confirm>
    </Page>
  );
}

/** What a disconnection does to the orders of a shop. */
function endOf({ waiting, link }: Shop): string {
  const count = waiting.reduce((sum, { orders }) => sum + orders, 0);
  const lost =
    count === 0
      ? 'Nothing waits now.'
      : `${manyOrders(count)} that ${count === 1 ? 'waits is' : 'wait are'} ignored for good.`;
  return `Its secret is refused at once, and nothing it sends is taken any more. ${lost} Orders that are placed go on: they are made and sent.${link !== null ? ' Their parcels are not reported to the shop any more. Products that you have published stay in it, and are not kept in or out of stock.' : ''} It cannot be brought back; the shop can be connected anew, as another one.`;
}
