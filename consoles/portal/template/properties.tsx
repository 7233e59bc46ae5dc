import { Checkbox, NativeSelect, Text, TextInput } from '@mantine/core';
import { Panel } from '../../shared/layout/panel.tsx';
import { NumberField } from './fields.tsx';
import { type Area, insideOf, LAYER_LABELS, type Layer, type LayerOf, mmOf, pxOf, type Template } from './model.ts';
import { Options } from './options.tsx';
import { TextProperties } from './text-properties.tsx';

/** Changes the chosen layer. Changes of one name that follow one another are one step back. */
export type ChangeLayer = (change: (layer: Layer) => Layer, gesture: string) => void;

/** All that a layer holds, with the service's words at what they are about. */
export function Properties({
  template,
  layer,
  area,
  pictures,
  mayChange,
  problemAt,
  onChange,
  onRename,
  onPicture,
}: {
  template: Template;
  layer: Layer;
  area: Area;
  pictures: ReadonlyMap<string, string>;
  mayChange: boolean;
  /** The service's words about a member of the layer, such as `box`. */
  problemAt: (member: string) => string | undefined;
  onChange: ChangeLayer;
  onRename: (id: string) => void;
  onPicture: (design: string, url: string) => void;
}) {
  const set = (changes: Partial<Layer>, name: string): void =>
    onChange((before) => ({ ...before, ...changes }) as Layer, `${layer.id} ${name}`);
  return (
    <Panel title={LAYER_LABELS[layer.type]}>
      <fieldset className="platen-properties" disabled={!mayChange}>
        <TextInput
          label="Name"
          description="What buyers see."
          maxLength={200}
          autoComplete="off"
          value={layer.name}
          error={problemAt('name')}
          onChange={({ currentTarget }) => set({ name: currentTarget.value }, 'name')}
        />
        <TextInput
          key={layer.id}
          label="Key"
          description="What orders by the API call it."
          maxLength={40}
          autoComplete="off"
          spellCheck={false}
          defaultValue={layer.id}
          error={problemAt('id')}
          onBlur={({ currentTarget }) => {
            const typed = currentTarget.value.trim();
            if (typed !== layer.id) onRename(typed);
            currentTarget.value = typed;
          }}
        />
        <Checkbox
          label="Buyers must fill it in"
          checked={layer.required}
          onChange={({ currentTarget }) => set({ required: currentTarget.checked }, 'required')}
        />
        <Place layer={layer} area={area} problem={problemAt('box')} onChange={onChange} />
        {layer.type === 'text' ? (
          <TextProperties template={template} layer={layer} area={area} problemAt={problemAt} onChange={onChange} />
        ) : null}
        {layer.type === 'image' ? (
          <NativeSelect
            label="Fitting"
            data={[
              { value: 'cover', label: 'Fills the box; what is over is cut off' },
              { value: 'contain', label: 'Whole picture inside the box' },
            ]}
            value={String(layer.fit)}
            onChange={({ currentTarget }) => set({ fit: currentTarget.value as LayerOf<'image'>['fit'] }, 'fit')}
          />
        ) : null}
        {layer.type === 'photo_collage' ? (
          <Collage layer={layer} area={area} problemAt={problemAt} onChange={onChange} />
        ) : null}
        {layer.type === 'image_select' ? (
          <Options
            id={template.id}
            layer={layer}
            pictures={pictures}
            mayChange={mayChange}
            problemAt={problemAt}
            onChange={onChange}
            onPicture={onPicture}
          />
        ) : null}
      </fieldset>
    </Panel>
  );
}

function Place({
  layer,
  area,
  problem,
  onChange,
}: {
  layer: Layer;
  area: Area;
  problem: string | undefined;
  onChange: ChangeLayer;
}) {
  const { box } = layer;
  const put = (changes: Partial<Layer['box']>): void =>
    onChange((before) => ({ ...before, box: insideOf({ ...before.box, ...changes }, area) }), `${layer.id} place`);
  return (
    <fieldset className="platen-choices">
      <legend>Place, in millimetres</legend>
      <div className="platen-fields platen-tight">
        <NumberField label="Left" value={mmOf(box.x_px, area)} onChange={(mm) => put({ x_px: pxOf(mm, area) })} />
        <NumberField label="Top" value={mmOf(box.y_px, area)} onChange={(mm) => put({ y_px: pxOf(mm, area) })} />
        <NumberField
          label="Width"
          value={mmOf(box.width_px, area)}
          onChange={(mm) => put({ width_px: pxOf(mm, area) })}
        />
        <NumberField
          label="Height"
          value={mmOf(box.height_px, area)}
          onChange={(mm) => put({ height_px: pxOf(mm, area) })}
        />
      </div>
      {problem === undefined ? null : (
        <Text size="xs" c="red.8" role="note">
          {problem}
        </Text>
      )}
    </fieldset>
  );
}

function Collage({
  layer,
  area,
  problemAt,
  onChange,
}: {
  layer: LayerOf<'photo_collage'>;
  area: Area;
  problemAt: (member: string) => string | undefined;
  onChange: ChangeLayer;
}) {
  const { grid } = layer;
  const set = (changes: Partial<LayerOf<'photo_collage'>>): void =>
    onChange((before) => ({ ...before, ...changes }) as Layer, `${layer.id} grid`);
  const setGrid = (changes: Partial<typeof grid>): void => set({ grid: { ...grid, ...changes } });
  return (
    <div className="platen-fields platen-tight">
      <NumberField
        label="Columns"
        isWhole
        value={grid.columns}
        error={problemAt('grid.columns')}
        onChange={(columns) => setGrid({ columns })}
      />
      <NumberField
        label="Rows"
        isWhole
        value={grid.rows}
        error={problemAt('grid.rows')}
        onChange={(rows) => setGrid({ rows })}
      />
      <NumberField
        label="Gap"
        unit="mm"
        value={mmOf(grid.gap_px, area)}
        error={problemAt('grid.gap_px')}
        onChange={(mm) => setGrid({ gap_px: pxOf(mm, area) })}
      />
      <NumberField
        label="Photos at most"
        isWhole
        value={layer.pictures_max}
        error={problemAt('pictures_max')}
        onChange={(count) => set({ pictures_max: count })}
      />
    </div>
  );
}
