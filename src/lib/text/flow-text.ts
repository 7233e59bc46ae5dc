import { clustersOf, fillLines, isRightToLeft, type MeasuredPart, partsOf } from './layout.ts';

/** A part of a line that is drawn in one face and one direction, where it stands in the order of the eye. */
export type Run = { readonly face: string; readonly text: string };

export type TextLine = { readonly runs: readonly Run[]; readonly widthPt: number };

/** What laying text out needs to know of fonts: the face of a character, and how wide a text in one face is. */
export type Faces = {
  readonly faceFor: (cluster: string) => string;
  readonly widthPt: (face: string, text: string) => number;
};

/** A character as people count it. */
type Cluster = {
  readonly text: string;
  readonly face: string;
  readonly side: 'left' | 'right' | 'number' | 'none';
};

type Piece = MeasuredPart & { readonly clusters: readonly Cluster[]; readonly spaces: readonly Cluster[] };

/**
 * Breaks a text into lines that fit a width: between its parts, and inside one only if it is wider than a line.
 *
 * What is beyond the last line allowed is left out, with an ellipsis. Each line's runs are in the order of the eye: what is written from
 * right to left is turned (a part of UAX 9, without its explicit marks).
 */
export function flowText(text: string, widthPt: number, linesMax: number, faces: Faces): TextLine[] {
  const lines: TextLine[] = [];
  for (const paragraph of text.normalize('NFC').split(/\r\n|[\n\r\u2028\u2029]/)) {
    const drawn = paragraph.replaceAll('\t', ' ').replaceAll(UNDRAWN, '');
    const pieces = piecesOf(drawn, faces).flatMap((piece) => cut(piece, widthPt, faces));
    for (const line of fillLines(pieces, widthPt)) {
      if (lines.length === linesMax) return [...lines.slice(0, -1), ended(lines.at(-1), faces)];
      lines.push(lineOf(clustersOn(line), faces));
    }
  }
  return lines;
}

