/** A part of a line that is drawn in one face and one direction, where it stands in the order of the eye. */
export type Run = { readonly face: string; readonly text: string };

export type TextLine = { readonly runs: readonly Run[]; readonly widthPt: number };

/** What laying text out needs to know of fonts: the face of a character, and how wide a text in one face is. */
export type Faces = {
  readonly faceFor: (cluster: string) => string;
  readonly widthPt: (face: string, text: string) => number;
};

const clusters = new Intl.Segmenter('en', { granularity: 'grapheme' });

type Cluster = {
  readonly text: string;
  readonly face: string;
  readonly direction: 'left' | 'right' | 'number' | 'none';
};

/**
 * Breaks a text into lines that fit a width: after spaces and hyphens, beside characters of Chinese and Japanese, and inside a
 * word only if it is wider than a line. What is beyond the last line allowed is left out, with an ellipsis. Each line's runs
 * are in the order of the eye: what is written from right to left is turned (a part of UAX 9, without its explicit marks).
 */
export function layText(text: string, widthPt: number, linesMax: number, faces: Faces): TextLine[] {
  const lines: TextLine[] = [];
  for (const paragraph of text.normalize('NFC').split(/\r\n|[\n\r\u2028\u2029]/)) {
    for (const line of breakParagraph(clustersOf(paragraph, faces), widthPt, faces)) {
      if (lines.length === linesMax) return [...lines.slice(0, -1), ended(lines.at(-1), faces)];
      lines.push(lineOf(line, faces));
    }
  }
  return lines;
}

/** Controls draw nothing, and the explicit marks of direction could turn a line around in a reader's eye. */
const UNDRAWN = /[\p{Cc}\p{Cs}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu;

function clustersOf(paragraph: string, faces: Faces): Cluster[] {
  const drawn = paragraph.replaceAll('\t', ' ').replaceAll(UNDRAWN, '');
  return Array.from(clusters.segment(drawn), ({ segment }) => ({
    text: segment,
    face: faces.faceFor(segment),
    direction: directionOf(segment),
  }));
}

function directionOf(cluster: string): Cluster['direction'] {
  if (/^\p{Nd}/u.test(cluster)) return 'number';
  if (/^[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}]/u.test(cluster)) return 'right';
  return /^\p{L}/u.test(cluster) ? 'left' : 'none';
}

const WIDE = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303f\uff00-\uffef]/u;

/** Whether a line may end between two characters. */
function mayBreak(before: Cluster, after: Cluster): boolean {
  if (after.text === ' ' || /^[\u3001\u3002\uff0c\uff0e)\]}\uff09\u300d\u30fc]/u.test(after.text)) return false;
  return before.text === ' ' || before.text === '-' || WIDE.test(before.text) || WIDE.test(after.text);
}

function breakParagraph(all: readonly Cluster[], widthPt: number, faces: Faces): Cluster[][] {
  const lines: Cluster[][] = [];
  let line: Cluster[] = [];
  let lineWidth = 0;
  for (const word of wordsOf(all)) {
    const width = widthOf(word, faces);
    if (line.length > 0 && lineWidth + widthOf(withoutEnd(word), faces) > widthPt) {
      lines.push(withoutEnd(line));
      line = [];
      lineWidth = 0;
    }
    if (width <= widthPt) {
      line.push(...word);
      lineWidth += width;
      continue;
    }
    for (const cluster of word) {
      const one = widthOf([cluster], faces);
      if (line.length > 0 && lineWidth + one > widthPt) {
        lines.push(line);
        line = [];
        lineWidth = 0;
      }
      line.push(cluster);
      lineWidth += one;
    }
  }
  return [...lines, withoutEnd(line)];
}

function wordsOf(all: readonly Cluster[]): Cluster[][] {
  const words: Cluster[][] = [];
  all.forEach((cluster, index) => {
    const before = all[index - 1];
    const word = words.at(-1);
    if (word === undefined || before === undefined || mayBreak(before, cluster)) words.push([cluster]);
    else word.push(cluster);
  });
  return words;
}

function withoutEnd(line: readonly Cluster[]): Cluster[] {
  const end = line.findLastIndex(({ text }) => text !== ' ');
  return line.slice(0, end + 1);
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
  if (line.every(({ direction }) => direction !== 'right')) return logicalRuns(line);
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
  const all = Array.from(clusters.segment(text), ({ segment }) => segment);
  return all.some((cluster) => directionOf(cluster) === 'right') ? text : all.toReversed().join('');
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
  const strong = line.find(({ direction }) => direction === 'left' || direction === 'right');
  const base = strong?.direction === 'right' ? 1 : 0;
  // To which side each character that has one belongs; a number goes with the last letter before it.
  const sides: ('left' | 'right' | undefined)[] = [];
  let letter: 'left' | 'right' = base === 1 ? 'right' : 'left';
  for (const [index, { direction }] of line.entries()) {
    if (direction === 'left' || direction === 'right') letter = direction;
    sides.push(direction === 'none' && !isInsideNumber(line, index) ? undefined : letter);
  }
  return line.map(({ direction }, index) => {
    const side = sides[index];
    if (side === 'left') return base === 1 ? 2 : 0;
    if (side === 'right') return direction === 'right' ? 1 : 2;
    const before = sides.slice(0, index).findLast((one) => one !== undefined);
    const after = sides.slice(index + 1).find((one) => one !== undefined);
    if (before === undefined || before !== after) return base;
    return before === 'right' ? 1 : base === 1 ? 2 : 0;
  });
}

/** The point of 1.5 and the dash of 10-12. */
function isInsideNumber(line: readonly Cluster[], index: number): boolean {
  const isSeparator = /^[.,:/-]$/.test(line[index]?.text ?? '');
  return isSeparator && line[index - 1]?.direction === 'number' && line[index + 1]?.direction === 'number';
}
