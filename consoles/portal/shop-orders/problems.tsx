import { Link } from 'wouter';
import type { ShopOrder } from '../../shared/shops/words.tsx';
import { wordsOf } from '../../shared/values/words.ts';

/** What is wrong with an order of a shop, and where that is put right. */
export function Problems({ order: { state, reason, problems, items, channel, order } }: { order: ShopOrder }) {
  const missing = reason === 'needs_mapping' ? items.filter((item) => item.state === 'missing') : [];
  const isUnpaid = state === 'placed' && order?.is_unpaid === true;
  if (missing.length === 0 && problems.length === 0 && !isUnpaid) return null;
  return (
    <ul className="platen-problems">
      {missing.map(({ id, title }) => (
        <li key={id}>
          {title}:{' '}
          <Link href={`/shops/${channel.id}`} className="platen-link">
            say what it is
          </Link>
        </li>
      ))}
      {problems.map(({ path, message }) => (
        <li key={`${path} ${message}`}>{path === '' ? message : `${placeOf(path, items)}: ${message}`}</li>
      ))}
      {isUnpaid ? (
        <li>
          The balance does not cover it:{' '}
          <Link href="/money" className="platen-link">
            top it up
          </Link>
        </li>
      ) : null}
    </ul>
  );
}

/** A member of what the shop sent, as a person calls it: the item by its title. */
function placeOf(path: string, items: ShopOrder['items']): string {
  const { at, rest = '' } = /^items\[(?<at>\d+)\](?<rest>.*)$/.exec(path)?.groups ?? {};
  const named = at === undefined ? path.replace(/^shipping_address\./, '') : `${items[Number(at)]?.title ?? ''}${rest}`;
  return at === undefined ? wordsOf(named) : named;
}
