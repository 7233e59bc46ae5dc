/** What a plot is drawn with. Each colour is one in light and another in dark surroundings. */
export type Colour =
  | 'paper'
  | 'text'
  | 'muted'
  | 'grid'
  | 'reached'
  | 'first'
  | 'missed'
  | 'postgres'
  | 'mainThread'
  | 'otherThreads'
  | 'load';

const LIGHT: Readonly<Record<Colour, string>> = {
  paper: '#ffffff',
  text: '#1f2328',
  muted: '#59636e',
  grid: '#d1d9e0',
  reached: '#0969da',
  first: '#8250df',
  missed: '#bc4c00',
  postgres: '#0969da',
  mainThread: '#bc4c00',
  otherThreads: '#d4a72c',
  load: '#8c959f',
};

const DARK: Readonly<Record<Colour, string>> = {
  paper: '#0d1117',
  text: '#e6edf3',
  muted: '#9198a1',
  grid: '#3d444d',
  reached: '#58a6ff',
  first: '#bc8cff',
  missed: '#f0883e',
  postgres: '#58a6ff',
  mainThread: '#f0883e',
  otherThreads: '#e3b341',
  load: '#6e7681',
};

/** The width of all plots; documents show them at their own size or smaller. */
export const WIDTH = 880;

/** Makes a picture of its parts, which has a background of its own and follows the colour scheme of the reader. */
export function picture(title: string, height: number, parts: readonly string[]): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${number(height)}" viewBox="0 0 ${WIDTH} ${number(height)}" role="img">
<title>${escaped(title)}</title>
<style>
text { font: 13px system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif; }
text.small { font-size: 11px; }
text.title { font-size: 16px; font-weight: 600; }
${rules(LIGHT)}
@media (prefers-color-scheme: dark) {
${rules(DARK)}
}
</style>
<rect class="paper" width="${WIDTH}" height="${number(height)}" rx="8"/>
${parts.join('\n')}
</svg>
`;
}

type Anchor = 'start' | 'middle' | 'end';

/** A text with its baseline at `y`. */
export function text(
  x: number,
  y: number,
  content: string,
  style: { readonly colour?: Colour; readonly size?: 'small' | 'title'; readonly anchor?: Anchor } = {},
): string {
  const { colour = 'text', size, anchor = 'start' } = style;
  const classes = size === undefined ? colour : `${colour} ${size}`;
  return `<text x="${number(x)}" y="${number(y)}" class="${classes}" text-anchor="${anchor}">${escaped(content)}</text>`;
}

/** A line between two points; `dash` makes it a dashed one. */
export function line(
  from: readonly [x: number, y: number],
  to: readonly [x: number, y: number],
  colour: Colour,
  style: { readonly width?: number; readonly dash?: string } = {},
): string {
  const dash = style.dash === undefined ? '' : ` stroke-dasharray="${style.dash}"`;
  return `<path d="M${from.map(number).join(' ')}L${to.map(number).join(' ')}" class="${colour}-line" stroke-width="${style.width ?? 1}"${dash}/>`;
}

/** A bar from its left upper corner. */
export function bar(x: number, y: number, width: number, height: number, colour: Colour): string {
  return `<rect x="${number(x)}" y="${number(y)}" width="${number(width)}" height="${number(height)}" class="${colour}"/>`;
}

/** A dot, full or as a ring. */
export function dot(x: number, y: number, colour: Colour, fill: 'full' | 'ring'): string {
  const inside = fill === 'full' ? colour : 'paper';
  return `<circle cx="${number(x)}" cy="${number(y)}" r="5" class="${inside} ${colour}-line" stroke-width="2"/>`;
}

function rules(colours: Readonly<Record<Colour, string>>): string {
  return Object.entries(colours)
    .map(([name, value]) => `.${name} { fill: ${value}; } .${name}-line { stroke: ${value}; }`)
    .join('\n');
}

/** Tenths of a pixel are enough. */
function number(value: number): string {
  if (!Number.isFinite(value)) throw new Error('a place in a plot is not a number');
  return String(Math.round(value * 10) / 10);
}

function escaped(content: string): string {
  return content.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
