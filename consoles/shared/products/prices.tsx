import { NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { Input, Reply } from '../api/client.ts';
import { reading } from '../api/queries.ts';
import { Panel } from '../layout/panel.tsx';
import { Failure } from '../states/failure.tsx';
import { formatMoney, Money } from '../values/money.tsx';
import { useSettled } from '../values/settled.ts';
import { wordsOf } from '../values/words.ts';
import { pricesOf, type RetailPrices } from './retail-prices.ts';

type ProductPrices = Reply<'priceProduct'>;
type Priced = ProductPrices['variants'][number];

type Pieces = NonNullable<Input<'priceProduct'>['body']['personalised']>;

/** A product as far as its price goes. */
export type PricedProduct = Pick<Input<'priceProduct'>['body'], 'base_product_id' | 'areas'> & {
  readonly skus: readonly string[];
  readonly isPersonalised: boolean;
};

const SETTLE_MS = 500;
const PIECES: readonly { readonly value: Pieces; readonly label: string }[] = [
  { value: 'each_its_own', label: 'Each has values of its own' },
  { value: 'alike', label: 'All have the same values' },
];

/** What a person types: the price of the product, or of one variant. */
type OnPrice = {
  readonly onPrice: (typed: string) => void;
  readonly onVariantPrice: (sku: string, typed: string) => void;
};

/** What a piece costs by quantity, what it is sold for, and what is left of that: all of it the service's figures. */
export function Prices({
  product,
  retail,
  isReadOnly = false,
  children,
  onPrice,
  onVariantPrice,
}: OnPrice & {
  product: PricedProduct;
  retail: RetailPrices;
  /** Whether the person may not change what it is sold for. */
  isReadOnly?: boolean;
  /** What stands below the prices. */
  children?: ReactNode;
}) {
  const [quantity, setQuantity] = useState('1');
  const [personalised, setPersonalised] = useState<Pieces>('each_its_own');
  const { skus, isPersonalised } = product;
  const pieces = Number(quantity);
  const body: Input<'priceProduct'>['body'] = {
    base_product_id: product.base_product_id,
    variant_skus: [...skus],
    areas: product.areas,
    quantity: Number.isInteger(pieces) ? pieces : 0,
    ...(isPersonalised ? { personalised } : {}),
    ...pricesOf(skus, retail),
  };
  const wanted = skus.length === 0 ? '' : JSON.stringify(body);
  const asked = useSettled(wanted, SETTLE_MS);
  const query = useQuery({
    ...reading('priceProduct', { body: asked === '' ? body : (JSON.parse(asked) as typeof body) }),
    enabled: asked !== '',
    retry: false,
  });
  const prices = asked === '' ? undefined : query.data;
  const isBehind = asked !== wanted || query.fetchStatus !== 'idle';
  return (
    <Panel title="Prices">
      <div className="platen-panel-body platen-fields">
        <TextInput
          label="Retail price, GBP"
          description="What you sell a piece for. It changes nothing that you are charged."
          inputMode="decimal"
          autoComplete="off"
          readOnly={isReadOnly}
          value={retail.retailPrice}
          onChange={({ currentTarget: { value } }) => onPrice(value)}
        />
        <TextInput
          label="Pieces of an order"
          description="Unit prices and margins below are for so many."
          inputMode="numeric"
          autoComplete="off"
          value={quantity}
          onChange={({ currentTarget }) => setQuantity(currentTarget.value)}
        />
        {isPersonalised ? (
          <NativeSelect
            label="These pieces"
            description="A print costs less only with more pieces that have the same values."
            data={[...PIECES]}
            value={personalised}
            onChange={({ currentTarget: { value } }) => setPersonalised(value === 'alike' ? 'alike' : 'each_its_own')}
          />
        ) : null}
      </div>
      {query.error === null || asked === '' ? null : (
        <div className="platen-panel-body">
          <Failure error={query.error} />
        </div>
      )}
      {prices === undefined ? null : (
        <Stack gap={0} className={isBehind ? 'platen-behind' : ''} aria-busy={isBehind}>
          <Breaks prices={prices} />
          <Margins prices={prices} retail={retail} isReadOnly={isReadOnly} onVariantPrice={onVariantPrice} />
        </Stack>
      )}
      {children}
    </Panel>
  );
}

function Breaks({ prices: { breaks, setups, currency } }: { prices: ProductPrices }) {
  return (
    <div className="platen-panel-body">
      <div className="platen-grid-frame">
        <table className="platen-small-table">
          <caption>Unit price with all prints, net of VAT, by pieces of an order</caption>
          <thead>
            <tr>
              {breaks.map(({ from_quantity: from }) => (
                <th key={from} scope="col">
                  from {from}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            <tr>
              {breaks.map(({ from_quantity: from, unit_price_min: low, unit_price_max: high }) => (
                <td key={from} className="platen-number">
                  {low === high
                    ? formatMoney(low, currency)
                    : `${formatMoney(low, currency)} – ${formatMoney(high, currency)}`}
                </td>
              ))}
            </tr>
          </tbody>
        </table>
      </div>
      {setups.map(({ method, price }) => (
        <Text key={method} size="sm" c="dimmed" mt="xs">
          For {wordsOf(method)} {formatMoney(price, currency)} once for each design.
        </Text>
      ))}
    </div>
  );
}

/** One row for the variants of a size and a price; a price of its own is typed for each size of a colour. */
function Margins({
  prices,
  retail,
  isReadOnly,
  onVariantPrice,
}: Pick<OnPrice, 'onVariantPrice'> & { prices: ProductPrices; retail: RetailPrices; isReadOnly: boolean }) {
  const { variants, currency } = prices;
  return (
    <details className="platen-panel-body">
      <summary>Retail price and margin by variant</summary>
      <div className="platen-table-frame platen-scrolled">
        <table className="platen-table">
          <caption className="platen-unseen">Retail price and margin by variant</caption>
          <thead>
            <tr>
              <th scope="col">Variant</th>
              <th scope="col" className="platen-number-column platen-minor">
                In stock
              </th>
              <th scope="col" className="platen-number-column">
                Unit price
              </th>
              <th scope="col">Retail price</th>
              <th scope="col" className="platen-number-column">
                Margin
              </th>
            </tr>
          </thead>
          <tbody>
            {variants.map((variant) => (
              <tr key={variant.sku}>
                <td>
                  {variant.colour} {variant.size}
                </td>
                <td className="platen-number-column platen-minor">
                  {variant.available === 0 ? (
                    <span className="platen-status" data-tone="bad">
                      out of stock
                    </span>
                  ) : (
                    variant.available
                  )}
                </td>
                <td className="platen-number-column">
                  <Money amount={variant.unit_price} currency={currency} />
                </td>
                <td>
                  <TextInput
                    size="xs"
                    aria-label={`Retail price of ${variant.colour} ${variant.size}`}
                    placeholder={retail.retailPrice}
                    inputMode="decimal"
                    autoComplete="off"
                    readOnly={isReadOnly}
                    value={retail.retailPrices[variant.sku] ?? ''}
                    onChange={({ currentTarget: { value } }) => onVariantPrice(variant.sku, value)}
                  />
                </td>
                <td className="platen-number-column">
                  <Margin priced={variant} currency={currency} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <Text size="xs" c="dimmed" mt="xs">
        The margin is the retail price less the unit price. Delivery, setups, VAT, and what a shop charges are not in
        it.
      </Text>
    </details>
  );
}

function Margin({ priced: { margin, margin_percent: percent }, currency }: { priced: Priced; currency: string }) {
  if (margin === null) return <span>–</span>;
  return (
    <span className="platen-number" data-loss={margin < 0 ? '' : undefined}>
      {formatMoney(margin, currency)}
      {percent === null ? '' : ` (${percent} %)`}
    </span>
  );
}
