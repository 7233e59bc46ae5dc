import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import sharp, { type OverlayOptions } from 'sharp';
import { NEWEST_OF_TEXTS, type TextDrawing } from '../../src/artwork/drawing.ts';
import { BUNDLED_FAMILIES } from '../../src/artwork/fonts/families.ts';
import { createTextRenderer, type TextRenderer } from '../../src/artwork/worker/text-renderer.ts';
import { SENTENCES } from './samples.ts';

const WIDTH_PX = 1_000;
const LABEL_PX = 190;
const FAMILY_HEIGHT_PX = 56;
const SCRIPT_HEIGHT_PX = 88;
const FAMILY_TEXT = 'Harbour & Pine, 1987 “Quay”';

type Row = { readonly label: string; readonly font: string; readonly text: string; readonly heightPx: number };

/** Draws every family and every script by the code that draws print files, as one PNG. */
async function drawSpecimen(path: string): Promise<void> {
  process.env.DISABLE_SYSTEM_FONTS_LOAD = '1';
  const rows: Row[] = [
    ...Object.entries(BUNDLED_FAMILIES).map(([font, { style }]) => ({
      label: `${font}\n${style}`,
      font,
      text: FAMILY_TEXT,
      heightPx: FAMILY_HEIGHT_PX,
    })),
    ...SENTENCES.map(([writing, script, text]) => ({
      label: writing === script ? script : `${writing}\n${script}`,
      font: 'Noto Sans',
      text,
      heightPx: SCRIPT_HEIGHT_PX,
    })),
  ];
  const renderer = await createTextRenderer(NEWEST_OF_TEXTS);
  let top = 0;
  const layers: OverlayOptions[] = [];
  for (const row of rows) {
    const { label, font, text, heightPx } = row;
    const sizeMax = heightPx === FAMILY_HEIGHT_PX ? 36 : 28;
    layers.push(
      ...layerOf(renderer, { text: label, font: 'Noto Sans', color: '#606060' }, [20, LABEL_PX], 14, row, top),
    );
    layers.push(...layerOf(renderer, { text, font, color: '#101010' }, [LABEL_PX, WIDTH_PX - 20], sizeMax, row, top));
    top += heightPx;
  }
  renderer.close();
  await mkdir(dirname(path), { recursive: true });
  await sharp({ create: { width: WIDTH_PX, height: top, channels: 4, background: '#ffffff' } })
    .composite(layers)
    .png({ palette: true, colours: 16, compressionLevel: 9 })
    .toFile(path);
}

function layerOf(
  renderer: TextRenderer,
  words: Pick<TextDrawing, 'text' | 'font' | 'color'>,
  [left, right]: readonly [number, number],
  sizeMax: number,
  { heightPx }: Row,
  top: number,
): OverlayOptions[] {
  const box = { left, top, width: right - left, height: heightPx };
  const drawing: TextDrawing = { kind: 'text', align: 'left', sizePx: { min: 8, max: sizeMax }, ...words, box };
  const verdict = renderer.judge(drawing);
  if (verdict.kind !== 'fits') throw new Error(`${words.text}: ${JSON.stringify(verdict)}`);
  const ink = renderer.draw(drawing);
  if (ink === undefined) throw new Error(`${words.text} left no ink`);
  const { width, height, pixels } = ink;
  const raw = { width, height, channels: 4 as const };
  return [{ input: Buffer.from(pixels), raw, left: left + ink.left, top: top + ink.top }];
}

await drawSpecimen(process.argv[2] ?? 'docs/specimen.png');
