import { Button, Group, NativeSelect, Text } from '@mantine/core';
import { type KeyboardEvent, type ReactNode, useId, useState } from 'react';
import type { Box, Point } from '../../shared/canvas/geometry.ts';
import { PLANE_KEYS } from '../../shared/canvas/keys.ts';
import { Plane, type PlaneItem } from '../../shared/canvas/plane.tsx';
import { type Area, boxOf, type Layer, type LayerOf, mmOf, type Template } from './model.ts';

/** Around the area, as a share of its longer side. */
const MARGIN = 0.12;
const ZOOM_STEP = 1.4;
const ZOOM_MAX = 12;
const ZOOM_MIN = 0.25;

/** The print area of a garment with the boxes of its layers. */
export function Stage({
  area,
  colour,
  layers,
  chosenId,
  lockedIds,
  pictures,
  fonts,
  onChoose,
  onChange,
  onKey,
  children,
}: {
  area: Area;
  /** Of the garment, `#rrggbb`. */
  colour: string;
  /** From bottom to top, without hidden ones. */
  layers: readonly Layer[];
  chosenId: string | undefined;
  lockedIds: ReadonlySet<string>;
  pictures: ReadonlyMap<string, string>;
  fonts: Template['fonts'];
  onChoose: (id: string | undefined) => void;
  onChange: (id: string, box: Box, gesture: string) => void;
  onKey: (event: KeyboardEvent, id: string) => void;
  /** Stands beside the zoom. */
  children?: ReactNode;
}) {
  const keysId = useId();
  const [zoom, setZoom] = useState(1);
  const [moved, setMoved] = useState<Point>({ x: 0, y: 0 });
  const margin = MARGIN * Math.max(area.width_mm, area.height_mm);
  const width = (area.width_mm + 2 * margin) / zoom;
  const height = (area.height_mm + 2 * margin) / zoom;
  const view = {
    left: area.width_mm / 2 - width / 2 + moved.x,
    top: area.height_mm / 2 - height / 2 + moved.y,
    width,
    height,
  };
  const items = layers.map(
    (layer): PlaneItem => ({
      id: layer.id,
      label: layer.name === '' ? layer.id : layer.name,
      box: boxOf(layer, area),
      keepsRatio: false,
      canTurn: false,
      isLocked: lockedIds.has(layer.id),
      draw: (box) => <Drawn layer={layer} area={area} box={box} pictures={pictures} fonts={fonts} />,
    }),
  );
  const zoomBy = (factor: number): void => setZoom(Math.min(ZOOM_MAX, Math.max(ZOOM_MIN, zoom * factor)));
  return (
    <>
      <Group px="md" py="xs" gap="xs" justify="space-between">
        <Group gap="xs">
          <Button size="compact-sm" variant="default" aria-label="Zoom out" onClick={() => zoomBy(1 / ZOOM_STEP)}>
            −
          </Button>
          <Button
            size="compact-sm"
            variant="default"
            onClick={() => {
              setZoom(1);
              setMoved({ x: 0, y: 0 });
            }}
          >
            Whole area
          </Button>
          <Button size="compact-sm" variant="default" aria-label="Zoom in" onClick={() => zoomBy(ZOOM_STEP)}>
            +
          </Button>
        </Group>
        {children}
      </Group>
      <div className="platen-stage">
        <Plane
          label={`${area.title}, ${mmOf(area.width_px, area)} by ${mmOf(area.height_px, area)} mm`}
          area={{ widthMm: area.width_mm, heightMm: area.height_mm }}
          safeMm={0}
          view={view}
          backdrop={backdropOf(area, colour)}
          items={items}
          chosenId={chosenId}
          onChoose={onChoose}
          onChange={onChange}
          onPan={(by) => setMoved((before) => ({ x: before.x + by.x, y: before.y + by.y }))}
          onKey={onKey}
          describedBy={keysId}
        />
      </div>
      <Text size="xs" c="dimmed" px="md" py="xs" id={keysId}>
        {area.title}: {area.width_mm} × {area.height_mm} mm.{' '}
        {PLANE_KEYS.filter(({ keys }) => !keys.startsWith('['))
          .map(({ keys, does }) => `${keys} ${does}`)
          .join('; ')}
        ; Delete removes, Page Up and Page Down change the order. Without Alt, a dragged box snaps to edges and centres.
      </Text>
    </>
  );
}

/** The blank garment as a picture, so that its print area lies on the plane's. */
function backdropOf({ garment, width_mm: widthMm }: Area, colour: string) {
  if (garment === null) return undefined;
  const mmPerUnit = widthMm / garment.area.width;
  const side = 1_000 * mmPerUnit;
  const path = (d: string, more: string): string => `<path d="${d}" ${more}/>`;
  const isDark = lightOf(colour) < 0.4;
  const ink = isDark ? '#ffffff' : '#000000';
  const drawn = [
    ...garment.parts.map((d) => path(d, `fill="${colour}" stroke="${ink}" stroke-opacity="0.25" stroke-width="2"`)),
    ...(garment.inside === null ? [] : [path(garment.inside, `fill="${ink}" fill-opacity="0.25"`)]),
    ...garment.lines.map((d) => path(d, `fill="none" stroke="${ink}" stroke-opacity="0.22" stroke-width="2"`)),
  ];
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1000 1000">${drawn.join('')}</svg>`;
  return {
    url: `data:image/svg+xml,${encodeURIComponent(svg)}`,
    left: -garment.area.left * mmPerUnit,
    top: -garment.area.top * mmPerUnit,
    width: side,
    height: side,
  };
}

