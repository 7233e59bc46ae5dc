import { Text } from '@mantine/core';
import { Link } from 'wouter';
import { inboxOf, isForPerson, manyOrders, reasonWords, type Shop } from '../../shared/shops/words.tsx';
import { Ago } from '../../shared/values/ago.tsx';
import { Moment } from '../../shared/values/moment.tsx';

const STATES: Readonly<Record<string, readonly [label: string, tone: string]>> = {
  active: ['Connected', 'good'],
  paused: ['Paused', 'wait'],
  disconnected: ['Disconnected', 'still'],
};

/** Whether a shop is connected, in a word. */
export function ShopState({ state }: { state: string }) {
  const [label, tone] = STATES[state] ?? [state, 'still'];
  return (
    <span className="platen-status" data-tone={tone}>
      {label}
    </span>
  );
}

/** How a shop does, in its list or on its own page: when it last sent an order, what waits and why, and what it does wrong. */
export function Health({ shop, isOwnPage = false }: { shop: Shop; isOwnPage?: boolean }) {
  const { state, last_order_at: lastAt, connected_at: since, ended_at: endedAt } = shop;
  return (
    <>
      <Text size="sm" c="dimmed" component="div">
        {lastAt === null ? (
          'It has sent no order yet'
        ) : (
          <>
            Last order <Ago at={lastAt} />
          </>
        )}{' '}
        · connected <Moment at={since} />
        {endedAt === null ? null : (
          <>
            {' '}
            · disconnected <Moment at={endedAt} />
          </>
        )}
      </Text>
      {state === 'paused' ? <Text size="sm">What it sends is kept, and waits until you let it go on.</Text> : null}
      {state === 'disconnected' ? null : (
        <>
          <LinkHealth id={shop.id} link={shop.link} />
          <Waiting shop={shop} isOwnPage={isOwnPage} />
          <Refusals shop={shop} />
        </>
      )}
    </>
  );
}

/** How far a linked shop was read, what it is still to hear, and what is wrong with it in words. */
function LinkHealth({ id, link }: { id: string; link: Shop['link'] }) {
  if (link === null) return null;
  const { fault, retry_at: again, synced_at: readAt, unreadable, last_unreadable: unread } = link;
  const { unreported, refused_reports: refused, refused_products: products } = link;
  return (
    <>
      <Text size="sm" c="dimmed" component="div">
        {readAt === null ? (
          'Its orders are being read for the first time'
        ) : (
          <>
            All its changes were read <Ago at={readAt} />
          </>
        )}{' '}
        · {unreported > 0 ? `a report on ${manyOrders(unreported)} is due to it` : null}
        {unreported === 0 && refused === 0 ? 'it knows of every parcel' : null}
        {unreported === 0 && refused > 0 ? 'no report is due to it' : null}
      </Text>
      {refused === 0 ? null : (
        <Text size="sm" component="div" className="platen-note" mt={6}>
          <Link href={inboxOf(id, 'placed', 'report_refused')} className="platen-link">
            {manyOrders(refused)}
          </Link>
          : the shop takes no news. Each says why: mend that in the shop, then have it reported again.
        </Text>
      )}
      {products === 0 ? null : (
        <Text size="sm" component="div" className="platen-note" mt={6}>
          {products === 1 ? 'One product' : `${products.toLocaleString('en-GB')} products`} could not be written to it.
          Each says why,{' '}
          <Link href={`/shops/${id}`} className="platen-link">
            on the page of the shop
          </Link>
          .
        </Text>
      )}
      {fault === null ? null : (
        <Text size="sm" component="div" className="platen-note" mt={6}>
          {fault.message} Since <Moment at={fault.since} />
          {again === null ? null : (
            <>
              ; tried again <Moment at={again} />
            </>
          )}
          . Nothing is lost meanwhile.
        </Text>
      )}
      {unreadable === 0 ? null : (
        <Text size="sm" component="div" className="platen-note" mt={6}>
          {manyOrders(unreadable)} could not be read. The last: {unread}
        </Text>
      )}
    </>
  );
}

/** What waits, by its reason: what waits for a person first. */
function Waiting({ shop: { id, waiting }, isOwnPage }: { shop: Shop; isOwnPage: boolean }) {
  if (waiting.length === 0) return <Text size="sm">Nothing waits.</Text>;
  const sorted = waiting.toSorted(
    (one, other) => Number(isForPerson(other.reason)) - Number(isForPerson(one.reason)) || other.orders - one.orders,
  );
  return (
    <ul className="platen-waiting">
      {sorted.map(({ reason, orders }) => (
        <li key={reason} data-tone={reason === 'gave_up' ? 'bad' : isForPerson(reason) ? 'wait' : undefined}>
          <Link href={inboxOf(id, reason === 'gave_up' ? 'failed' : 'waiting', reason)} className="platen-link">
            {manyOrders(orders)}
          </Link>
          : {reasonWords(reason)}
          {reason === 'needs_mapping' && !isOwnPage ? (
            <>
              {' '}
              <Link href={`/shops/${id}`} className="platen-link">
                among its items
              </Link>
            </>
          ) : null}
        </li>
      ))}
    </ul>
  );
}

/** Requests that were not signed as they should be: a wrong secret, or a clock that is off. */
function Refusals({ shop: { refused, last_refused_at: refusedAt, last_order_at: lastAt } }: { shop: Shop }) {
  if (refusedAt === null) return null;
  const many = refused === 1 ? 'One request was refused' : `${refused.toLocaleString('en-GB')} requests were refused`;
  // An order that came since shows that the shop signs well by now.
  const isOver = lastAt !== null && lastAt > refusedAt;
  return (
    <Text size="sm" component="div" {...(isOver ? { c: 'dimmed' } : { className: 'platen-note', mt: 6 })}>
      {many} for a wrong signature, the last <Ago at={refusedAt} />.{' '}
      {isOver
        ? 'Orders have come since.'
        : 'Check that the shop signs the exact body with the secret that you were shown, and that its clock is right. A lost secret can be replaced.'}
    </Text>
  );
}
