import { Group, NativeSelect, TextInput } from '@mantine/core';
import { ArtworkField } from '../artwork/artwork-field.tsx';
import { PicturesField } from '../artwork/pictures-field.tsx';
import { ColourField } from './colour-field.tsx';

/** What is filled in, by the keys of an order: `<id>`, `<id>#font` and `<id>#color`. */
export type Inputs = Readonly<Record<string, string>>;

type Common = { readonly id: string; readonly label: string };

/** What a layer of a personalised product takes, whether it is published or a draft. */
export type Fillable = Common &
  (
    | {
        readonly type: 'text';
        readonly lengthMax: number;
        /** The default, and what may stand in its place. */
        readonly font: { readonly preset: string; readonly choices: readonly string[] };
        readonly colour: { readonly preset: string; readonly choices: readonly string[]; readonly isAny: boolean };
      }
    | { readonly type: 'image' }
    | { readonly type: 'photo_collage'; readonly picturesMax: number }
    | {
        readonly type: 'image_select';
        readonly options: readonly { readonly id: string; readonly name: string; readonly url: string | undefined }[];
      }
  );

/** Where a buyer fills a layer in, with the font and the colour where they can be chosen. */
export function LayerField({
  layer,
  inputs,
  problemAt,
  onChange,
}: {
  layer: Fillable;
  inputs: Inputs;
  /** The service's words about an input. */
  problemAt: (key: string) => string | undefined;
  /** Changes an input from what it is by then. */
  onChange: (key: string, update: (before: string) => string) => void;
}) {
  const { id, label } = layer;
  const value = inputs[id] ?? '';
  const problem = problemAt(id);
  if (layer.type === 'image') {
    return <ArtworkField label={label} url={value} problem={problem} onChange={(url) => onChange(id, () => url)} />;
  }
  if (layer.type === 'photo_collage') {
    return (
      <PicturesField
        label={label}
        value={value}
        picturesMax={layer.picturesMax}
        problem={problem}
        onChange={(update) => onChange(id, update)}
      />
    );
  }
  if (layer.type === 'image_select') {
    const chosen = layer.options.find((one) => one.id === value);
    return (
      <Group gap="xs" align="flex-end" wrap="nowrap">
        <NativeSelect
          style={{ flex: 1 }}
          label={label}
          data={[{ value: '', label: 'None' }, ...layer.options.map((one) => ({ value: one.id, label: one.name }))]}
          value={value}
          error={problem}
          onChange={({ currentTarget: { value: next } }) => onChange(id, () => next)}
        />
        {chosen?.url === undefined ? null : (
          <img className="platen-picture" width={34} height={34} alt="" src={chosen.url} />
        )}
      </Group>
    );
  }
  return <TextOf layer={layer} inputs={inputs} problemAt={problemAt} onChange={onChange} />;
}

function TextOf({
  layer: { id, label, lengthMax, font, colour },
  inputs,
  problemAt,
  onChange,
}: {
  layer: Fillable & { type: 'text' };
  inputs: Inputs;
  problemAt: (key: string) => string | undefined;
  onChange: (key: string, update: (before: string) => string) => void;
}) {
  const [fontKey, colourKey] = [`${id}#font`, `${id}#color`];
  const value = inputs[id] ?? '';
  const choicesOf = ({ preset, choices }: { preset: string; choices: readonly string[] }) => [
    { value: '', label: preset },
    ...choices.filter((one) => one !== preset).map((one) => ({ value: one, label: one })),
  ];
  return (
    <div className="platen-fields platen-tight">
      <TextInput
        className="platen-wide"
        label={label}
        description={`${Array.from(value).length} of ${lengthMax} characters`}
        autoComplete="off"
        value={value}
        error={problemAt(id)}
        onChange={({ currentTarget: { value: next } }) => onChange(id, () => next)}
      />
      {font.choices.length === 0 ? null : (
        <NativeSelect
          label={`Font of ${label}`}
          data={choicesOf(font)}
          value={inputs[fontKey] ?? ''}
          error={problemAt(fontKey)}
          onChange={({ currentTarget: { value: next } }) => onChange(fontKey, () => next)}
        />
      )}
      {colour.isAny ? (
        <ColourField
          label={`Colour of ${label}`}
          value={inputs[colourKey] ?? colour.preset}
          error={problemAt(colourKey)}
          onChange={(next) => onChange(colourKey, () => next)}
        />
      ) : null}
      {!colour.isAny && colour.choices.length > 0 ? (
        <NativeSelect
          label={`Colour of ${label}`}
          data={choicesOf(colour)}
          value={inputs[colourKey] ?? ''}
          error={problemAt(colourKey)}
          onChange={({ currentTarget: { value: next } }) => onChange(colourKey, () => next)}
        />
      ) : null}
    </div>
  );
}
