import { Button, Group, NativeSelect, Text, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { call, type Reply } from '../../shared/api/client.ts';
import { Refused } from '../../shared/api/failures.ts';
import { ArtworkField } from '../../shared/artwork/artwork-field.tsx';
import { Panel } from '../../shared/layout/panel.tsx';
import { Failure } from '../../shared/states/failure.tsx';
import { ColourField } from './fields.tsx';
import { type Draft, type Layer, longestText, placeOf, SAMPLES, WITHOUT_FONT } from './model.ts';

type Inputs = Readonly<Record<string, string>>;
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
  const set = (key: string, value: string): void => setInputs((before) => ({ ...before, [key]: value }));
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
            <Field
              key={layer.id}
              layer={layer}
              inputs={inputs}
              pictures={pictures}
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
            <figure className="platen-trial-proof" data-behind={isBehind || undefined}>
              <img className="platen-proof" src={proof.shown.proof_url} alt="Proof of what is printed" />
              <figcaption>
                {isBehind ? <Text size="xs">Something was changed since. Show the proof again.</Text> : null}
                {proof.shown.warnings.map(({ path, message }) => (
                  <Text key={`${path} ${message}`} size="xs" className="platen-note" role="note">
                    {message}
                  </Text>
                ))}
              </figcaption>
            </figure>
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

function Field({
  layer,
  inputs,
  pictures,
  problemAt,
  onChange,
}: {
  layer: Layer;
  inputs: Inputs;
  pictures: ReadonlyMap<string, string>;
  problemAt: (key: string) => string | undefined;
  onChange: (key: string, value: string) => void;
}) {
  const { id } = layer;
  const value = inputs[id] ?? '';
  const problem = problemAt(id);
  const label = layer.name === '' ? id : layer.name;
  if (layer.type === 'image') {
    return <ArtworkField label={label} url={value} problem={problem} onChange={(url) => onChange(id, url)} />;
  }
  if (layer.type === 'photo_collage') {
    return (
      <Textarea
        label={label}
        description={`The addresses of up to ${layer.pictures_max} pictures, each on a line.`}
        rows={3}
        value={value === '' ? '' : (JSON.parse(value) as string[]).join('\n')}
        error={problem}
        onChange={({ currentTarget }) =>
          onChange(id, currentTarget.value === '' ? '' : JSON.stringify(currentTarget.value.split('\n')))
        }
      />
    );
  }
  if (layer.type === 'image_select') {
    return (
      <Group gap="xs" align="flex-end" wrap="nowrap">
        <NativeSelect
          style={{ flex: 1 }}
          label={label}
          data={[{ value: '', label: 'None' }, ...layer.options.map((one) => ({ value: one.id, label: one.name }))]}
          value={value}
          error={problem}
          onChange={({ currentTarget }) => onChange(id, currentTarget.value)}
        />
        {value === '' ? null : (
          <img
            className="platen-picture"
            width={34}
            height={34}
            alt=""
            src={pictures.get(layer.options.find((one) => one.id === value)?.design ?? '')}
          />
        )}
      </Group>
    );
  }
  const { font, color } = layer;
  return (
    <div className="platen-fields platen-tight">
      <TextInput
        className="platen-wide"
        label={label}
        description={`${Array.from(value).length} of ${layer.length_max} characters`}
        autoComplete="off"
        value={value}
        error={problem}
        onChange={({ currentTarget }) => onChange(id, currentTarget.value)}
      />
      {font.choices === undefined ? null : (
        <NativeSelect
          label={`Font of ${label}`}
          data={[{ value: '', label: font.default }, ...font.choices.filter((one) => one !== font.default)]}
          value={inputs[`${id}#font`] ?? ''}
          error={problemAt(`${id}#font`)}
          onChange={({ currentTarget }) => onChange(`${id}#font`, currentTarget.value)}
        />
      )}
      {Array.isArray(color.choices) ? (
        <NativeSelect
          label={`Colour of ${label}`}
          data={[{ value: '', label: color.default }, ...color.choices.filter((one) => one !== color.default)]}
          value={inputs[`${id}#color`] ?? ''}
          error={problemAt(`${id}#color`)}
          onChange={({ currentTarget }) => onChange(`${id}#color`, currentTarget.value)}
        />
      ) : null}
      {color.choices === 'any' ? (
        <ColourField
          label={`Colour of ${label}`}
          value={inputs[`${id}#color`] ?? color.default}
          error={problemAt(`${id}#color`)}
          onChange={(next) => onChange(`${id}#color`, next)}
        />
      ) : null}
    </div>
  );
}
