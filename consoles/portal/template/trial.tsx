import { Button, Group, NativeSelect, Text } from '@mantine/core';
import { useState } from 'react';
import { call, type Reply } from '../../shared/api/client.ts';
import { Refused } from '../../shared/api/failures.ts';
import { Panel } from '../../shared/layout/panel.tsx';
import { type Fillable, type Inputs, LayerField } from '../../shared/personalisation/layer-field.tsx';
import { ProofFigure } from '../../shared/personalisation/proof-figure.tsx';
import { Failure } from '../../shared/states/failure.tsx';
import { type Draft, type Layer, longestText, placeOf, SAMPLES, WITHOUT_FONT } from './model.ts';

type Proof = Reply<'tryTemplate'>;

/** Fills the draft in as a buyer would, and shows what production would print. */
export function Trial({
  id,
  draft,
  printArea,
  sku,
  pictures,
  save,
}: {
  id: string;
  draft: Draft;
  /** The one that is shown. */
  printArea: string;
  /** The variant whose colour lies below. */
  sku: string | undefined;
  pictures: ReadonlyMap<string, string>;
  /** Stores what is not stored yet: the stored draft is tried. */
  save: () => Promise<unknown>;
}) {
  const [inputs, setInputs] = useState<Inputs>({});
  const [proof, setProof] = useState<{ shown: Proof; of: Draft; inputs: Inputs }>();
  const [failure, setFailure] = useState<Error>();
  const [isAsking, setAsking] = useState(false);
  const refused = failure instanceof Refused ? failure : undefined;
  const problemAt = (key: string): string | undefined =>
    refused?.problem.errors.find(({ path }) => path === `inputs.${key}` || path.startsWith(`inputs.${key}[`))?.message;
  const set = (key: string, update: (value: string) => string): void =>
    setInputs((before) => ({ ...before, [key]: update(before[key] ?? '') }));
  const fill = (textOf: (layer: Layer & { type: 'text' }) => string): void => {
    const texts = draft.layers.flatMap((layer) => (layer.type === 'text' ? [[layer.id, textOf(layer)] as const] : []));
    setInputs((before) => ({ ...before, ...Object.fromEntries(texts) }));
  };
  const show = async (): Promise<void> => {
    setAsking(true);
    setFailure(undefined);
    try {
      await save();
      const body = { inputs: inputsOf(draft, inputs), print_area: printArea, ...(sku && { variant_sku: sku }) };
      setProof({ shown: await call('tryTemplate', { path: { id }, body }), of: draft, inputs });
    } catch (error) {
      setFailure(error instanceof Error ? error : new Error(String(error)));
    } finally {
      setAsking(false);
    }
  };
  const isBehind = proof !== undefined && (proof.of !== draft || proof.inputs !== inputs);
  const others = refused?.problem.errors.filter(({ path }) => !path.startsWith('inputs.')) ?? [];
  return (
    <Panel title="Try it">
      <div className="platen-panel-body platen-trial">
        <form
          className="platen-properties"
          onSubmit={(event) => {
            event.preventDefault();
            if (!isAsking) void show();
          }}
        >
          <Group gap="xs">
            <Button
              size="compact-sm"
              variant="default"
              onClick={() => fill(({ length_max: max }) => longestText('Alexandra Wetherby', max))}
            >
              Longest text
            </Button>
            <Button size="compact-sm" variant="default" onClick={() => fill(({ length_max: max }) => 'W'.repeat(max))}>
              Widest letters
            </Button>
            <NativeSelect
              size="xs"
              aria-label="Words of a script"
              data={['Words of a script', ...SAMPLES.map(({ script }) => script), 'One without a font']}
              value="Words of a script"
              onChange={({ currentTarget: { value } }) => {
                const words = SAMPLES.find(({ script }) => script === value)?.words;
                if (words !== undefined) fill(({ length_max: max }) => Array.from(words).slice(0, max).join(''));
                else if (value === 'One without a font') fill(() => WITHOUT_FONT);
              }}
            />
          </Group>
          {draft.layers.map((layer) => (
            <LayerField
              key={layer.id}
              layer={fillable(layer, pictures)}
              inputs={inputs}
              problemAt={problemAt}
              onChange={set}
            />
          ))}
          {draft.layers.length === 0 ? (
            <Text size="sm" c="dimmed">
              There is nothing to fill in yet.
            </Text>
          ) : (
            <Button type="submit" loading={isAsking} loaderProps={{ type: 'dots' }}>
              Show the proof
            </Button>
          )}
          {failure !== undefined && (refused === undefined || refused.problem.errors.length === 0) ? (
            <Failure error={failure} />
          ) : null}
          {others.map(({ path, message }) => (
            <Text key={path} size="sm" className="platen-note" role="note">
              {placeOf(path, draft)}
              {message}
            </Text>
          ))}
        </form>
        <div aria-live="polite">
          {proof === undefined ? (
            <Text size="sm" c="dimmed">
              The proof is drawn by what makes the print files: what you see is what is printed.
            </Text>
          ) : (
            <ProofFigure proof={proof.shown} alt="Proof of what is printed" isBehind={isBehind} />
          )}
        </div>
      </div>
    </Panel>
  );
}

/** What is filled in of layers that are still there; an empty field leaves its layer empty. */
function inputsOf({ layers }: Draft, inputs: Inputs): Record<string, string> {
  const keys = new Set(layers.flatMap(({ id }) => [id, `${id}#font`, `${id}#color`]));
  return Object.fromEntries(Object.entries(inputs).filter(([key, value]) => keys.has(key) && value !== ''));
}

function fillable(layer: Layer, pictures: ReadonlyMap<string, string>): Fillable {
  const { id } = layer;
  const label = layer.name === '' ? id : layer.name;
  if (layer.type === 'image') return { id, label, type: 'image' };
  if (layer.type === 'photo_collage') return { id, label, type: 'photo_collage', picturesMax: layer.pictures_max };
  if (layer.type === 'image_select') {
    const options = layer.options.map(({ id: option, name, design }) => ({
      id: option,
      name,
      url: pictures.get(design),
    }));
    return { id, label, type: 'image_select', options };
  }
  const { font, color, length_max: lengthMax } = layer;
  const isAny = color.choices === 'any';
  return {
    id,
    label,
    type: 'text',
    lengthMax,
    font: { preset: font.default, choices: font.choices ?? [] },
    colour: { preset: color.default, choices: Array.isArray(color.choices) ? color.choices : [], isAny },
  };
}