/** Controls draw nothing, and the explicit marks of direction could turn a line around in a reader's eye. */
const UNDRAWN = /[\p{Cc}\p{Cs}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu;

function piecesOf(paragraph: string, faces: Faces): Piece[] {
  const withFaces = (text: string): Cluster[] =>
    clustersOf(text).map((cluster) => ({ text: cluster, face: faces.faceFor(cluster), side: sideOf(cluster) }));
  return partsOf(paragraph).map(({ text, space }) => {
    const [clusters, spaces] = [withFaces(text), withFaces(space)];
    return { text, space, clusters, spaces, advance: widthOf(clusters, faces), spaceAdvance: widthOf(spaces, faces) };
  });
}

function sideOf(cluster: string): Cluster['side'] {
  if (/^\p{Nd}/u.test(cluster)) return 'number';
  if (isRightToLeft(cluster)) return 'right';
  return /^\p{L}/u.test(cluster) ? 'left' : 'none';
}

/** A piece that is wider than a line, in pieces that are not. */
function cut(piece: Piece, widthPt: number, faces: Faces): Piece[] {
  if (piece.advance <= widthPt) return [piece];
  const singles = piece.clusters.map((cluster): Piece => {
    const clusters = [cluster];
    return { text: cluster.text, space: '', clusters, spaces: [], advance: widthOf(clusters, faces), spaceAdvance: 0 };
  });
  const pieces = fillLines(singles, widthPt).map((line): Piece => {
    const [text, clusters] = [line.map((single) => single.text).join(''), line.flatMap((single) => single.clusters)];
    return { ...NO_SPACE, text, clusters, advance: line.reduce((sum, { advance }) => sum + advance, 0) };
  });
  const { space, spaces, spaceAdvance } = piece;
  return pieces.map((one, index) => (index === pieces.length - 1 ? { ...one, space, spaces, spaceAdvance } : one));
}

const NO_SPACE = { space: '', spaces: [], spaceAdvance: 0 } as const;

/** Without the space at the end. */
function clustersOn(line: readonly Piece[]): Cluster[] {
  return line.flatMap(({ clusters, spaces }, index) =>
    index === line.length - 1 ? clusters : [...clusters, ...spaces],
  );
}

function widthOf(part: readonly Cluster[], faces: Faces): number {
  return logicalRuns(part).reduce((sum, run) => sum + faces.widthPt(run.face, run.text), 0);
}

function logicalRuns(part: readonly Cluster[]): Run[] {
  const runs: { face: string; text: string }[] = [];
  for (const { face, text } of part) {
    const last = runs.at(-1);
    if (last?.face === face) last.text += text;
    else runs.push({ face, text });
  }
  return runs;
}

function ended(line: TextLine | undefined, faces: Faces): TextLine {
  const runs = line?.runs ?? [];
  const face = faces.faceFor('…');
  return { runs: [...runs, { face, text: '…' }], widthPt: (line?.widthPt ?? 0) + faces.widthPt(face, '…') };
}

function lineOf(line: readonly Cluster[], faces: Faces): TextLine {
  const runs = visualRuns(line);
  return { runs, widthPt: runs.reduce((sum, run) => sum + faces.widthPt(run.face, run.text), 0) };
}

type LevelRun = { face: string; text: string; level: number };

/** The runs of a line from left to right: its levels (UAX 9, W, N and I rules for plain text), then turned (rule L2). */
function visualRuns(line: readonly Cluster[]): Run[] {
  if (line.every(({ side }) => side !== 'right')) return logicalRuns(line);
  const levels = levelsOf(line);
  const runs: LevelRun[] = [];
  line.forEach(({ face, text }, index) => {
    const level = levels[index] ?? 0;
    const last = runs.at(-1);
    const drawn = level % 2 === 1 ? (MIRRORED[text] ?? text) : text;
    if (last?.face === face && last.level === level) last.text += drawn;
    else runs.push({ face, text: drawn, level });
  });
  let turned = runs;
  for (let level = Math.max(...levels); level > 0; level -= 1) turned = turnFrom(turned, level);
  return turned.map(({ face, text, level }) => ({ face, text: level % 2 === 1 ? turnNeutrals(text) : text }));
}

/** Fonts turn what is written from right to left themselves, by its letters; brackets and spaces alone are turned here. */
function turnNeutrals(text: string): string {
  const all = clustersOf(text);
  return all.some(isRightToLeft) ? text : all.toReversed().join('');
}

const MIRRORED: Readonly<Record<string, string>> = {
  '(': ')',
  ')': '(',
  '[': ']',
  ']': '[',
  '«': '»',
  '»': '«',
  '<': '>',
  '>': '<',
};

/** Reverses every stretch of runs at a level or above it. */
function turnFrom(runs: readonly LevelRun[], level: number): LevelRun[] {
  const turned: LevelRun[] = [];
  let stretch: LevelRun[] = [];
  for (const run of runs) {
    if (run.level >= level) {
      stretch.unshift(run);
      continue;
    }
    turned.push(...stretch, run);
    stretch = [];
  }
  return [...turned, ...stretch];
}

/** The level of each character: even from left to right, odd from right to left. The first letter decides for the line. */
function levelsOf(line: readonly Cluster[]): number[] {
  const strong = line.find(({ side }) => side === 'left' || side === 'right');
  const base = strong?.side === 'right' ? 1 : 0;
  // To which side each character that has one belongs; a number goes with the last letter before it.
  const sides: ('left' | 'right' | undefined)[] = [];
  let letter: 'left' | 'right' = base === 1 ? 'right' : 'left';
  for (const [index, { side }] of line.entries()) {
    if (side === 'left' || side === 'right') letter = side;
    sides.push(side === 'none' && !isInsideNumber(line, index) ? undefined : letter);
  }
  return line.map((cluster, index) => {
    const side = sides[index];
    if (side === 'left') return base === 1 ? 2 : 0;
    if (side === 'right') return cluster.side === 'right' ? 1 : 2;
    const before = sides.slice(0, index).findLast((one) => one !== undefined);
    const after = sides.slice(index + 1).find((one) => one !== undefined);
    if (before === undefined || before !== after) return base;
    return before === 'right' ? 1 : base === 1 ? 2 : 0;
  });
}

/** The point of 1.5 and the dash of 10-12. */
function isInsideNumber(line: readonly Cluster[], index: number): boolean {
  const isSeparator = /^[.,:/-]$/.test(line[index]?.text ?? '');
  return isSeparator && line[index - 1]?.side === 'number' && line[index + 1]?.side === 'number';
}
