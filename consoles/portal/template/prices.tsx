import { Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { call } from '../../shared/api/client.ts';
import { Prices } from '../../shared/products/prices.tsx';
import { pricesOf, typedPricesOf } from '../../shared/products/retail-prices.ts';
import { Failure } from '../../shared/states/failure.tsx';
import { notifyOf } from '../../shared/states/notify.tsx';
import type { Draft, Template } from './model.ts';

/** What a personalised product costs and is sold for. Its retail prices count at once, as its name does. */
export function TemplatePrices({
  template,
  draft,
  mayChange,
  onChange,
}: {
  template: Template;
  draft: Draft;
  mayChange: boolean;
  onChange: (reply: Template) => void;
}) {
  const stored = typedPricesOf(template);
  const [typed, setTyped] = useState(stored);
  const [isSaving, setSaving] = useState(false);
  const [failure, setFailure] = useState<Error>();
  const skus = template.offered_skus;
  const isChanged = JSON.stringify(pricesOf(skus, typed)) !== JSON.stringify(pricesOf(skus, stored));
  const save = async (): Promise<void> => {
    setSaving(true);
    setFailure(undefined);
    try {
      const reply = await call('changeTemplateProduct', { path: { id: template.id }, body: pricesOf(skus, typed) });
      onChange(reply);
      setTyped(typedPricesOf(reply));
      notifyOf('Saved.');
    } catch (error) {
      setFailure(error instanceof Error ? error : new Error(String(error)));
    } finally {
      setSaving(false);
    }
  };
  return (
    <Prices
      product={{
        base_product_id: template.base_product.id,
        skus,
        areas: draft.areas.map(({ print_area, method }) => ({ print_area, method })),
        isPersonalised: true,
      }}
      retail={typed}
      isReadOnly={!mayChange}
      onPrice={(retailPrice) => setTyped((before) => ({ ...before, retailPrice }))}
      onVariantPrice={(sku, price) =>
        setTyped((before) => ({ ...before, retailPrices: { ...before.retailPrices, [sku]: price } }))
      }
    >
      {mayChange ? (
        <div className="platen-panel-body">
          {failure === undefined ? null : <Failure error={failure} />}
          <Group gap="sm">
            <Button
              loading={isSaving}
              loaderProps={{ type: 'dots' }}
              disabled={!isChanged || isSaving}
              onClick={() => void save()}
            >
              Save retail prices
            </Button>
            <Text size="sm" c="dimmed">
              They count at once, as the name and the colours do.
            </Text>
          </Group>
        </div>
      ) : null}
    </Prices>
  );
}
