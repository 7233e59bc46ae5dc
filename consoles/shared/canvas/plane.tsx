import { type KeyboardEvent, type PointerEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { type Box, type Grip, type Lines, linesOf, moveBox, type Point, pullBox, turnBox } from './geometry.ts';
import { boxAfterKey } from './keys.ts';

/** One thing on the plane. */
export type PlaneItem = {
  readonly id: string;
  /** Read aloud, and the name of its place in the order of the tab key. */
  readonly label: string;
  readonly box: Box;
  /** Drawn about (0, 0), in millimetres, as large as the box says; turned and placed by the plane. */
  readonly draw: (box: Box) => ReactNode;
  /** Pulled at its corners alone, and keeps its shape. */
  readonly keepsRatio: boolean;
  /** Has a grip to turn it, and turns by keys. */
  readonly canTurn: boolean;
  /** Seen and not touched. */
  readonly isLocked?: boolean;
};

/** A picture behind the area, in millimetres from the area's upper left corner. */
export type Backdrop = {
  readonly url: string;
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
};

type Gesture = {
  readonly name: string;
  readonly from: Point;
  readonly box: Box;
  readonly kind: 'move' | 'turn' | Grip;
};

const NEAR_PX = 6;
const GRIP_PX = 11;
const TURN_GRIP_PX = 26;
const NO_LINES: Lines = { xs: [], ys: [] };
const CORNERS: readonly Grip[] = [
  { sx: -1, sy: -1 },
  { sx: 1, sy: -1 },
  { sx: 1, sy: 1 },
  { sx: -1, sy: 1 },
];
const SIDES: readonly Grip[] = [
  { sx: 0, sy: -1 },
  { sx: 1, sy: 0 },
  { sx: 0, sy: 1 },
  { sx: -1, sy: 0 },
];

/**
 * A plane in millimetres over a picture, on which things are dragged, pulled larger, and turned.
 *
 * `area` is the print area; (0, 0) is its upper left corner. `view` is the part of the plane that is shown (a smaller
 * one is a closer look; the owner moves it by `onPan`). What lies outside of the area is drawn pale, as it is not
 * printed. Edges and centres of the area, of its safe zone (`safeMm` from each edge) and of the other items are lines
 * that a drag snaps to, unless Alt is held. `onChange` gets the new box with the name of the gesture, which
 * `useHistory` takes so that a whole drag is one step back. Every item is reached by Tab and moved by keys
 * (`boxAfterKey`); other keys go to `onKey`.
 */
export function Plane({
  label,
  area,
  safeMm,
  view,
  backdrop,
  items,
  chosenId,
  onChoose,
  onChange,
  onPan,
  onKey,
  describedBy,
}: {
  label: string;
  area: { readonly widthMm: number; readonly heightMm: number };
  /** 0 draws no safe zone. */
  safeMm: number;
  view: { readonly left: number; readonly top: number; readonly width: number; readonly height: number };
  backdrop?: Backdrop | undefined;
  items: readonly PlaneItem[];
  chosenId: string | undefined;
  onChoose: (id: string | undefined) => void;
  onChange: (id: string, box: Box, gesture: string) => void;
  /** The ground was dragged by this many millimetres. */
  onPan?: ((by: Point) => void) | undefined;
  onKey?: ((event: KeyboardEvent, id: string) => void) | undefined;
  /** The id of the text that lists the keys. */
  describedBy?: string | undefined;
}) {
  const svg = useRef<SVGSVGElement>(null);
  const clipId = useId();
  const mmPerPx = useMillimetresPerPixel(svg, view);
  const gesture = useRef<Gesture>(undefined);
  const panFrom = useRef<Point>(undefined);
  const count = useRef(0);
  const [snapped, setSnapped] = useState(NO_LINES);
  const chosen = items.find(({ id, isLocked }) => id === chosenId && isLocked !== true);
  const limits = { minMm: 2, maxMm: 10 * Math.max(area.widthMm, area.heightMm) };

  const at = ({ clientX, clientY }: { clientX: number; clientY: number }): Point => {
    const matrix = svg.current?.getScreenCTM();
    if (matrix === null || matrix === undefined) return { x: 0, y: 0 };
    const { x, y } = new DOMPoint(clientX, clientY).matrixTransform(matrix.inverse());
    return { x, y };
  };
  const linesFor = (id: string): Lines => {
    const whole = boxOfArea(area, 0);
    const safe = safeMm > 0 ? [boxOfArea(area, safeMm)] : [];
    const others = items.filter((item) => item.id !== id).map(({ box }) => box);
    return linesOf([whole, ...safe, ...others]);
  };
  const begin = (event: PointerEvent, item: PlaneItem, kind: Gesture['kind']): void => {
    if (event.button !== 0 || item.isLocked === true) return;
    event.stopPropagation();
    svg.current?.setPointerCapture(event.pointerId);
    count.current += 1;
    gesture.current = { name: `pointer ${count.current}`, from: at(event), box: item.box, kind };
    onChoose(item.id);
  };
  const move = (event: PointerEvent): void => {
    const under = gesture.current;
    if (under === undefined || chosen === undefined) {
      if (panFrom.current === undefined) return;
      const to = at(event);
      onPan?.({ x: panFrom.current.x - to.x, y: panFrom.current.y - to.y });
      return;
    }
    const to = at(event);
    const nearMm = event.altKey ? 0 : NEAR_PX * mmPerPx;
    if (under.kind === 'turn') {
      onChange(chosen.id, turnBox(under.box, to, event.shiftKey), under.name);
      return;
    }
    const lines = linesFor(chosen.id);
    const { keepsRatio } = chosen;
    const by = { x: to.x - under.from.x, y: to.y - under.from.y };
    const next =
      under.kind === 'move'
        ? moveBox(under.box, by, lines, nearMm)
        : pullBox(under.box, under.kind, to, { keepsRatio, ...limits, lines, nearMm });
    setSnapped(next.lines);
    onChange(chosen.id, next.box, under.name);
  };
  const end = (): void => {
    gesture.current = undefined;
    panFrom.current = undefined;
    setSnapped(NO_LINES);
  };
  const press = (event: KeyboardEvent, item: PlaneItem): void => {
    const next = item.isLocked === true ? undefined : boxAfterKey(event, item, limits);
    if (next === undefined) {
      onKey?.(event, item.id);
      return;
    }
    event.preventDefault();
    if (!event.repeat) count.current += 1;
    onChange(item.id, next, `keys ${count.current}`);
  };

  return (
    // biome-ignore lint/a11y/useSemanticElements: a drawing of which each thing is a button has no element of its own
    <svg
      ref={svg}
      className="platen-plane"
      role="group"
      aria-label={label}
      aria-describedby={describedBy}
      viewBox={`${view.left} ${view.top} ${view.width} ${view.height}`}
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        onChoose(undefined);
        if (onPan === undefined) return;
        svg.current?.setPointerCapture(event.pointerId);
        panFrom.current = at(event);
      }}
      onPointerMove={move}
      onPointerUp={end}
      onPointerCancel={end}
    >
      <clipPath id={clipId}>
        <rect width={area.widthMm} height={area.heightMm} />
      </clipPath>
      {backdrop === undefined ? null : (
        <image
          href={backdrop.url}
          x={backdrop.left}
          y={backdrop.top}
          width={backdrop.width}
          height={backdrop.height}
          preserveAspectRatio="none"
        />
      )}
      <g opacity={0.25}>
        {items.map((item) => (
          <g key={item.id} transform={transformOf(item.box)}>
            {item.draw(item.box)}
          </g>
        ))}
      </g>
      <g clipPath={`url(#${clipId})`}>
        {items.map((item) => (
          <g key={item.id} transform={transformOf(item.box)}>
            {item.draw(item.box)}
          </g>
        ))}
      </g>
      <rect className="platen-plane-area" width={area.widthMm} height={area.heightMm} />
      {safeMm > 0 ? (
        <rect
          className="platen-plane-safe"
          x={safeMm}
          y={safeMm}
          width={area.widthMm - 2 * safeMm}
          height={area.heightMm - 2 * safeMm}
        />
      ) : null}
      {items.map((item) => (
        // biome-ignore lint/a11y/useSemanticElements: a button of HTML cannot stand in a drawing
        <g
          key={item.id}
          className="platen-plane-item"
          role="button"
          tabIndex={0}
          aria-label={item.label}
          aria-pressed={item.id === chosenId}
          data-locked={item.isLocked === true ? '' : undefined}
          transform={transformOf(item.box)}
          onFocus={() => onChoose(item.id)}
          onKeyDown={(event) => press(event, item)}
          onPointerDown={(event) => begin(event, item, 'move')}
        >
          <rect
            x={-item.box.widthMm / 2}
            y={-item.box.heightMm / 2}
            width={item.box.widthMm}
            height={item.box.heightMm}
          />
        </g>
      ))}
      <g className="platen-plane-guides">
        {snapped.xs.map((x) => (
          <line key={x} x1={x} x2={x} y1={view.top} y2={view.top + view.height} />
        ))}
        {snapped.ys.map((y) => (
          <line key={y} y1={y} y2={y} x1={view.left} x2={view.left + view.width} />
        ))}
      </g>
      {chosen === undefined ? null : <Grips item={chosen} mmPerPx={mmPerPx} begin={begin} />}
    </svg>
  );
}

