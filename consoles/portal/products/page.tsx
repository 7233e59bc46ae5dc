import { Button, Group, Menu, Text, TextInput } from '@mantine/core';
import { IconDots } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { download, type Input, type Reply } from '../../shared/api/client.ts';
import { reading } from '../../shared/api/queries.ts';
import { useCommands } from '../../shared/commands/registry.ts';
import { Confirm } from '../../shared/dialog/confirm.tsx';
import { Page } from '../../shared/layout/page.tsx';
import { type ProductAction, useIsDesigner, useProductActions } from '../../shared/products/actions.tsx';
import { ProductStatus } from '../../shared/products/status.tsx';
import { useSession } from '../../shared/session/session.tsx';
import { Answer, Empty } from '../../shared/states/answer.tsx';
import { useAddressState } from '../../shared/table/address.ts';
import { SaveCsv } from '../../shared/table/save-csv.tsx';
import { Views } from '../../shared/table/views.tsx';
import { formatMoney } from '../../shared/values/money.tsx';
import { Picture } from '../../shared/values/picture.tsx';
import { useSettled } from '../../shared/values/settled.ts';

type Filters = NonNullable<Input<'listGallery'>['query']>;
type Product = Reply<'listGallery'>['data'][number];

const STATUSES = [undefined, 'active', 'draft', 'archived'] as const;
const LABELS = { all: 'All', active: 'Active', draft: 'Drafts', archived: 'Archived' } as const;
const KINDS = [undefined, 'fixed', 'personalised'] as const;
const KIND_LABELS = { all: 'Every kind', fixed: 'With designs', personalised: 'Personalised' } as const;
const SETTLE_MS = 300;
const SHOWN = 24;

/** The products of the account as pictures, newest first, narrowed by what stands in the address. */
export function ProductsPage() {
  const { get, set } = useAddressState();
  const [, navigate] = useLocation();
  const isDesigner = useIsDesigner();
  const { actionsOf, question, close } = useProductActions();
  const filters = {
    status: get('status') as Filters['status'],
    kind: get('kind') as Filters['kind'],
    q: get('q'),
  };
  const query = useQuery(reading('listGallery', { query: { ...filters, cursor: get('cursor'), limit: SHOWN } }));
  const isNarrowed = filters.status !== undefined || filters.kind !== undefined || filters.q !== undefined;
  const clear = (): void => set({ status: undefined, kind: undefined, q: undefined });
  useCommands([
    ...(isDesigner
      ? [{ id: 'new', label: 'Make a product', group: 'Products', keys: 'a', run: () => navigate('/products/new') }]
      : []),
    ...STATUSES.map((status) => ({
      id: `status-${status ?? 'all'}`,
      label: status === undefined ? 'Products of every status' : `Only products: ${LABELS[status].toLowerCase()}`,
      group: 'Products',
      run: () => set({ status }),
    })),
    { id: 'clear', label: 'Show all products', group: 'Products', run: clear },
    { id: 'refresh', label: 'Look again', group: 'Products', keys: 'r', run: () => void query.refetch() },
  ]);
  return (
    <Page title="Products">
      <section className="platen-panel">
        <Group px="md" py="xs" justify="space-between" gap="sm">
          <Tabs label="Status" of={STATUSES} labels={LABELS} chosen={filters.status} name="status" />
          <Tabs label="Kind" of={KINDS} labels={KIND_LABELS} chosen={filters.kind} name="kind" />
          <Words words={filters.q ?? ''} onChange={(q) => set({ q })} />
          <SaveCsv
            group="Products"
            save={() => download('listGallery', { query: filters }, { mediaType: 'text/csv', name: 'products.csv' })}
          />
          <Views page="products" />
          {isDesigner ? (
            <Button component={Link} href="/products/new">
              Make a product
            </Button>
          ) : null}
        </Group>
        <Answer query={query} lines={8}>
          {({ data, next_cursor: nextCursor }) => (
            <>
              {data.length === 0 ? (
                <Empty title={isNarrowed ? 'No product here is like this.' : 'There are no products yet.'}>
                  {isNarrowed ? (
                    <Button variant="subtle" onClick={clear}>
                      Show all products
                    </Button>
                  ) : (
                    'A product is a garment with your artwork on it. Making one is free.'
                  )}
                </Empty>
              ) : (
                <ul className="platen-gallery" aria-label="Products" aria-busy={query.isPlaceholderData}>
                  {data.map((product) => (
                    <Card key={product.id} product={product} actions={actionsOf(product)} />
                  ))}
                </ul>
              )}
              <Pages isFirst={get('cursor') === undefined} next={nextCursor} onGo={(cursor) => set({ cursor })} />
            </>
          )}
        </Answer>
      </section>
      <Confirm question={question} onClose={close}>
        <Text size="sm">
          It leaves the list and can no longer be changed or ordered. Placed orders keep it. This cannot be undone, but
          a copy can be made of it.
        </Text>
      </Confirm>
    </Page>
  );
}

