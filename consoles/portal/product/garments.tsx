import { Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { call } from '../../shared/api/client.ts';
import { Page } from '../../shared/layout/page.tsx';
import { Empty } from '../../shared/states/answer.tsx';
import { Failure } from '../../shared/states/failure.tsx';
import { formatMoney } from '../../shared/values/money.tsx';
import { Picture } from '../../shared/values/picture.tsx';

const PAGE = 100;

/** The garments of the catalogue, to choose what a product is made on. */
export function Garments({ onChoose }: { onChoose: (id: string) => void }) {
  const query = useInfiniteQuery({
    queryKey: ['listGarments'],
    queryFn: ({ pageParam: cursor, signal }) =>
      call('listGarments', { query: { limit: PAGE, ...(cursor === null ? {} : { cursor }) } }, signal),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor: next }) => next,
  });
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = query;
  // A catalogue is short: all of it is loaded, a page after the other.
  useEffect(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage]);
  const garments = (query.data?.pages ?? []).flatMap(({ data }) => data);
  return (
    <Page title="New product">
      {query.error === null ? null : <Failure error={query.error} onRetry={() => void query.refetch()} />}
      <section className="platen-panel">
        <Text px="md" pt="sm" size="sm" c="dimmed">
          Choose the garment. Your artwork comes next.
        </Text>
        {query.data !== undefined && garments.length === 0 ? <Empty title="No garment is on offer." /> : null}
        <ul className="platen-gallery" aria-label="Garments">
          {garments.map(({ id, title, colours, sizes, price_from: price }) => (
            <li key={id} className="platen-card">
              <button type="button" className="platen-card-choice" onClick={() => onChoose(id)}>
                <span className="platen-card-picture">
                  <Picture url={colours[0]?.front_url ?? null} alt="" size={240} />
                </span>
                <span className="platen-card-body">
                  <span className="platen-card-name">{title}</span>
                  <span className="platen-card-line">
                    {colours.length} {colours.length === 1 ? 'colour' : 'colours'} · {spanOf(sizes)}
                  </span>
                  <span className="platen-swatches" aria-hidden="true">
                    {colours.slice(0, 12).map(({ colour, colour_hex: hex }) => (
                      <span key={colour} className="platen-swatch" style={{ background: hex }} />
                    ))}
                  </span>
                  <span className="platen-card-line platen-number">
                    {price === null ? '' : `blank from ${formatMoney(price, 'GBP')}`}
                  </span>
                </span>
              </button>
            </li>
          ))}
        </ul>
      </section>
    </Page>
  );
}

function spanOf(sizes: readonly string[]): string {
  const [first, last] = [sizes[0] ?? '', sizes.at(-1) ?? ''];
  return first === last ? first : `${first} to ${last}`;
}
