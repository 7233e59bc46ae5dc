import { Button, Group, Text, TextInput } from '@mantine/core';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Link } from 'wouter';
import { call } from '../../shared/api/client.ts';
import { Panel } from '../../shared/layout/panel.tsx';
import { useIsDesigner } from '../../shared/products/actions.tsx';
import { ProductRow } from '../../shared/products/picker.tsx';
import { Empty } from '../../shared/states/answer.tsx';
import { Failure } from '../../shared/states/failure.tsx';
import { useSettled } from '../../shared/values/settled.ts';
import type { Product } from './draft.ts';

const PAGE = 24;
const SHOWN = 8;
const SETTLE_MS = 250;
/** Pages that are asked for by themselves: the service looks at hundreds of products for each. */
const LOOKS_MAX = 10;

/** The products of the account to choose from, by name or SKU. */
export function Products({ onChoose }: { onChoose: (product: Product) => void }) {
  const [text, setText] = useState('');
  const typed = text.trim();
  const { query, found, isBehind } = useFound(useSettled(typed, SETTLE_MS), typed);
  // Enter that comes before its answer chooses once that is there.
  const [isChoosing, setChoosing] = useState(false);
  const [first] = found;
  useEffect(() => {
    if (!isChoosing || isBehind) return;
    setChoosing(false);
    if (first === undefined) return;
    onChoose(first);
    setText('');
  }, [isChoosing, isBehind, first, onChoose]);
  const isDesigner = useIsDesigner();
  if (query.error !== null) return <Failure error={query.error} onRetry={() => void query.refetch()} />;
  const isEnd = query.data !== undefined && !isBehind && !query.hasNextPage;
  return (
    <Panel title="Add a product">
      <div className="platen-panel-body">
        <TextInput
          label="Search your products"
          description="By name or SKU"
          type="search"
          autoComplete="off"
          value={text}
          onChange={({ currentTarget }) => {
            setChoosing(false);
            setText(currentTarget.value);
          }}
          onKeyDown={(event) => {
            if (event.key !== 'Enter') return;
            event.preventDefault();
            setChoosing(true);
          }}
        />
      </div>
      {isEnd && found.length === 0 && typed === '' ? (
        <Empty title="There is no product to order yet.">
          {isDesigner ? (
            <Link href="/products/new" className="platen-link">
              Make a product
            </Link>
          ) : (
            'An owner or a manager makes products.'
          )}
        </Empty>
      ) : null}
      <div aria-live="polite">
        {isEnd && found.length === 0 && typed !== '' ? (
          <Text size="sm" px="md">
            No product is like this.
          </Text>
        ) : null}
      </div>
      <div className="platen-lines" aria-busy={isBehind}>
        {found.slice(0, SHOWN).map((product) => (
          <ProductRow key={product.id} className="platen-line" product={product} verb="Add" onChosen={onChoose} />
        ))}
      </div>
      <Group px="md" py="xs" gap="sm">
        {found.length > SHOWN ? (
          <Text size="sm" c="dimmed">
            There are more: type a part of the name, or a SKU.
          </Text>
        ) : null}
        {found.length <= SHOWN && query.hasNextPage && !isBehind ? (
          <Button
            size="compact-sm"
            variant="subtle"
            loading={query.isFetchingNextPage}
            onClick={() => void query.fetchNextPage()}
          >
            Search among more products
          </Button>
        ) : null}
      </Group>
    </Panel>
  );
}

/** The products that are like a text, by the service: as many as are shown, if there are, and one more. */
function useFound(asked: string, typed: string) {
  const query = useInfiniteQuery({
    queryKey: ['listGallery', 'choose', asked],
    queryFn: ({ pageParam: cursor, signal }) =>
      call(
        'listGallery',
        {
          query: {
            status: 'active',
            limit: PAGE,
            ...(asked === '' ? {} : { q: asked }),
            ...(cursor === null ? {} : { cursor }),
          },
        },
        signal,
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor: next }) => next,
    placeholderData: keepPreviousData,
  });
  const { data, hasNextPage, isFetching, isPlaceholderData, fetchNextPage } = query;
  const pages = data?.pages ?? [];
  const found = pages.flatMap((page) => page.data);
  const looksOn = found.length <= SHOWN && hasNextPage && pages.length < LOOKS_MAX && !isPlaceholderData;
  useEffect(() => {
    if (looksOn && !isFetching) void fetchNextPage();
  }, [looksOn, isFetching, fetchNextPage]);
  // What is found first is there as soon as its page is.
  const isBehind = asked !== typed || isPlaceholderData || data === undefined || (found.length === 0 && looksOn);
  return { query, found, isBehind };
}
