import { Button, Checkbox, Group, Text } from '@mantine/core';
import { Panel } from '../../shared/layout/panel.tsx';
import type { ChangeDraft } from './designer.tsx';
import type { Draft, Garment } from './draft.ts';

/** The colours and sizes that the product is offered in. */
export function Variants({
  garment,
  draft,
  problem,
  onChange,
}: {
  garment: Garment;
  draft: Draft;
  problem: string | undefined;
  onChange: ChangeDraft;
}) {
  const { colours, sizes, variants } = garment;
  const chosen = new Set(draft.skus);
  const set = (skus: readonly string[], isOn: boolean): void =>
    onChange((before) => {
      const next = new Set(before.skus);
      for (const sku of skus)
        if (isOn) next.add(sku);
        else next.delete(sku);
      // In the order of the garment, in which variants are listed everywhere.
      return { ...before, skus: variants.map(({ sku }) => sku).filter((sku) => next.has(sku)) };
    });
  const all = variants.map(({ sku }) => sku);
  return (
    <Panel
      title="Colours and sizes"
      aside={
        <Group gap="xs">
          <Text size="sm" c="dimmed">
            {chosen.size} of {all.length}
          </Text>
          <Button size="compact-sm" variant="subtle" onClick={() => set(all, chosen.size < all.length)}>
            {chosen.size < all.length ? 'Choose all' : 'Choose none'}
          </Button>
        </Group>
      }
    >
      <div className="platen-grid-frame platen-panel-body">
        {problem === undefined ? null : (
          <Text size="sm" c="var(--mantine-color-error)" role="alert">
            {problem}
          </Text>
        )}
        <table className="platen-grid">
          <caption className="platen-unseen">Colours and sizes on offer</caption>
          <thead>
            <tr>
              <td />
              {sizes.map((size) => (
                <th key={size} scope="col">
                  {size}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {colours.map(({ colour, colour_hex: hex }) => {
              const ofColour = variants.filter((variant) => variant.colour === colour);
              const on = ofColour.filter(({ sku }) => chosen.has(sku));
              return (
                <tr key={colour}>
                  <th scope="row">
                    <Group gap="xs" wrap="nowrap">
                      <Checkbox
                        size="xs"
                        aria-label={`${colour}, all sizes`}
                        checked={on.length === ofColour.length}
                        indeterminate={on.length > 0 && on.length < ofColour.length}
                        onChange={({ currentTarget }) =>
                          set(
                            ofColour.map(({ sku }) => sku),
                            currentTarget.checked,
                          )
                        }
                      />
                      <span className="platen-swatch" style={{ background: hex }} aria-hidden="true" />
                      {colour}
                    </Group>
                  </th>
                  {sizes.map((size) => {
                    const variant = ofColour.find((one) => one.size === size);
                    if (variant === undefined) return <td key={size} />;
                    const { sku, available } = variant;
                    return (
                      <td key={size} className="platen-offered" data-out={available === 0 ? '' : undefined}>
                        <Checkbox
                          size="xs"
                          aria-label={`${colour} ${size}${available === 0 ? ', out of stock' : ''}`}
                          checked={chosen.has(sku)}
                          onChange={({ currentTarget }) => set([sku], currentTarget.checked)}
                        />
                        {available === 0 ? <span aria-hidden="true">out</span> : null}
                      </td>
                    );
                  })}
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
    </Panel>
  );
}
