import { ActionIcon, Button, Group, Text } from '@mantine/core';
import {
  IconAlertTriangle,
  IconArrowBackUp,
  IconArrowForwardUp,
  IconArrowsMaximize,
  IconFocusCentered,
  IconZoomIn,
  IconZoomOut,
} from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import type { Reply } from '../../shared/api/client.ts';
import type { Box } from '../../shared/canvas/geometry.ts';
import { PLANE_KEYS } from '../../shared/canvas/keys.ts';
import { type Backdrop, Plane } from '../../shared/canvas/plane.tsx';
import { Panel } from '../../shared/layout/panel.tsx';
import { wordsOf } from '../../shared/values/words.ts';
import type { ChangeDraft } from './designer.tsx';
import { boxOf, type Draft, type Garment, type GarmentArea, type Position, placedFirst, positionOf } from './draft.ts';

export type Looked = Reply<'lookAtDesigns'>['areas'][number];

const ZOOM_MAX = 6;
const ZOOM_STEP = 1.5;
const KEYS_ID = 'placing-keys';

/** The print area on the garment, and what is dragged, scaled and turned in it. */
export function Placing({
  garment,
  area,
  draft,
  colour,
  looked,
  warnedAreas,
  onArea,
  onColour,
  onChange,
  history,
}: {
  garment: Garment;
  area: GarmentArea;
  draft: Draft;
  colour: string | undefined;
  looked: Looked | undefined;
  /** The areas that the service warns of. */
  warnedAreas: ReadonlySet<string>;
  onArea: (name: string) => void;
  onColour: (colour: string) => void;
  onChange: ChangeDraft;
  history: { undo: () => void; redo: () => void; canUndo: boolean; canRedo: boolean };
}) {
  const [isChosen, setChosen] = useState(true);
  const [zoom, setZoom] = useState(1);
  const [moved, setMoved] = useState({ x: 0, y: 0 });
  const name = area.print_area;
  const placed = draft.areas[name];
  const shownColour = garment.colours.find((one) => one.colour === colour) ?? garment.colours[0];
  const backdrop = backdropOf(area, shownColour);
  const place = (position: Position, gesture?: string): void =>
    onChange((before) => {
      const was = before.areas[name];
      return was === undefined ? before : { ...before, areas: { ...before.areas, [name]: { ...was, position } } };
    }, gesture);
  const onBox = (_id: string, box: Box, gesture: string): void => {
    if (placed !== undefined) place(positionOf(area, placed.design, box), gesture);
  };
  const look = (next: number): void => {
    setZoom(Math.min(ZOOM_MAX, Math.max(1, next)));
    if (next <= 1) setMoved({ x: 0, y: 0 });
  };
  return (
    <Panel title="On the garment">
      <div className="platen-panel-body">
        <Group justify="space-between" gap="sm" mb="xs">
          <fieldset className="platen-picks">
            <legend className="platen-unseen">Print area</legend>
            {garment.areas.map(({ print_area: one, title }) => (
              <button
                key={one}
                type="button"
                aria-pressed={one === name}
                data-marked={draft.areas[one] === undefined ? undefined : ''}
                onClick={() => {
                  look(1);
                  onArea(one);
                }}
              >
                {title}
                {draft.areas[one] === undefined ? '' : ' ●'}
                {warnedAreas.has(one) ? <Warned /> : null}
              </button>
            ))}
          </fieldset>
          <Group gap={4}>
            <Tool label="Undo" isOff={!history.canUndo} onClick={history.undo}>
              <IconArrowBackUp size={18} aria-hidden />
            </Tool>
            <Tool label="Redo" isOff={!history.canRedo} onClick={history.redo}>
              <IconArrowForwardUp size={18} aria-hidden />
            </Tool>
            <Tool label="Look closer" isOff={zoom >= ZOOM_MAX} onClick={() => look(zoom * ZOOM_STEP)}>
              <IconZoomIn size={18} aria-hidden />
            </Tool>
            <Tool label="Look from farther away" isOff={zoom <= 1} onClick={() => look(zoom / ZOOM_STEP)}>
              <IconZoomOut size={18} aria-hidden />
            </Tool>
            <Tool
              label="Into the middle"
              isOff={placed === undefined}
              onClick={() => placed !== undefined && place({ ...placed.position, x: 0.5, y: 0.5 })}
            >
              <IconFocusCentered size={18} aria-hidden />
            </Tool>
            <Tool
              label="As large as the safe zone allows"
              isOff={placed === undefined}
              onClick={() => placed !== undefined && place(placedFirst(area, placed.design))}
            >
              <IconArrowsMaximize size={18} aria-hidden />
            </Tool>
          </Group>
        </Group>
        <div className="platen-placing">
          <Plane
            label={`${area.title} of the ${garment.title}`}
            describedBy={KEYS_ID}
            area={{ widthMm: area.width_mm, heightMm: area.height_mm }}
            safeMm={area.safe_mm}
            view={viewOf(area, backdrop, zoom, moved)}
            backdrop={backdrop}
            items={
              placed === undefined
                ? []
                : [
                    {
                      id: name,
                      label: `Artwork of the ${wordsOf(name)}`,
                      box: boxOf(area, placed),
                      keepsRatio: true,
                      canTurn: true,
                      draw: ({ widthMm, heightMm }) => (
                        <image
                          href={placed.design.picture_url}
                          x={-widthMm / 2}
                          y={-heightMm / 2}
                          width={widthMm}
                          height={heightMm}
                          preserveAspectRatio="none"
                        />
                      ),
                    },
                  ]
            }
            chosenId={isChosen ? name : undefined}
            onChoose={(id) => setChosen(id !== undefined)}
            onChange={onBox}
            onPan={(by) => setMoved((before) => ({ x: before.x + by.x, y: before.y + by.y }))}
          />
        </div>
        <Group justify="space-between" mt="xs" gap="sm">
          <fieldset className="platen-swatches">
            <legend className="platen-unseen">Colour of the garment</legend>
            {garment.colours.map(({ colour: one, colour_hex: hex }) => (
              <button
                key={one}
                type="button"
                className="platen-swatch platen-swatch-choice"
                aria-label={one}
                title={one}
                aria-pressed={one === shownColour?.colour}
                style={{ background: hex }}
                onClick={() => onColour(one)}
              />
            ))}
          </fieldset>
          <Readout area={area} draft={draft} looked={looked} />
        </Group>
        <details className="platen-keys-of-plane">
          <summary>Keys</summary>
          <Text size="xs" c="dimmed" id={KEYS_ID}>
            {PLANE_KEYS.map(({ keys, does }) => `${keys}: ${does}. `)}
            Ctrl-Z undoes, Ctrl-Y or Ctrl-Shift-Z does again. A drag snaps to edges and centres, unless Alt is held.
          </Text>
        </details>
      </div>
    </Panel>
  );
}

