import { inflateSync } from 'node:zlib';

/** A box that is filled, in points, the origin at the page's lower left or upper left as the file has it. */
export type Box = { readonly x: number; readonly y: number; readonly width: number; readonly height: number };

/** A picture on a page, in points from its upper left. `jpeg` is the file that it stands in the PDF as. */
export type PlacedPicture = Box & { readonly jpeg: Buffer };

/** Where a text begins, on its baseline, in points from the page's upper left. */
export type PlacedText = { readonly text: string; readonly x: number; readonly y: number; readonly sizePt: number };

export type PdfPage = {
  /** Each text as it was drawn, in the order of drawing. */
  readonly texts: readonly string[];
  readonly boxes: readonly Box[];
  readonly placedTexts: readonly PlacedText[];
  readonly pictures: readonly PlacedPicture[];
};

/**
 * Reads what stands on the pages of a PDF as our library writes them: no object streams, fonts with a table to
 * Unicode, boxes by `re`. Enough to find out what a person or a scanner would see; no reader of PDF at large.
 */
export function readPdf(pdf: Buffer): PdfPage[] {
  const text = pdf.toString('latin1');
  if (!text.startsWith('%PDF-')) throw new Error('not a PDF');
  const objects = new Map<number, string>();
  for (const match of text.matchAll(/(?:^|\n)(\d+) 0 obj\n([\s\S]*?)\nendobj/g))
    objects.set(Number(match[1]), match[2] ?? '');
  const object = (id: string | undefined): string => objects.get(Number(id)) ?? '';
  const pageTree = [...objects.values()].find((one) => /\/Type \/Pages\b/.test(one)) ?? '';
  const kids = /\/Kids \[([^\]]*)\]/.exec(pageTree)?.[1] ?? '';
  return [...kids.matchAll(/(\d+) 0 R/g)].map(([, id]) => readPage(object(id), object));
}

function readPage(page: string, object: (id: string | undefined) => string): PdfPage {
  const resources = object(/\/Resources (\d+) 0 R/.exec(page)?.[1]);
  const fontNames = /\/Font <<([\s\S]*?)>>/.exec(resources)?.[1] ?? '';
  const fonts = new Map(
    [...fontNames.matchAll(/\/(\w+) (\d+) 0 R/g)].map(([, name, id]) => [
      name ?? '',
      unicodeOf(streamOf(object(/\/ToUnicode (\d+) 0 R/.exec(object(id))?.[1]))),
    ]),
  );
  const pictureNames = /\/XObject <<([\s\S]*?)>>/.exec(resources)?.[1] ?? '';
  const images = new Map(
    [...pictureNames.matchAll(/\/(\w+) (\d+) 0 R/g)].map(([, name, id]) => [
      name ?? '',
      Buffer.from(streamOf(object(id)), 'latin1'),
    ]),
  );
  const content = streamOf(object(/\/Contents (\d+) 0 R/.exec(page)?.[1]));
  const texts: string[] = [];
  const boxes: Box[] = [];
  const placedTexts: PlacedText[] = [];
  const pictures: PlacedPicture[] = [];
  let [matrix, place, sizePt]: [number[], number[], number] = [[], [], 0];
  let font = new Map<string, string>();
  for (const line of content.split('\n')) {
    const [, chosen, size] = /^\/(\w+) ([\d.]+) Tf$/.exec(line) ?? [];
    if (chosen !== undefined) {
      font = fonts.get(chosen) ?? new Map<string, string>();
      sizePt = Number(size);
    }
    if (line.endsWith(' cm')) matrix = line.split(' ').slice(0, 6).map(Number);
    if (line.endsWith(' Tm')) place = line.split(' ').slice(4, 6).map(Number);
    const shown = images.get(/^\/(\w+) Do$/.exec(line)?.[1] ?? '');
    if (shown !== undefined) {
      const [width = 0, , , down = 0, x = 0, bottom = 0] = matrix;
      pictures.push({ x, y: bottom + down, width, height: -down, jpeg: shown });
    }
    if (line.endsWith(' TJ')) {
      const glyphs = [...line.matchAll(/<([0-9a-f]*)>/g)].flatMap(([, hex = '']) => hex.match(/.{4}/g) ?? []);
      const text = glyphs.map((glyph) => font.get(glyph) ?? '\ufffd').join('');
      texts.push(text);
      placedTexts.push({ text, x: place[0] ?? 0, y: PAGE_HEIGHT_PT - (place[1] ?? 0), sizePt });
    }
    const box = /^([-\d.]+) ([-\d.]+) ([-\d.]+) ([-\d.]+) re$/.exec(line);
    if (box !== null) {
      const [x = 0, y = 0, width = 0, height = 0] = box.slice(1).map(Number);
      boxes.push({ x, y, width, height });
    }
  }
  return { texts, boxes, placedTexts, pictures };
}

/** Of A4. */
const PAGE_HEIGHT_PT = 841.89;