/** What is taken hold of by a pointer; by keys the item itself is changed. */
function Grips({
  item,
  mmPerPx,
  begin,
}: {
  item: PlaneItem;
  mmPerPx: number;
  begin: (event: PointerEvent, item: PlaneItem, kind: Gesture['kind']) => void;
}) {
  const { box } = item;
  const side = GRIP_PX * mmPerPx;
  const above = -box.heightMm / 2 - TURN_GRIP_PX * mmPerPx;
  return (
    <g className="platen-plane-grips" transform={transformOf(box)}>
      {(item.keepsRatio ? CORNERS : [...CORNERS, ...SIDES]).map((grip) => (
        <rect
          key={`${grip.sx} ${grip.sy}`}
          data-grip={`${grip.sx},${grip.sy}`}
          x={(grip.sx * box.widthMm) / 2 - side / 2}
          y={(grip.sy * box.heightMm) / 2 - side / 2}
          width={side}
          height={side}
          onPointerDown={(event) => begin(event, item, grip)}
        />
      ))}
      {item.canTurn ? (
        <>
          <line y1={-box.heightMm / 2} y2={above} />
          <circle data-grip="turn" cy={above} r={side / 1.6} onPointerDown={(event) => begin(event, item, 'turn')} />
        </>
      ) : null}
    </g>
  );
}

function transformOf({ x, y, degrees }: Box): string {
  return `translate(${x} ${y}) rotate(${degrees})`;
}

function boxOfArea({ widthMm, heightMm }: { widthMm: number; heightMm: number }, insetMm: number): Box {
  return {
    x: widthMm / 2,
    y: heightMm / 2,
    widthMm: widthMm - 2 * insetMm,
    heightMm: heightMm - 2 * insetMm,
    degrees: 0,
  };
}

/** How many millimetres a pixel of the screen is, so that grips and snapping feel the same at every size. */
function useMillimetresPerPixel(
  svg: { readonly current: SVGSVGElement | null },
  view: { readonly width: number; readonly height: number },
): number {
  const [size, setSize] = useState({ width: 0, height: 0 });
  useEffect(() => {
    const drawn = svg.current;
    if (drawn === null) return undefined;
    const observer = new ResizeObserver(() => {
      const { width, height } = drawn.getBoundingClientRect();
      setSize({ width, height });
    });
    observer.observe(drawn);
    return () => observer.disconnect();
  }, [svg]);
  if (size.width === 0 || size.height === 0) return 0.5;
  return Math.max(view.width / size.width, view.height / size.height);
}
