import { writeFileSync } from 'node:fs';
import { NEWEST_OF_TEXTS } from '../../src/artwork/drawing.ts';
import { facesOfText, inDrawingOrder } from '../../src/artwork/worker/font-faces.ts';
import { directionOf } from '../../src/lib/text/layout.ts';
import { openReference, referenceVersion, type ShapedLine } from './hb-shape.ts';
import { drawnOutlines, firstDifference, shapedOutlines } from './outlines.ts';
import { generateSamples, type Sample, seeded } from './strings.ts';

const STRINGS = 3_000;
const SEED = 13;
const STORED = 'test/typesetting/glyph-runs.json';
/** Of the strings, every so many is stored for `npm test`. */
const STORED_EACH = 15;
const SHOWN_MAX = 20;

/** Compares what the text library draws with `hb-shape` of Debian; with `--write`, stores some runs for `npm test`. */
function compare(): void {
  const version = referenceVersion();
  if (version === undefined) {
    process.stderr.write('hb-shape is not on this machine. On Debian: apt-get install libharfbuzz-bin\n');
    process.exitCode = 1;
    return;
  }
  const samples = generateSamples(STRINGS, seeded(SEED));
  const lines = samples.map((sample) => ({ text: sample.text, faces: facesFor(sample) }));
  const reference = openReference();
  const shaped = reference.shape(lines);
  reference.close();
  const faults = lines.flatMap(({ text, faces }, index) => {
    const { runs, unkerned } = shaped[index] ?? { runs: [], unkerned: [] };
    const drawn = drawnOutlines(faces, text, directionOf(text));
    const difference = firstDifference(drawn, shapedOutlines(runs), shapedOutlines(unkerned));
    return difference === undefined ? [] : [`${samples[index]?.family}: ${JSON.stringify(text)}: ${difference}`];
  });
  const runs = shaped.flatMap((line) => line.runs);
  const glyphs = runs.reduce((sum, run) => sum + run.glyphs.length, 0);
  const boxes = runs.reduce((sum, run) => sum + run.glyphs.filter(([id]) => id === 0).length, 0);
  process.stdout.write(
    `${version}: ${lines.length} strings, ${glyphs} glyphs of ${new Set(runs.map((run) => run.face.name)).size} faces, ` +
      `${boxes} boxes, ${faults.length} drawn otherwise\n${faults.slice(0, SHOWN_MAX).join('\n')}\n`,
  );
  if (faults.length > 0 || boxes > 0) process.exitCode = 1;
  else if (process.argv.includes('--write')) store(samples, shaped);
}

function facesFor({ family, text }: Sample) {
  return inDrawingOrder(facesOfText(family, text, []).faces, text, NEWEST_OF_TEXTS);
}

function store(samples: readonly Sample[], shaped: readonly ShapedLine[]): void {
  const rows = samples.flatMap(({ family, text }, index) => {
    const runs = (shaped[index]?.runs ?? []).map(({ face, glyphs }) => [face.name, glyphs.flat()]);
    return index % STORED_EACH === 0 && isKernedAlike(shaped[index]) ? [JSON.stringify({ family, text, runs })] : [];
  });
  writeFileSync(STORED, `[\n${rows.join(',\n')}\n]\n`);
}

/** Pairs of kana that are kept apart are compared by the command alone. */
function isKernedAlike(line: ShapedLine | undefined): boolean {
  return JSON.stringify(line?.runs) === JSON.stringify(line?.unkerned);
}

compare();