/** Marks an area whose print has a warning, so that none is first seen after it is saved. */
function Warned() {
  return (
    <>
      <IconAlertTriangle size={14} aria-hidden className="platen-warned" />
      <span className="platen-unseen"> with a warning</span>
    </>
  );
}

function Tool({
  label,
  isOff,
  onClick,
  children,
}: {
  label: string;
  isOff: boolean;
  onClick: () => void;
  children: ReactNode;
}) {
  return (
    <ActionIcon variant="default" size="lg" aria-label={label} title={label} disabled={isOff} onClick={onClick}>
      {children}
    </ActionIcon>
  );
}

/** Size and sharpness while the artwork moves: those that the service has said, by how much it was scaled since. */
function Readout({ area, draft, looked }: { area: GarmentArea; draft: Draft; looked: Looked | undefined }) {
  const placed = draft.areas[area.print_area];
  if (placed === undefined) return <Text size="sm">No artwork here.</Text>;
  const box = boxOf(area, placed);
  const size = `${Math.round(box.widthMm)} × ${Math.round(box.heightMm)} mm`;
  const print = looked?.print;
  const dpi = print ? Math.round((print.dpi * print.width_mm) / box.widthMm) : undefined;
  const least = looked?.methods.find(({ method }) => method === placed.method)?.dpi_min;
  const isSoft = dpi !== undefined && least !== undefined && dpi < least;
  return (
    <output className="platen-readout" data-soft={isSoft ? '' : undefined} aria-live="off">
      {size} · {dpi === undefined ? '…' : `${dpi} dpi`}
      {box.degrees === 0 ? '' : ` · ${box.degrees}°`}
    </output>
  );
}

function backdropOf({ backdrop }: GarmentArea, colour: Garment['colours'][number] | undefined): Backdrop | undefined {
  const url = backdrop?.view === 'back' ? colour?.back_url : colour?.front_url;
  if (backdrop === null || url === null || url === undefined) return undefined;
  return { url, left: backdrop.left_mm, top: backdrop.top_mm, width: backdrop.side_mm, height: backdrop.side_mm };
}

/** The whole garment, or the area with room around it where no picture shows it; closer when zoomed. */
function viewOf(
  { width_mm: width, height_mm: height }: GarmentArea,
  backdrop: Backdrop | undefined,
  zoom: number,
  moved: { x: number; y: number },
): { left: number; top: number; width: number; height: number } {
  const whole = backdrop ?? { left: -width * 0.15, top: -height * 0.15, width: width * 1.3, height: height * 1.3 };
  if (zoom <= 1) return whole;
  const shown = { width: whole.width / zoom, height: whole.height / zoom };
  const left = width / 2 - shown.width / 2 + moved.x;
  const top = height / 2 - shown.height / 2 + moved.y;
  const within = (value: number, from: number, length: number): number =>
    Math.min(from + length, Math.max(from, value));
  return {
    left: within(left, whole.left, whole.width - shown.width),
    top: within(top, whole.top, whole.height - shown.height),
    ...shown,
  };
}

/** The button that takes artwork off an area. */
export function TakeOff({ area, onChange }: { area: GarmentArea; onChange: ChangeDraft }) {
  const takeOff = (): void =>
    onChange((before) => {
      const { [area.print_area]: _gone, ...areas } = before.areas;
      return { ...before, areas };
    });
  return (
    <Button variant="subtle" size="compact-sm" onClick={takeOff}>
      Take it off
    </Button>
  );
}
