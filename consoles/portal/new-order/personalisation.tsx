import { NativeSelect, Text, Textarea, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Reply } from '../../shared/api/client.ts';
import { reading } from '../../shared/api/queries.ts';
import { ArtworkField } from '../../shared/artwork/artwork-field.tsx';
import { Answer } from '../../shared/states/answer.tsx';
import type { DraftLine } from './draft.ts';
import type { ChangeLine } from './line.tsx';

type Layer = Reply<'getPersonalisation'>['layers'][number];

/** What a buyer fills in: a field for each layer of the product. */
export function Personalisation({
  line,
  problem,
  onChange,
}: {
  line: DraftLine;
  /** The service's words about them all. */
  problem: string | undefined;
  onChange: ChangeLine;
}) {
  const query = useQuery(reading('getPersonalisation', { path: { id: line.product.id } }));
  return (
    <Answer query={query} lines={2}>
      {({ layers }) => (
        <>
          {layers.map((layer) => (
            <Field
              key={layer.id}
              layer={layer}
              value={line.inputs[layer.id] ?? ''}
              onChange={(value) =>
                onChange((before) => ({ ...before, inputs: { ...before.inputs, [layer.id]: value } }))
              }
            />
          ))}
          {problem === undefined ? null : (
            <Text size="sm" className="platen-note platen-wide" role="note">
              {problem}
            </Text>
          )}
        </>
      )}
    </Answer>
  );
}

function Field({ layer, value, onChange }: { layer: Layer; value: string; onChange: (value: string) => void }) {
  const label = layer.required ? layer.name : `${layer.name} (can be left empty)`;
  if (layer.type === 'image_select') {
    const choices = layer.options.map(({ id, name }) => ({ value: id, label: name }));
    return (
      <NativeSelect
        label={label}
        data={[{ value: '', label: 'Choose' }, ...choices]}
        value={value}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
      />
    );
  }
  if (layer.type === 'image') {
    return <ArtworkField label={label} url={value} problem={undefined} onChange={onChange} />;
  }
  if (layer.type === 'photo_collage') {
    return (
      <Textarea
        label={label}
        description={`The addresses of up to ${layer.pictures_max} pictures, each on a line.`}
        className="platen-wide"
        rows={3}
        value={linesOf(value)}
        onChange={({ currentTarget }) => onChange(listOf(currentTarget.value))}
      />
    );
  }
  return (
    <TextInput
      label={label}
      autoComplete="off"
      maxLength={layer.length_max}
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    />
  );
}

/** The service takes the pictures of a collage as a list in JSON text. */
function listOf(lines: string): string {
  return lines === '' ? '' : JSON.stringify(lines.split('\n'));
}

function linesOf(list: string): string {
  return list === '' ? '' : (JSON.parse(list) as string[]).join('\n');
}
