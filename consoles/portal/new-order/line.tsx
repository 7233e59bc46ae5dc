import { Button, Checkbox, Group, NativeSelect, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import type { Reply } from '../../shared/api/client.ts';
import { reading } from '../../shared/api/queries.ts';
import { ArtworkField } from '../../shared/artwork/artwork-field.tsx';
import { Panel } from '../../shared/layout/panel.tsx';
import { Answer } from '../../shared/states/answer.tsx';
import { Picture } from '../../shared/values/picture.tsx';
import { wordsOf } from '../../shared/values/words.ts';
import { type Artwork, areasOf, type DraftLine, keptArea, lostAreas, withoutArea } from './draft.ts';

// Most products have nothing to fill in.
const Personalisation = lazy(async () => ({ default: (await import('./personalisation.tsx')).Personalisation }));

/** The service's words about a variant of a line, or about a member of its artwork. */
export type LineProblems = {
  readonly ofSku: (sku: string) => string | undefined;
  readonly ofArea: (area: string) => string | undefined;
  /** About an input of a personalised piece, by its key. */
  readonly ofInput: (key: string) => string | undefined;
  /** About what is none of these inputs. */
  readonly ofInputs: (keys: readonly string[]) => string | undefined;
};

/**
 * Changes a line from what it is by then: an upload ends long after its file was chosen, and what was typed
 * meanwhile has to stay.
 */
export type ChangeLine = (update: (before: DraftLine) => DraftLine) => void;

const ARTWORK_LABELS: Readonly<Record<Artwork, string>> = {
  stored: 'The designs of the product',
  own: 'Other artwork, for this order',
  none: 'Nothing: blank pieces',
};

/** A chosen product: how many pieces of each colour and size, and what is printed on them. */
export function Line({
  line,
  problems,
  onChange,
  onRemove,
}: {
  line: DraftLine;
  problems: LineProblems;
  onChange: ChangeLine;
  onRemove: () => void;
}) {
  const { product, before } = line;
  return (
    <Panel
      title={before === undefined || before.name === '' ? product.name : before.name}
      aside={
        <Button size="compact-sm" variant="subtle" aria-label={`Remove ${product.name}`} onClick={onRemove}>
          Remove
        </Button>
      }
    >
      <div className="platen-line">
        <Picture url={product.thumbnail_url} alt={product.name} size={88} />
        <div style={{ flex: 1, minWidth: 0 }}>
          <Grid line={line} problems={problems} onChange={onChange} />
        </div>
      </div>
      {before === undefined || before.notes.length === 0 ? null : (
        <div className="platen-panel-body">
          {before.notes.map((note) => (
            <p key={note} className="platen-note" role="note">
              {note}
            </p>
          ))}
        </div>
      )}
      <div className="platen-panel-body platen-fields">
        {product.personalised ? (
          <Suspense fallback={null}>
            <Personalisation line={line} problems={problems} onChange={onChange} />
          </Suspense>
        ) : (
          <ArtworkOf line={line} problems={problems} onChange={onChange} />
        )}
      </div>
    </Panel>
  );
}

type Blank = Reply<'getBaseProduct'>['variants'][number];

function Grid({ line, problems, onChange }: { line: DraftLine; problems: LineProblems; onChange: ChangeLine }) {
  const base = useQuery(reading('getBaseProduct', { path: { id: line.product.base_product.id } }));
  const offered = new Map(line.product.variants.map((variant) => [variant.blank_variant_sku, variant]));
  return (
    <Answer query={base} lines={3}>
      {({ variants }) => {
        const shown = variants.filter(({ sku }) => offered.has(sku));
        const sizes = [...new Set(shown.map(({ size }) => size))];
        const colours = [...new Set(shown.map(({ colour }) => colour))];
        const at = (colour: string, size: string): Blank | undefined =>
          shown.find((variant) => variant.colour === colour && variant.size === size);
        return (
          <div className="platen-grid-frame">
            <table className="platen-grid">
              <caption className="platen-unseen">Pieces of {line.product.name}</caption>
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
                {colours.map((colour) => (
                  <tr key={colour}>
                    <th scope="row">{colour}</th>
                    {sizes.map((size) => (
                      <td key={size}>
                        <Cell
                          blank={at(colour, size)}
                          isOffered={offered.get(at(colour, size)?.sku ?? '')?.active === true}
                          line={line}
                          problems={problems}
                          onChange={onChange}
                        />
                      </td>
                    ))}
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        );
      }}
    </Answer>
  );
}

function Cell({
  blank,
  isOffered,
  line,
  problems,
  onChange,
}: {
  blank: Blank | undefined;
  isOffered: boolean;
  line: DraftLine;
  problems: LineProblems;
  onChange: ChangeLine;
}) {
  if (blank === undefined) return null;
  const { sku, colour, size } = blank;
  return (
    <TextInput
      size="xs"
      aria-label={`${colour} ${size}, pieces`}
      title={sku}
      inputMode="numeric"
      autoComplete="off"
      disabled={!isOffered}
      value={line.quantities[sku] ?? ''}
      error={problems.ofSku(sku)}
      onChange={({ currentTarget: { value } }) =>
        onChange((before) => ({ ...before, quantities: { ...before.quantities, [sku]: value } }))
      }
    />
  );
}

function ArtworkOf({ line, problems, onChange }: { line: DraftLine; problems: LineProblems; onChange: ChangeLine }) {
  const { artwork } = line;
  const areas = areasOf(line);
  if (areas.length === 0) {
    return (
      <Text size="sm" c="dimmed" className="platen-wide">
        The product has no print area: its pieces are blank.
      </Text>
    );
  }
  return (
    <>
      <NativeSelect
        label="What is printed"
        className="platen-wide"
        data={Object.entries(ARTWORK_LABELS)
          .filter(([value]) => value !== 'stored' || line.product.print_areas.length > 0)
          .map(([value, label]) => ({ value, label }))}
        value={artwork}
        onChange={({ currentTarget: { value } }) => onChange((before) => ({ ...before, artwork: value as Artwork }))}
      />
      {artwork === 'stored' ? (
        <Group gap="md" className="platen-wide" role="group" aria-label="Print areas">
          {areas.map(({ print_area: area, method }) => (
            <Checkbox
              key={area}
              label={`${wordsOf(area)}, ${wordsOf(method)}`}
              checked={!line.leftOut.includes(area)}
              onChange={({ currentTarget: { checked } }) =>
                onChange((before) => ({ ...before, leftOut: toggled(before.leftOut, area, checked) }))
              }
            />
          ))}
        </Group>
      ) : null}
      {artwork === 'own'
        ? areas.map(({ print_area: area, method }) => (
            <OwnArtwork key={area} line={line} area={area} method={method} problems={problems} onChange={onChange} />
          ))
        : null}
    </>
  );
}

/** Where the artwork of an area is given; that of an earlier order is kept, and shown. */
function OwnArtwork({
  line,
  area,
  method,
  problems,
  onChange,
}: {
  line: DraftLine;
  area: string;
  method: string;
  problems: LineProblems;
  onChange: ChangeLine;
}) {
  const kept = keptArea(line, area);
  const label = `Artwork of the ${wordsOf(area)}, by ${wordsOf(method)}`;
  return (
    <div className="platen-wide">
      <ArtworkField
        label={label}
        url={line.urls[area] ?? ''}
        problem={problems.ofArea(area)}
        onChange={(url) => onChange((before) => ({ ...before, urls: { ...before.urls, [area]: url } }))}
      />
      {lostAreas(line).includes(area) ? (
        <Button
          size="compact-sm"
          variant="subtle"
          mt={6}
          onClick={() => onChange((before) => withoutArea(before, area))}
        >
          Print nothing on the {wordsOf(area)}
        </Button>
      ) : null}
      {kept === undefined ? null : (
        <Group gap="xs" mt={6} wrap="nowrap">
          <Picture url={kept.picture_url} alt={label} size={44} />
          <Text size="xs" c="dimmed">
            The stored file of that order, printed where it was. Another address takes its place, in the middle.
          </Text>
        </Group>
      )}
    </div>
  );
}

function toggled(leftOut: readonly string[], area: string, isPrinted: boolean): readonly string[] {
  return isPrinted ? leftOut.filter((other) => other !== area) : [...leftOut, area];
}
