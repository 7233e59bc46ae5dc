import createBidi from 'bidi-js/dist/bidi.mjs';
import { clustersOf, directionOf, fillLines, isRightToLeft, type MeasuredPart, partsOf } from './layout.ts';

/** A part of a line in one face and one direction, at its visual position. */
export type Run = { readonly face: string; readonly text: string };

export type TextLine = { readonly runs: readonly Run[]; readonly widthPt: number };

/** What layout needs to know of fonts: the face of a character, and the width of a text in one face. */
export type Faces = {
  readonly faceFor: (cluster: string) => string;
  readonly widthPt: (face: string, text: string) => number;
};

/** A character as people count it, with its place in its paragraph. */
type Cluster = { readonly text: string; readonly face: string; readonly at: number };

type Piece = MeasuredPart & { readonly clusters: readonly Cluster[]; readonly spaces: readonly Cluster[] };

/**
 * Breaks a text into lines that fit a width.
 * A line ends between parts of the text, and inside one only if that is wider than a line. Text beyond
 * the last line allowed is left out, with an ellipsis. Each line's runs are in visual order (Unicode
 * Standard Annex 9, without its explicit marks).
 */
export function flowText(text: string, widthPt: number, linesMax: number, faces: Faces): TextLine[] {
  const lines: TextLine[] = [];
  for (const paragraph of text.normalize('NFC').split(/\r\n|[\n\r\u2028\u2029]/)) {
    const drawn = paragraph.replaceAll('\t', ' ').replaceAll(UNDRAWN, '');
    const order = orderOf(drawn);
    const pieces = piecesOf(drawn, faces).flatMap((piece) => cut(piece, widthPt, faces));
    for (const line of fillLines(pieces, widthPt)) {
      if (lines.length === linesMax) return [...lines.slice(0, -1), ended(lines.at(-1), faces)];
      const runs = order(clustersOn(line));
      lines.push({ runs, widthPt: runs.reduce((sum, run) => sum + faces.widthPt(run.face, run.text), 0) });
    }
  }
  return lines;
}

/** Controls draw nothing; explicit direction marks could reverse a line on the page. */
const UNDRAWN = /[\p{Cc}\p{Cs}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu;

function piecesOf(paragraph: string, faces: Faces): Piece[] {
  let at = 0;
  const place = (text: string): Cluster[] =>
    clustersOf(text).map((cluster) => {
      const placed = { text: cluster, face: faces.faceFor(cluster), at };
      at += cluster.length;
      return placed;
    });
  return partsOf(paragraph).map(({ text, space }) => {
    const [clusters, spaces] = [place(text), place(space)];
    return { text, space, clusters, spaces, advance: widthOf(clusters, faces), spaceAdvance: widthOf(spaces, faces) };
  });
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

type LineOrder = (line: readonly Cluster[]) => Run[];

/** The visual order of a paragraph's lines. The paragraph's first letter decides their direction. */
function orderOf(paragraph: string): LineOrder {
  if (NEVER_TURNED.test(paragraph)) return logicalRuns;
  const { levels, paragraphs } = bidi.getEmbeddingLevels(paragraph, directionOf(paragraph));
  return (line) => {
    const text = line.map((cluster) => cluster.text).join('');
    const start = line[0]?.at ?? 0;
    const ofLine = {
      levels: levels.slice(start, start + text.length),
      paragraphs: paragraphs.map(({ level }) => ({ start: 0, end: text.length - 1, level })),
    };
    const runs = levelRuns(line, levels);
    const runAt = runs.flatMap((run) => Array.from({ length: run.text.length }, () => run));
    // A run has one level, so it stays in one piece, at the place of its first character.
    const inOrder = new Set(bidi.getReorderedIndices(text, ofLine).flatMap((index) => runAt[index] ?? []));
    return [...inOrder].map(turned);
  };
}

const bidi = createBidi();

/** Scripts before Hebrew in Unicode are written from left to right. */
const NEVER_TURNED = /^[\0-\u058f]*$/;

type LevelRun = { readonly face: string; text: string; readonly level: number };

/** In the order of reading; levels are even from left to right and odd from right to left. */
function levelRuns(line: readonly Cluster[], levels: Uint8Array): LevelRun[] {
  const runs: LevelRun[] = [];
  for (const { face, text, at } of line) {
    const level = levels[at] ?? 0;
    const last = runs.at(-1);
    if (last?.face === face && last.level === level) last.text += text;
    else runs.push({ face, text, level });
  }
  return runs;
}

/**
 * The text of a run, arranged so that the font draws it in visual order.
 * Fonts reverse some of it themselves.
 */
function turned({ face, text, level }: LevelRun): Run {
  const isToTurn = level % 2 === 1;
  const clusters = clustersOf(text);
  const drawn = isToTurn ? clusters.map((cluster) => bidi.getMirroredCharacter(cluster) ?? cluster) : clusters;
  const isTurned = drawn.some((cluster) => isTurnedByFonts(cluster));
  return { face, text: (isTurned === isToTurn ? drawn : drawn.toReversed()).join('') };
}

/** A run with letters from right to left, or with Arabic digits, which are read from left to right. */
function isTurnedByFonts(cluster: string): boolean {
  return isRightToLeft(cluster) || /^[\u0660-\u0669]/.test(cluster);
}
