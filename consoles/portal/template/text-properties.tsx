import { Button, Checkbox, Group, NativeSelect, Text } from '@mantine/core';
import { ColourField } from '../../shared/personalisation/colour-field.tsx';
import { NumberField } from './fields.tsx';
import { type Area, type Layer, type LayerOf, pointsOf, pxOfPoints, type Template } from './model.ts';
import type { ChangeLayer } from './properties.tsx';

type TextLayer = LayerOf<'text'>;
type ColourChoices = 'no' | 'any' | 'some';

/** The font, the sizes and the colours of a text, and what of them an order may choose. */
export function TextProperties({
  template: { fonts },
  layer,
  area,
  problemAt,
  onChange,
}: {
  template: Template;
  layer: TextLayer;
  area: Area;
  problemAt: (member: string) => string | undefined;
  onChange: ChangeLayer;
}) {
  const { font, color, size_px: size } = layer;
  const set = (changes: Partial<TextLayer>, name: string): void =>
    onChange((before) => ({ ...before, ...changes }) as Layer, `${layer.id} ${name}`);
  const chosen = new Set(font.choices ?? []);
  const setFonts = (families: ReadonlySet<string> | undefined): void => {
    const { choices: _, ...rest } = font;
    const choices = fonts.map(({ family }) => family).filter((family) => families?.has(family));
    set({ font: families === undefined ? rest : { ...rest, choices } }, 'fonts');
  };
  const setColours = (choices: TextLayer['color']['choices']): void => {
    const { choices: _, ...rest } = color;
    set({ color: choices === undefined ? rest : { ...rest, choices } }, 'colours');
  };
  const overrides: ColourChoices = color.choices === undefined ? 'no' : color.choices === 'any' ? 'any' : 'some';
  const someColours = Array.isArray(color.choices) ? color.choices : [];
  return (
    <>
      <div className="platen-fields platen-tight">
        <NumberField
          label="Characters at most"
          isWhole
          value={layer.length_max}
          error={problemAt('length_max')}
          onChange={(length) => set({ length_max: length }, 'length')}
        />
        <NativeSelect
          label="Alignment"
          data={[
            { value: 'left', label: 'Left' },
            { value: 'centre', label: 'Centre' },
            { value: 'right', label: 'Right' },
          ]}
          value={String(layer.align)}
          onChange={({ currentTarget }) => set({ align: currentTarget.value }, 'align')}
        />
        <NumberField
          label="Smallest size"
          unit="pt"
          value={pointsOf(size.min, area)}
          error={problemAt('size_px.min')}
          onChange={(points) => set({ size_px: { ...size, min: pxOfPoints(points, area) } }, 'size')}
        />
        <NumberField
          label="Largest size"
          unit="pt"
          value={pointsOf(size.max, area)}
          error={problemAt('size_px.max') ?? problemAt('size_px')}
          onChange={(points) => set({ size_px: { ...size, max: pxOfPoints(points, area) } }, 'size')}
        />
      </div>
      <Text size="xs" c="dimmed">
        A text is set as large as its box allows, within these sizes, and broken between words.
      </Text>
      <NativeSelect
        label="Font"
        data={fonts.map(({ family, style }) => ({ value: family, label: `${family} (${style})` }))}
        value={font.default}
        error={problemAt('font.default')}
        onChange={({ currentTarget: { value } }) =>
          set(
            { font: { ...font, default: value, ...(font.choices && { choices: withOne(font.choices, value) }) } },
            'font',
          )
        }
      />
      <Checkbox
        label="An order may choose the font"
        checked={font.choices !== undefined}
        onChange={({ currentTarget }) => setFonts(currentTarget.checked ? new Set([font.default]) : undefined)}
      />
      {font.choices === undefined ? null : (
        <fieldset className="platen-choices" aria-label="Fonts to choose from">
          {fonts.map(({ family }) => (
            <Checkbox
              key={family}
              size="xs"
              label={family}
              checked={chosen.has(family)}
              disabled={family === font.default}
              onChange={({ currentTarget }) => {
                const next = new Set(chosen);
                if (currentTarget.checked) next.add(family);
                else next.delete(family);
                setFonts(next);
              }}
            />
          ))}
        </fieldset>
      )}
      <ColourField
        label="Colour"
        value={color.default}
        error={problemAt('color.default')}
        onChange={(value) =>
          set(
            {
              color: {
                ...color,
                default: value,
                ...(Array.isArray(color.choices) ? { choices: withOne(color.choices, value) } : {}),
              },
            },
            'colour',
          )
        }
      />
      <NativeSelect
        label="An order may choose the colour"
        data={[
          { value: 'no', label: 'No' },
          { value: 'some', label: 'Of a list' },
          { value: 'any', label: 'Any colour' },
        ]}
        value={overrides}
        onChange={({ currentTarget }) => {
          const value = currentTarget.value as ColourChoices;
          setColours(value === 'no' ? undefined : value === 'any' ? 'any' : [color.default]);
        }}
      />
      {overrides === 'some' ? (
        <Group gap="xs" align="flex-end">
          {someColours.map((value, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: while a colour is chosen, its place alone stays the same
            <div key={index}>
              <ColourField
                label={`Colour ${index + 1}`}
                value={value}
                error={problemAt(`color.choices[${index}]`)}
                onChange={(next) => setColours(someColours.with(index, next))}
              />
              {value === color.default ? null : (
                <Button
                  size="compact-xs"
                  variant="subtle"
                  aria-label={`Remove colour ${index + 1}`}
                  onClick={() => setColours(someColours.toSpliced(index, 1))}
                >
                  Remove
                </Button>
              )}
            </div>
          ))}
          <Button size="compact-sm" variant="default" onClick={() => setColours([...someColours, '#ffffff'])}>
            Add a colour
          </Button>
        </Group>
      ) : null}
    </>
  );
}

/** The default stays among the choices. */
function withOne(choices: readonly string[], value: string): string[] {
  return choices.includes(value) ? [...choices] : [...choices, value];
}