function streamOf(object: string): string {
  const start = object.indexOf('stream\n') + 'stream\n'.length;
  const bytes = Buffer.from(object.slice(start, object.lastIndexOf('\nendstream')), 'latin1');
  return (object.includes('/FlateDecode') ? inflateSync(bytes) : bytes).toString('latin1');
}

/** Glyph to text, of the ranges that our library writes: `<first> <last> [<text> …]`. */
function unicodeOf(map: string): Map<string, string> {
  const table = new Map<string, string>();
  for (const [, first = '', values = ''] of map.matchAll(/<([0-9a-f]{4})> <[0-9a-f]{4}> \[([^\]]*)\]/g)) {
    [...values.matchAll(/<([0-9a-f ]*)>/g)].forEach(([, hex = ''], index) => {
      const glyph = (Number.parseInt(first, 16) + index).toString(16).padStart(4, '0');
      table.set(glyph, Buffer.from(hex.replaceAll(' ', ''), 'hex').swap16().toString('utf16le'));
    });
  }
  return table;
}

/** Points to a tenth of a millimetre. */
export const MM = 72 / 25.4;

/**
 * The barcodes of a page, top to bottom: boxes of one height beside one another, read as a scanner of Code 128 does.
 */
export function readBarcodes(page: PdfPage): { text: string; moduleMm: number; widthMm: number; heightMm: number }[] {
  const groups = Map.groupBy(page.boxes, ({ y, height }) => `${y.toFixed(2)} ${height.toFixed(2)}`);
  return [...groups.values()]
    .filter((bars) => bars.length > 10)
    .map((bars) => {
      const sorted = bars.toSorted((a, b) => a.x - b.x);
      const first = sorted[0];
      const last = sorted.at(-1);
      if (first === undefined || last === undefined) throw new Error('a barcode without bars');
      // A start symbol is 11 modules, and its first bar two of them.
      const modulePt = first.width / 2;
      const widths = sorted.flatMap((bar, index) => {
        const next = sorted[index + 1];
        return next === undefined ? [bar.width] : [bar.width, next.x - bar.x - bar.width];
      });
      return {
        text: readCode128(widths.map((width) => Math.round(width / modulePt))),
        moduleMm: modulePt / MM,
        widthMm: (last.x + last.width - first.x) / MM,
        heightMm: first.height / MM,
      };
    });
}

// ISO/IEC 15417, table 1: the widths of bars and spaces of the values 0 to 105; 106 is the stop.
const CODE_128 =
  '212222 222122 222221 121223 121322 131222 122213 122312 132212 221213 221312 231212 112232 122132 122231 113222 123122 123221 223211 221132 221231 213212 223112 312131 311222 321122 321221 312212 322112 322211 212123 212321 232121 111323 131123 131321 112313 132113 132311 211313 231113 231311 112133 112331 132131 113123 113321 133121 313121 211331 231131 213113 213311 213131 311123 311321 331121 312113 312311 332111 314111 221411 431111 111224 111422 121124 121421 141122 141221 112214 112412 122114 122411 142112 142211 241211 221114 413111 241112 134111 111242 121142 121241 114212 124112 124211 411212 421112 421211 212141 214121 412121 111143 111341 131141 114113 114311 411113 411311 113141 114131 311141 411131 211412 211214 211232'.split(
    ' ',
  );
const STOP = '2331112';
const [CODE_C, CODE_B, CODE_A, START_A, START_B, START_C] = [99, 100, 101, 103, 104, 105] as const;

/**
 * The text of a Code 128 by its widths in modules; throws on a symbol that does not exist and on a wrong check
 * symbol.
 */
export function readCode128(widths: readonly number[]): string {
  const body = widths.slice(0, -7);
  if (widths.slice(-7).join('') !== STOP) throw new Error('the barcode has no stop');
  const values: number[] = [];
  for (let at = 0; at < body.length; at += 6) {
    const value = CODE_128.indexOf(body.slice(at, at + 6).join(''));
    if (value === -1) throw new Error(`no symbol has the widths ${body.slice(at, at + 6).join('')}`);
    values.push(value);
  }
  const check = values.at(-1);
  const data = values.slice(1, -1);
  const sum = data.reduce((total, value, index) => total + value * (index + 1), values[0] ?? 0);
  if (sum % 103 !== check) throw new Error('the check symbol is wrong');
  let set = values[0] ?? 0;
  let text = '';
  for (const value of data) {
    if (value === CODE_C && set !== START_C) set = START_C;
    else if (value === CODE_B && set !== START_B) set = START_B;
    else if (value === CODE_A && set !== START_A) set = START_A;
    else if (set === START_C) text += `${value}`.padStart(2, '0');
    else if (set === START_B) text += String.fromCharCode(value + 32);
    else text += String.fromCharCode(value < 64 ? value + 32 : value - 64);
  }
  return text;
}
