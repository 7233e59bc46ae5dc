import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import createBidi from 'bidi-js/dist/bidi.mjs';
import type { FontFace } from '../../src/artwork/worker/font-faces.ts';
import { readFont } from '../../src/lib/pdf/fonts.ts';
import { clustersOf, directionOf } from '../../src/lib/text/layout.ts';
import type { Glyph, GlyphRun } from './outlines.ts';

const TIMEOUT_MS = 60_000;
const OUTPUT_BYTES_MAX = 256 * 1024 * 1024;

type Piece = {
  readonly face: FontFace;
  readonly text: string;
  readonly isTurned: boolean;
  readonly isKerned: boolean;
};
type Line = { readonly text: string; readonly faces: readonly FontFace[] };
/**
 * The runs of a line from left to right.
 * The text library shapes each ideograph and most kana by itself, as browsers do, and so keeps some pairs apart that
 * `hb-shape` brings together: what it draws lies between the kerned runs and those without kerning.
 */
export type ShapedLine = { readonly runs: readonly GlyphRun[]; readonly unkerned: readonly GlyphRun[] };

/** Debian's `hb-shape`, asked for many pieces in one process for each face. Throws when it is not installed. */
export type Reference = {
  readonly shape: (lines: readonly Line[]) => readonly ShapedLine[];
  readonly close: () => void;
};

/** The first line that `hb-shape --version` prints; undefined when it is not on this machine. */
export function referenceVersion(): string | undefined {
  try {
    return execFileSync('hb-shape', ['--version'], { encoding: 'utf8' }).split('\n')[0];
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

export function openReference(): Reference {
  const folder = mkdtempSync(join(tmpdir(), 'platen-shaping-'));
  const unpacked = new Map<string, string>();
  const known = new Map<string, readonly Glyph[]>();
  const fileOf = ({ name, path }: FontFace): string => {
    const file = unpacked.get(path) ?? join(folder, `${name}.ttf`);
    if (!unpacked.has(path)) writeFileSync(file, readFont(path));
    unpacked.set(path, file);
    return file;
  };
  const shapePieces = (pieces: readonly Piece[]): void => {
    const unknown = pieces.filter((piece) => !known.has(keyOf(piece)));
    const groups = Map.groupBy(unknown, (piece) => keyOf({ ...piece, text: '' }));
    for (const group of groups.values()) {
      const [first] = group;
      if (first === undefined) continue;
      const texts = [...new Set(group.map(({ text }) => text))];
      const answers = askFor(fileOf(first.face), texts, first);
      for (const [index, text] of texts.entries()) known.set(keyOf({ ...first, text }), answers[index] ?? []);
    }
  };
  const glyphsOf = (piece: Piece): readonly Glyph[] => known.get(keyOf(piece)) ?? [];
  return {
    shape: (lines) => {
      const faces = chooseFaces(lines, shapePieces, glyphsOf);
      const pieces = lines.map((line, index) => piecesOf(line.text, faces[index] ?? []));
      const unkerned = pieces.map((ofLine) => ofLine.map((piece) => ({ ...piece, isKerned: !isCjk(piece.face) })));
      shapePieces([...pieces.flat(), ...unkerned.flat()]);
      const runsOf = (ofLine: readonly Piece[] = []): readonly GlyphRun[] =>
        ofLine.map((piece) => ({ face: piece.face, glyphs: glyphsOf(piece) }));
      return pieces.map((ofLine, index) => ({ runs: runsOf(ofLine), unkerned: runsOf(unkerned[index]) }));
    },
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function keyOf({ face, text, isTurned, isKerned }: Piece): string {
  return `${face.path} ${isTurned} ${isKerned} ${text}`;
}

function isCjk({ name }: FontFace): boolean {
  return /^noto-sans-(?:jp|kr|sc|tc)-/.test(name);
}

function askFor(
  file: string,
  texts: readonly string[],
  { isTurned, isKerned }: Pick<Piece, 'isTurned' | 'isKerned'>,
): readonly (readonly Glyph[])[] {
  const direction = `--direction=${isTurned ? 'rtl' : 'ltr'}`;
  const kerning = isKerned ? [] : ['--features=-kern'];
  const options = ['--output-format=json', '--no-glyph-names', '--no-clusters', '--language=en', direction, ...kerning];
  const printed = execFileSync('hb-shape', [...options, '--text-file=-', file], {
    input: `${texts.join('\n')}\n`,
    encoding: 'utf8',
    timeout: TIMEOUT_MS,
    maxBuffer: OUTPUT_BYTES_MAX,
  });
  const lines = printed.trimEnd().split('\n');
  if (lines.length !== texts.length) throw new Error(`hb-shape answered ${lines.length} of ${texts.length} lines`);
  return lines.map((line) => {
    const glyphs = JSON.parse(line) as readonly { g: number; dx: number; dy: number; ax: number }[];
    return glyphs.map(({ g, dx, dy, ax }): Glyph => [g, dx, dy, ax]);
  });
}

/** For each character of each line the first of its faces that `hb-shape` finds all glyphs in. */
function chooseFaces(
  lines: readonly Line[],
  shapePieces: (pieces: readonly Piece[]) => void,
  glyphsOf: (piece: Piece) => readonly Glyph[],
): readonly (readonly FontFace[])[] {
  const most = Math.max(...lines.map(({ faces }) => faces.length));
  const chosen = lines.map(({ text }) => clustersOf(text).map((cluster) => ({ cluster, face: none() })));
  for (let at = 0; at < most; at += 1) {
    const open = chosen.flatMap((clusters, index) =>
      clusters.flatMap((entry) => {
        const face = lines[index]?.faces[at];
        return entry.face !== undefined || face === undefined ? [] : [{ entry, face }];
      }),
    );
    shapePieces(open.map(({ entry, face }) => ({ face, text: entry.cluster, ...ALONE })));
    for (const { entry, face } of open) {
      const glyphs = glyphsOf({ face, text: entry.cluster, ...ALONE });
      if (glyphs.every(([id]) => id !== 0)) entry.face = face;
    }
  }
  return chosen.map((clusters, index) =>
    clusters.map(({ cluster, face }) => {
      if (face === undefined) throw new Error(`no face has ${cluster} of ${lines[index]?.text}`);
      return face;
    }),
  );
}

const ALONE = { isTurned: false, isKerned: true } as const;

function none(): FontFace | undefined {
  return undefined;
}

const bidi = createBidi();

/** The runs of a line of one face and one direction, from left to right (Unicode Standard Annex 9). */
function piecesOf(text: string, faces: readonly FontFace[]): readonly Piece[] {
  const embedding = bidi.getEmbeddingLevels(text, directionOf(text));
  const runs: { face: FontFace; text: string; level: number }[] = [];
  const runAt: (typeof runs)[number][] = [];
  let at = 0;
  for (const [index, cluster] of clustersOf(text).entries()) {
    const [face, level, last] = [faces[index], embedding.levels[at] ?? 0, runs.at(-1)];
    if (face === undefined) throw new Error('a character without a face');
    const run = last?.face.path === face.path && last.level === level ? last : { face, text: '', level };
    if (run !== last) runs.push(run);
    run.text += cluster;
    for (let unit = 0; unit < cluster.length; unit += 1) runAt.push(run);
    at += cluster.length;
  }
  const inOrder = new Set(bidi.getReorderedIndices(text, embedding).flatMap((index) => runAt[index] ?? []));
  return [...inOrder].map((run) => ({ face: run.face, text: run.text, isTurned: run.level % 2 === 1, isKerned: true }));
}
