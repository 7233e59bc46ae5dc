import { Button, Group, NativeSelect, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import type { Reply } from '../api/client.ts';
import { reading } from '../api/queries.ts';
import { Answer, Empty } from '../states/answer.tsx';
import { Failure } from '../states/failure.tsx';
import { Picture } from '../values/picture.tsx';
import { useSettled } from '../values/settled.ts';

/** A product of the account, as a search finds it. */
export type Product = Reply<'listGallery'>['data'][number];

/** A variant of a product, as an item of a shop or of a file is said to be it. */
export type ItemVariant = Reply<'listChannelItems'>['missing'][number]['suggestions'][number];

/** Takes the variant that was chosen, with what a person calls it. */
type OnChosen = (variant: ItemVariant, name: string) => Promise<void>;

const SHOWN = 6;
const SETTLE_MS = 300;

/** Chooses a variant of a product of the account: first the product, then its colour and size. */
export function Picker({ onChosen }: { onChosen: OnChosen }) {
  const [product, setProduct] = useState<Product>();
  return product === undefined ? (
    <ProductSearch verb="Choose" onChosen={setProduct} />
  ) : (
    <Variants product={product} onChosen={onChosen} onBack={() => setProduct(undefined)} />
  );
}

/** Searches the products of the account for one; `verb` says what is done with it. */
export function ProductSearch({ verb, onChosen }: { verb: string; onChosen: (product: Product) => void }) {
  const [text, setText] = useState('');
  const [cursor, setCursor] = useState<string>();
  const words = useSettled(text.trim(), SETTLE_MS);
  const q = words === '' ? undefined : words;
  const query = useQuery(reading('listGallery', { query: { status: 'active', q, cursor, limit: SHOWN } }));
  return (
    <>
      <TextInput
        label="Search your products"
        description="Words of the name or of the tags."
        type="search"
        autoComplete="off"
        data-autofocus
        value={text}
        onChange={({ currentTarget }) => {
          setText(currentTarget.value);
          setCursor(undefined);
        }}
        onKeyDown={(event) => {
          const first = query.data?.data[0];
          // Of an answer to other words, the first is not the one that is meant.
          if (event.key !== 'Enter' || first === undefined || query.isPlaceholderData || words !== text.trim()) return;
          event.preventDefault();
          onChosen(first);
        }}
      />
      <Answer query={query}>
        {({ data, next_cursor: next }) => (
          <>
            {data.length === 0 && next === null ? (
              <Empty title={q === undefined ? 'There is no product to choose yet.' : 'No product has these words.'} />
            ) : null}
            <div className="platen-lines" aria-busy={query.isPlaceholderData}>
              {data.map((product) => (
                <ProductRow
                  key={product.id}
                  className="platen-line platen-pick platen-words"
                  product={product}
                  verb={verb}
                  onChosen={onChosen}
                />
              ))}
            </div>
            {next === null ? null : (
              <Button variant="subtle" mt="sm" onClick={() => setCursor(next)}>
                Show more products
              </Button>
            )}
          </>
        )}
      </Answer>
    </>
  );
}

/** A product that can be chosen; `verb` says what is done with it. */
export function ProductRow({
  className,
  product,
  verb,
  onChosen,
}: {
  className: string;
  product: Product;
  verb: string;
  onChosen: (product: Product) => void;
}) {
  return (
    <div className={className}>
      <Picture url={product.thumbnail_url} alt={product.name} size={44} />
      <div className="platen-pick-text">
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
        aria-label={`${verb} ${product.name}`}
        onClick={() => onChosen(product)}
      >
        {verb}
      </Button>
    </div>
  );
}

function Variants({ product, onChosen, onBack }: { product: Product; onChosen: OnChosen; onBack: () => void }) {
  const base = useQuery(reading('getBaseProduct', { path: { id: product.base_product.id } }));
  const offered = new Set(product.variants.filter(({ active }) => active).map(({ blank_variant_sku: sku }) => sku));
  const [sku, setSku] = useState('');
  const isUnderWay = useRef(false);
  const [isSending, setSending] = useState(false);
  const [failure, setFailure] = useState<Error>();
  const send = async ({ sku: chosen, colour, size }: { sku: string; colour: string; size: string }): Promise<void> => {
    if (isUnderWay.current) return;
    isUnderWay.current = true;
    setSending(true);
    setFailure(undefined);
    try {
      const variant = { product_id: product.id, product_name: product.name, variant_sku: chosen };
      await onChosen(variant, `${product.name}, ${colour} / ${size}`);
    } catch (error) {
      setFailure(error instanceof Error ? error : new Error(String(error)));
      isUnderWay.current = false;
      setSending(false);
    }
  };
  return (
    <Answer query={base} lines={3}>
      {({ variants }) => (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            const chosen = variants.find((variant) => variant.sku === sku);
            if (chosen !== undefined) void send(chosen);
          }}
        >
          {failure === undefined ? null : <Failure error={failure} />}
          <Group gap="md" wrap="nowrap" align="flex-start">
            <Picture url={product.thumbnail_url} alt={product.name} size={88} />
            <div className="platen-pick-text platen-words">
              <Text fw={600} size="sm" mb="xs">
                {product.name}
              </Text>
              <NativeSelect
                label="Colour and size"
                required
                autoFocus
                withAsterisk={false}
                data={[
                  { value: '', label: 'Choose' },
                  ...variants
                    .filter((variant) => offered.has(variant.sku))
                    .map(({ sku: value, colour, size }) => ({ value, label: `${colour} / ${size}` })),
                ]}
                value={sku}
                onChange={({ currentTarget }) => setSku(currentTarget.value)}
              />
            </div>
          </Group>
          <Group gap="sm" mt="md">
            <Button type="submit" loading={isSending} loaderProps={{ type: 'dots' }}>
              It is this
            </Button>
            <Button variant="default" onClick={onBack}>
              Another product
            </Button>
          </Group>
        </form>
      )}
    </Answer>
  );
}
