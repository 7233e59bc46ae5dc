import { Button, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call, type Reply } from '../../shared/api/client.ts';
import { Refused } from '../../shared/api/failures.ts';
import { reading } from '../../shared/api/queries.ts';
import { type Fillable, type Inputs, LayerField } from '../../shared/personalisation/layer-field.tsx';
import { ProofFigure } from '../../shared/personalisation/proof-figure.tsx';
import { Answer } from '../../shared/states/answer.tsx';
import { Failure } from '../../shared/states/failure.tsx';
import { wordsOf } from '../../shared/values/words.ts';
import { type DraftLine, filled } from './draft.ts';
import type { ChangeLine, LineProblems } from './line.tsx';

type Layer = Reply<'getPersonalisation'>['layers'][number];

/** What a buyer fills in: a field for each layer of the product, and the proof of it. */
export function Personalisation({
  line,
  problems,
  onChange,
}: {
  line: DraftLine;
  problems: LineProblems;
  onChange: ChangeLine;
}) {
  const query = useQuery(reading('getPersonalisation', { path: { id: line.product.id } }));
  const [refused, setRefused] = useState<{ readonly error: Refused; readonly of: Inputs }>();
  // What the proof was refused for is right until something is changed.
  const own = refused?.of === line.inputs ? refused.error.problem.errors : [];
  const problemAt = (key: string): string | undefined =>
    own.find(({ path }) => path === `inputs.${key}` || path.startsWith(`inputs.${key}[`))?.message ??
    problems.ofInput(key);
  return (
    <Answer query={query} lines={2}>
      {({ layers }) => (
        <>
          {layers.map((layer) => (
            <LayerField
              key={layer.id}
              layer={fillable(layer)}
              inputs={line.inputs}
              problemAt={problemAt}
              onChange={(key, update) =>
                onChange((before) => ({
                  ...before,
                  inputs: { ...before.inputs, [key]: update(before.inputs[key] ?? '') },
                }))
              }
            />
          ))}
          <Words words={problems.ofInputs(layers.flatMap(({ id }) => [id, `${id}#font`, `${id}#color`]))} />
          <Proof line={line} onRefused={(error) => setRefused({ error, of: line.inputs })} />
        </>
      )}
    </Answer>
  );
}

function Words({ words }: { words: string | undefined }) {
  if (words === undefined) return null;
  return (
    <Text size="sm" className="platen-note platen-wide" role="note">
      {words}
    </Text>
  );
}

function fillable(layer: Layer): Fillable {
  const { id } = layer;
  const label = layer.required ? layer.name : `${layer.name} (can be left empty)`;
  if (layer.type === 'image') return { id, label, type: 'image' };
  if (layer.type === 'photo_collage') return { id, label, type: 'photo_collage', picturesMax: layer.pictures_max };
  if (layer.type === 'image_select') {
    const options = layer.options.map(({ id: option, name, image_url: url }) => ({ id: option, name, url }));
    return { id, label, type: 'image_select', options };
  }
  const { font, color, length_max: lengthMax } = layer;
  return {
    id,
    label,
    type: 'text',
    lengthMax,
    font: { preset: font.default, choices: font.choices },
    colour: { preset: color.default, choices: color.choices, isAny: color.any },
  };
}

type Shown = { readonly proof: Reply<'previewPersonalisation'>; readonly of: DraftLine };

/** The piece as it would be printed, drawn when it is asked for. */
function Proof({ line, onRefused }: { line: DraftLine; onRefused: (error: Refused) => void }) {
  const [shown, setShown] = useState<Shown>();
  const [failure, setFailure] = useState<Error>();
  const [isAsking, setAsking] = useState(false);
  const show = async (printArea?: string): Promise<void> => {
    setAsking(true);
    setFailure(undefined);
    try {
      const sku = line.product.variants.find(({ blank_variant_sku: each }) => (line.quantities[each] ?? '') !== '');
      const body = {
        inputs: filled(line.inputs),
        ...(sku === undefined ? {} : { variant_sku: sku.blank_variant_sku }),
        ...(printArea === undefined ? {} : { print_area: printArea }),
      };
      const path = { id: line.product.id };
      setShown({ proof: await call('previewPersonalisation', { path, body }), of: line });
    } catch (error) {
      if (error instanceof Refused && error.problem.errors.length > 0) onRefused(error);
      else setFailure(error instanceof Error ? error : new Error(String(error)));
    } finally {
      setAsking(false);
    }
  };
  const others = shown?.proof.print_areas.filter((area) => area !== shown.proof.print_area) ?? [];
  const isBehind = shown !== undefined && shown.of.inputs !== line.inputs;
  return (
    <div className="platen-wide" aria-live="polite">
      <Group gap="xs">
        <Button
          size="compact-sm"
          variant="default"
          loading={isAsking}
          loaderProps={{ type: 'dots' }}
          onClick={() => void show()}
        >
          Show the proof
        </Button>
        {others.map((area) => (
          <Button key={area} size="compact-sm" variant="subtle" onClick={() => void show(area)}>
            {wordsOf(area)}
          </Button>
        ))}
      </Group>
      {failure === undefined ? null : <Failure error={failure} />}
      {shown === undefined ? null : (
        <ProofFigure
          proof={shown.proof}
          alt={`Proof of what is printed on ${wordsOf(shown.proof.print_area)}`}
          isBehind={isBehind}
        />
      )}
    </div>
  );
}
