import { Button, Group, Text, TextInput } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../shared/api/client.ts';
import { Panel } from '../../shared/layout/panel.tsx';
import { Empty } from '../../shared/states/answer.tsx';
import { Failure } from '../../shared/states/failure.tsx';
import { Picture } from '../../shared/values/picture.tsx';
import type { Product } from './draft.ts';

const PAGE = 100;
const SHOWN = 8;

/** The products of the account to choose from, by name or SKU. */
export function Products({ onChoose }: { onChoose: (product: Product) => void }) {
  const [text, setText] = useState('');
  const query = useInfiniteQuery({
    queryKey: ['listProducts', 'choose'],
    queryFn: ({ pageParam: cursor, signal }) =>
      call('listProducts', { query: { limit: PAGE, ...(cursor === null ? {} : { cursor }) } }, signal),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor: next }) => next,
  });
  if (query.error !== null) return <Failure error={query.error} onRetry={() => void query.refetch()} />;
  const loaded = (query.data?.pages ?? []).flatMap(({ data }) => data).filter(({ status }) => status === 'active');
  const found = loaded.filter((product) => isLike(product, text));
  return (
    <Panel title="Add a product">
      <div className="platen-panel-body">
        <TextInput
          label="Search your products"
          type="search"
          autoComplete="off"
          value={text}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
          onKeyDown={(event) => {
            const first = found[0];
            if (event.key !== 'Enter' || first === undefined) return;
            event.preventDefault();
            onChoose(first);
            setText('');
          }}
        />
      </div>
      {query.data !== undefined && loaded.length === 0 ? (
        <Empty title="There is no product to order yet.">Make one by the API or an app of yours.</Empty>
      ) : null}
      <div className="platen-lines">
        {found.slice(0, SHOWN).map((product) => (
          <div key={product.id} className="platen-line">
            <Picture url={product.thumbnail_url} alt={product.name} size={44} />
            <div style={{ flex: 1, minWidth: 0 }}>
              <Text fw={600} size="sm">
                {product.name}
              </Text>
              <Text size="xs" c="dimmed">
                {product.base_product.title}
                {product.personalised ? ' · personalised' : ''}
              </Text>
            </div>
            <Button
              size="compact-sm"
              variant="default"
              aria-label={`Add ${product.name}`}
              onClick={() => onChoose(product)}
            >
              Add
            </Button>
          </div>
        ))}
      </div>
      <Group px="md" py="xs" gap="sm">
        {found.length > SHOWN ? (
          <Text size="sm" c="dimmed">
            {found.length - SHOWN} more: type a part of the name.
          </Text>
        ) : null}
        {query.hasNextPage ? (
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

function isLike({ name, base_product: base, variants, tags }: Product, text: string): boolean {
  const words = text.toLowerCase().split(/\s+/);
  const own = [name, base.title, ...tags, ...variants.map(({ blank_variant_sku: sku }) => sku)].join(' ').toLowerCase();
  return words.every((word) => own.includes(word));
}