function lightOf(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16) / 255);
  return 0.299 * red + 0.587 * green + 0.114 * blue;
}

type DrawnProps = {
  readonly area: Area;
  readonly box: Box;
  readonly pictures: ReadonlyMap<string, string>;
  readonly fonts: Template['fonts'];
};

/** What stands for a layer: the print itself is drawn by the service, on trial. */
function Drawn({ layer, ...more }: DrawnProps & { layer: Layer }) {
  if (layer.type === 'text') return <DrawnText layer={layer} {...more} />;
  if (layer.type === 'photo_collage') return <DrawnCollage layer={layer} {...more} />;
  const { box, pictures } = more;
  const frame = { x: -box.widthMm / 2, y: -box.heightMm / 2, width: box.widthMm, height: box.heightMm };
  const url = layer.type === 'image_select' ? pictures.get(layer.options[0]?.design ?? '') : undefined;
  if (url !== undefined) return <image href={url} {...frame} />;
  return <Stand box={box} label={layer.name} />;
}

/** A pale box with a word at its corner, so that those of boxes that overlap can be read. */
function Stand({ box, label }: { box: Box; label: string }) {
  const size = Math.min(box.heightMm / 5, (box.widthMm * 1.2) / Math.max(12, label.length));
  return (
    <>
      <rect
        className="platen-stand"
        x={-box.widthMm / 2}
        y={-box.heightMm / 2}
        width={box.widthMm}
        height={box.heightMm}
      />
      <text
        className="platen-stand-label"
        x={-box.widthMm / 2 + size / 2}
        y={-box.heightMm / 2 + size * 1.3}
        fontSize={size}
      >
        {label}
      </text>
    </>
  );
}

/** A letter is about half as wide as it is high. */
const LETTER = 0.55;

function DrawnText({ layer, area, box, fonts }: DrawnProps & { layer: LayerOf<'text'> }) {
  const text = layer.name === '' ? layer.id : layer.name;
  const size = Math.min(
    mmOf(layer.size_px.max, area),
    box.heightMm / 1.2,
    box.widthMm / (LETTER * Math.max(1, Array.from(text).length)),
  );
  const style = fonts.find(({ family }) => family === layer.font.default)?.style ?? '';
  const x = { left: -box.widthMm / 2, centre: 0, right: box.widthMm / 2 }[String(layer.align)] ?? 0;
  const anchor = { left: 'start', centre: 'middle', right: 'end' }[String(layer.align)] ?? 'middle';
  return (
    <>
      <rect
        className="platen-stand"
        data-text
        x={-box.widthMm / 2}
        y={-box.heightMm / 2}
        width={box.widthMm}
        height={box.heightMm}
      />
      <text
        x={x}
        fontSize={size}
        fill={layer.color.default}
        fontFamily={genericOf(style)}
        textAnchor={anchor as 'start' | 'middle' | 'end'}
        dominantBaseline="central"
      >
        {text}
      </text>
    </>
  );
}

/** A font of this machine that is a little like one of the service's, which no browser loads. */
function genericOf(style: string): string {
  if (/script|handwriting|brush|comic/.test(style)) return 'cursive';
  if (style.includes('typewriter')) return 'monospace';
  return /\bserif|varsity|blackletter/.test(style) && style !== 'sans-serif' ? 'serif' : 'sans-serif';
}

function DrawnCollage({ layer, area, box }: DrawnProps & { layer: LayerOf<'photo_collage'> }) {
  const { columns, rows, gap_px: gapPx } = layer.grid;
  const gap = mmOf(gapPx, area);
  const width = Math.max(0, (box.widthMm - (columns - 1) * gap) / columns);
  const height = Math.max(0, (box.heightMm - (rows - 1) * gap) / rows);
  const cells = Array.from({ length: columns * rows }, (_, index) => index);
  return cells.map((cell) => (
    <rect
      key={cell}
      className="platen-stand"
      x={-box.widthMm / 2 + (cell % columns) * (width + gap)}
      y={-box.heightMm / 2 + Math.floor(cell / columns) * (height + gap)}
      width={width}
      height={height}
    />
  ));
}

/** Chooses the colour of the garment below. */
export function ColourChoice({
  variants,
  sku,
  onChange,
}: {
  variants: Template['variants'];
  sku: string;
  onChange: (sku: string) => void;
}) {
  if (variants.length < 2) return null;
  return (
    <NativeSelect
      size="xs"
      aria-label="Colour of the garment"
      data={variants.map(({ sku: value, colour }) => ({ value, label: colour }))}
      value={sku}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    />
  );
}