function Card({ product, actions }: { product: Product; actions: readonly ProductAction[] }) {
  const { id, name, status, base_product: base, price_from: price, personalised } = product;
  const mayOrder = useSession().session.user.role !== 'reader' && status !== 'archived';
  const picture = product.mockups[0]?.mockup_url ?? product.mockup_url ?? product.thumbnail_url;
  const colours = product.mockups.slice(0, 8);
  return (
    <li className="platen-card">
      <Link href={`/products/${id}`} tabIndex={-1} aria-hidden="true" className="platen-card-picture">
        <Picture url={picture} alt="" size={240} />
      </Link>
      <div className="platen-card-body">
        <Link href={`/products/${id}`} className="platen-link platen-card-name">
          {name}
        </Link>
        <Text size="xs" c="dimmed">
          {base.title}
          {personalised ? ' · personalised' : ''}
        </Text>
        <Group gap={4} mt={4} aria-hidden="true">
          {colours.map(({ colour, colour_hex: hex }) => (
            <span key={colour} className="platen-swatch" title={colour} style={{ background: hex }} />
          ))}
        </Group>
        <Group justify="space-between" mt="xs" gap="xs">
          <ProductStatus status={status} />
          <Text size="sm" className="platen-number">
            {price === null ? '' : `from ${formatMoney(price, 'GBP')}`}
          </Text>
        </Group>
        <Group mt="xs" gap="xs" justify="space-between">
          {mayOrder ? (
            <Button
              component={Link}
              href={`/new-order?product=${id}`}
              size="compact-sm"
              variant="default"
              aria-label={`Order this: ${name}`}
            >
              Order this
            </Button>
          ) : (
            <span />
          )}
          {actions.length === 0 ? null : <More name={name} actions={actions} />}
        </Group>
      </div>
    </li>
  );
}

function More({ name, actions }: { name: string; actions: readonly ProductAction[] }) {
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <Button size="compact-sm" variant="subtle" aria-label={`More for ${name}`}>
          <IconDots size={16} aria-hidden />
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {actions.map(({ id, label, run }) => (
          <Menu.Item key={id} onClick={run}>
            {label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

function Tabs<Value extends string>({
  label,
  of,
  labels,
  chosen,
  name,
}: {
  label: string;
  of: readonly (Value | undefined)[];
  labels: Readonly<Record<Value | 'all', string>>;
  chosen: string | undefined;
  name: string;
}) {
  const { set } = useAddressState();
  return (
    <fieldset className="platen-picks">
      <legend className="platen-unseen">{label}</legend>
      {of.map((value) => (
        <button
          key={value ?? 'all'}
          type="button"
          aria-pressed={value === chosen}
          onClick={() => set({ [name]: value })}
        >
          {labels[value ?? 'all']}
        </button>
      ))}
    </fieldset>
  );
}

/** What is searched for; the address follows once nothing was typed for a moment, and is followed when it changes. */
function Words({ words, onChange }: { words: string; onChange: (words: string | undefined) => void }) {
  const [typed, setTyped] = useState(words);
  const settled = useSettled(typed, SETTLE_MS).trim();
  const known = useRef(words);
  useEffect(() => {
    if (words === known.current) return;
    known.current = words;
    setTyped(words);
  }, [words]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only what was typed moves the address
  useEffect(() => {
    if (settled === known.current) return;
    known.current = settled;
    onChange(settled === '' ? undefined : settled);
  }, [settled]);
  return (
    <TextInput
      type="search"
      className="platen-search-words"
      aria-label="Search by name, tag, garment or SKU"
      placeholder="Name, tag, garment or SKU"
      maxLength={100}
      value={typed}
      onChange={({ currentTarget }) => setTyped(currentTarget.value)}
    />
  );
}

function Pages({
  isFirst,
  next,
  onGo,
}: {
  isFirst: boolean;
  next: string | null;
  onGo: (cursor: string | undefined) => void;
}) {
  if (isFirst && next === null) return null;
  return (
    <Group className="platen-pages" component="nav" aria-label="Pages" gap="sm" justify="flex-end">
      <Button variant="default" disabled={isFirst} onClick={() => onGo(undefined)}>
        First page
      </Button>
      <Button variant="default" disabled={next === null} onClick={() => onGo(next ?? undefined)}>
        Next page
      </Button>
    </Group>
  );
}
