import { Button, Modal, Stack, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { reading } from '../../shared/api/queries.ts';
import { useCommands } from '../../shared/commands/registry.ts';
import { type Secret, ShownOnce } from '../../shared/dialog/shown-once.tsx';
import { Page } from '../../shared/layout/page.tsx';
import { Panel } from '../../shared/layout/panel.tsx';
import { useSession } from '../../shared/session/session.tsx';
import type { Shop } from '../../shared/shops/words.tsx';
import { Answer, Empty } from '../../shared/states/answer.tsx';
import { notifyOf } from '../../shared/states/notify.tsx';
import { Moment } from '../../shared/values/moment.tsx';
import { Connect, secretOf } from './connect.tsx';
import { Health, ShopState } from './health.tsx';
import { useConsentAnswer, useInstalled } from './link.tsx';

/** What waits changes by itself. */
const LOOK_AGAIN_MS = 15_000;

/** Shops whose orders come in by themselves, and how each does. */
export function ShopsPage() {
  const queries = useQueryClient();
  const [, navigate] = useLocation();
  const { role } = useSession().session.user;
  const mayChange = role === 'owner' || role === 'manager';
  const query = useQuery({ ...reading('listChannels', {}), refetchInterval: LOOK_AGAIN_MS });
  useConsentAnswer();
  const installed = useInstalled();
  const [isConnecting, setConnecting] = useState(mayChange && installed !== undefined);
  const [made, setMade] = useState<{ id: string; secret: Secret }>();
  useCommands([
    ...(mayChange
      ? [{ id: 'connect', label: 'Connect a shop', group: 'Shops', keys: 'c', run: () => setConnecting(true) }]
      : []),
    ...(query.data?.data ?? [])
      .filter(({ state }) => state !== 'disconnected')
      .map(({ id, name }) => ({ id, label: `Open ${name}`, group: 'Shops', run: () => navigate(`/shops/${id}`) })),
    { id: 'refresh', label: 'Look again', group: 'Shops', keys: 'r', run: () => void query.refetch() },
  ]);
  return (
    <Page
      title="Connected shops"
      aside={mayChange ? <Button onClick={() => setConnecting(true)}>Connect a shop</Button> : undefined}
    >
      <Answer query={query}>
        {({ data }) => {
          const ended = data.filter(({ state }) => state === 'disconnected');
          const connected = data.filter(({ state }) => state !== 'disconnected');
          return (
            <Stack gap="md">
              <Panel
                title="Shops"
                aside={connected.length === 0 ? undefined : <Link href="/shop-orders">All their orders</Link>}
              >
                {connected.length === 0 ? (
                  <Empty title="No shop is connected.">
                    A connected shop sends its orders by itself: they are placed here, or wait with what is missing.{' '}
                    {mayChange ? null : 'An owner or a manager connects one.'}
                  </Empty>
                ) : (
                  <div className="platen-lines">
                    {connected.map((shop) => (
                      <Line key={shop.id} shop={shop} />
                    ))}
                  </div>
                )}
              </Panel>
              {ended.length === 0 ? null : <Ended shops={ended} />}
              <OtherWays />
            </Stack>
          );
        }}
      </Answer>
      <Modal opened={isConnecting} onClose={() => setConnecting(false)} title="Connect a shop">
        <Connect
          installed={installed}
          onLinked={() => {
            setConnecting(false);
            notifyOf('It is connected. Its orders are read from now on.');
            void queries.invalidateQueries({ queryKey: ['listChannels'] });
          }}
          onConnected={(connected) => {
            setConnecting(false);
            setMade({ id: connected.channel.id, secret: secretOf(connected, true) });
            void queries.invalidateQueries({ queryKey: ['listChannels'] });
          }}
        />
      </Modal>
      <ShownOnce
        secret={made?.secret}
        onClose={() => {
          setMade(undefined);
          if (made !== undefined) navigate(`/shops/${made.id}`);
        }}
      />
    </Page>
  );
}

function Line({ shop }: { shop: Shop }) {
  return (
    <div className="platen-line">
      <div className="platen-line-text">
        <Link href={`/shops/${shop.id}`} className="platen-link">
          {shop.name}
        </Link>{' '}
        <ShopState state={shop.state} />
        <Health shop={shop} />
      </div>
    </div>
  );
}

function Ended({ shops }: { shops: readonly Shop[] }) {
  return (
    <Panel title="Disconnected">
      <div className="platen-lines">
        {shops.map(({ id, name, ended_at: endedAt }) => (
          <div key={id} className="platen-line">
            <Text size="sm" component="div" className="platen-line-text">
              <Link href={`/shops/${id}`} className="platen-link">
                {name}
              </Link>
              {endedAt === null ? null : (
                <Text span size="sm" c="dimmed">
                  {' '}
                  · <Moment at={endedAt} />
                </Text>
              )}
            </Text>
          </div>
        ))}
      </div>
    </Panel>
  );
}

function OtherWays() {
  return (
    <Panel title="For a shop that is not connected">
      <ol className="platen-panel-body platen-ordered">
        <li>
          <Text size="sm">
            Let your shop, or who looks after it, place orders over the API: the{' '}
            <a href="/docs">documentation of the API</a> has every request with an example.
          </Text>
        </li>
        <li>
          <Text size="sm">
            Send the number that your shop gives an order as <code>external_reference</code>. The same number never
            makes a second order, so trying again is safe.
          </Text>
        </li>
        <li>
          <Text size="sm">
            Have tracking sent to your shop by a webhook, <code>order.shipment_created</code>, in place of asking for
            it.
          </Text>
        </li>
      </ol>
    </Panel>
  );
}
