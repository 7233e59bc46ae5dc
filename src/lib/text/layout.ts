// How text is broken into lines and in which direction it runs: one set of rules for documents and for what is printed
// on products. A change here changes what print files show, so it needs a new recipe version (ADR 0006).

/** A piece of a line that stays whole, and the space after it, which falls away at the end of a line. */
export type TextPart = { readonly text: string; readonly space: string };

/** A part with how far it and its space move the pen, in any unit. */
export type MeasuredPart = TextPart & { readonly advance: number; readonly spaceAdvance: number };

export type TextDirection = 'ltr' | 'rtl';

const words = new Intl.Segmenter('en', { granularity: 'word' });

/** Spaces at which a line may be broken; the no-break spaces are not among them. */
const BREAKING_SPACE = /^[ \u2000-\u2006\u2008-\u200a\u205f\u3000]+$/;
/** Writing without spaces, where a line may end after any word. */
const UNSPACED = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{RGI_Emoji}ー、。，．・「」『』（）！？]$/v;
/**
 * Letters of writing without spaces whose words only a dictionary finds.
 * The runtime has one for each of these. Between two words a line may end; a digit or a foreign word beside them stays.
 */
const BY_DICTIONARY = /^[[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]&&[\p{L}\p{M}]]/v;
/**
 * Never at the start of a line.
 * Closing marks, and small kana and signs that belong to what precedes them, such as those that repeat it.
 */
const NO_START = /^[\p{Pe}\p{Pf}\p{Po}ーゝゞ々ぁぃぅぇぉっゃゅょゎァィゥェォッャュョヮ\-‐–ๆฯໆຯៗ]/v;
/** Never at the end of a line: opening marks, and the small kana that doubles what follows. */
const NO_END = /[\p{Ps}\p{Pi}っッ]$/v;
/** A line may end after hyphens, and after the marks of words in Ethiopic and syllables in Tibetan. */
const HYPHEN = /[\-‐–፡་]$/v;

/**
 * Cuts a line (without line breaks) into the parts between which it may be broken.
 *
 * Breaks are after spaces and hyphens, and between emoji and the words of scripts without spaces. Joined again, the
 * parts are the line.
 */
export function partsOf(line: string): readonly TextPart[] {
  const parts: { text: string; space: string }[] = [];
  for (const { segment } of words.segment(line)) {
    const last = parts.at(-1);
    if (BREAKING_SPACE.test(segment) && last !== undefined) last.space += segment;
    else if (last === undefined || mayBreak(last, segment)) parts.push({ text: segment, space: '' });
    else last.text += segment;
  }
  return parts;
}

function mayBreak(before: TextPart, next: string): boolean {
  if (before.space !== '') return true;
  if (NO_START.test(next) || NO_END.test(before.text)) return false;
  const [last, first] = [lastOf(before.text), firstOf(next)];
  if (BY_DICTIONARY.test(last) && BY_DICTIONARY.test(first)) return true;
  return HYPHEN.test(before.text) || isUnspaced(last) || isUnspaced(first);
}

function isUnspaced(cluster: string): boolean {
  return UNSPACED.test(cluster);
}

const clusters = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** The grapheme clusters of a text: base and marks together, all parts of an emoji together. */
export function clustersOf(text: string): readonly string[] {
  return Array.from(clusters.segment(text), ({ segment }) => segment);
}

function firstOf(text: string): string {
  return clusters.segment(text).containing(0)?.segment ?? '';
}

function lastOf(text: string): string {
  return clusters.segment(text).containing(text.length - 1)?.segment ?? '';
}

/** The direction of a line: that of its first letter (Unicode Standard Annex 9, rules P2 and P3). */
export function directionOf(line: string): TextDirection {
  const letter = /\p{L}/u.exec(line)?.[0];
  return letter !== undefined && isRightToLeft(letter) ? 'rtl' : 'ltr';
}

/** Whether a character belongs to a script that is written from right to left. */
export function isRightToLeft(character: string): boolean {
  return /^[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}]/u.test(character);
}

/** From baseline to baseline, and what a single line takes, in sizes of its letters. */
export const LINE_HEIGHT = 1.2;
/** Of scripts with marks above marks, and of those that stack letters below: lines would touch at 1.2. */
const HIGH =
  /[\p{Script=Thai}\p{Script=Lao}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Oriya}\p{Script=Sinhala}\p{Script=Telugu}]/v;
const HIGH_LINE_HEIGHT = 1.4;
const STACKED = /[\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Tibetan}\p{Script=Javanese}]/v;
const STACKED_LINE_HEIGHT = 1.6;

/** From baseline to baseline in a text, in sizes of its letters: that of its tallest script. */
export function lineHeightOf(text: string): number {
  if (STACKED.test(text)) return STACKED_LINE_HEIGHT;
  return HIGH.test(text) ? HIGH_LINE_HEIGHT : LINE_HEIGHT;
}

/**
 * Puts as many parts on a line as its width holds; a part that is wider gets a line of its own.
 *
 * The space between two parts counts, that at the end of a line does not. No parts are one empty line.
 */
export function fillLines<Part extends MeasuredPart>(parts: readonly Part[], width: number): Part[][] {
  let line: Part[] = [];
  const lines = [line];
  let lineAdvance = 0;
  let gapAdvance = 0;
  for (const part of parts) {
    const advance = lineAdvance + gapAdvance + part.advance;
    if (line.length === 0 || advance <= width) {
      line.push(part);
      lineAdvance = advance;
    } else {
      line = [part];
      lines.push(line);
      lineAdvance = part.advance;
    }
    gapAdvance = part.spaceAdvance;
  }
  return lines;
}
