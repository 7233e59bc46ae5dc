/** A piece of a line that stays whole, and the space after it, which falls away at the end of a line. */
export type TextPart = { readonly text: string; readonly space: string };

const words = new Intl.Segmenter('en', { granularity: 'word' });

/** Spaces at which a line may be broken; the no-break spaces are not among them. */
const BREAKING_SPACE = /^[ \u2000-\u2006\u2008-\u200a\u205f\u3000]+$/;
/** Writing without spaces, where a line may end after any word. */
const UNSPACED = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{RGI_Emoji}ー、。，．・「」『』（）！？]$/v;
/** Never at the start of a line: closing marks, and small kana and signs that belong to what is before them. */
const NO_START = /^[\p{Pe}\p{Pf}\p{Po}ーゝゞ々ぁぃぅぇぉっゃゅょゎァィゥェォッャュョヮ\-‐–]/v;
/** Never at the end of a line: opening marks, and the small kana that doubles what follows. */
const NO_END = /[\p{Ps}\p{Pi}っッ]$/v;
const HYPHEN = /[\-‐–]$/v;

/**
 * Cuts a line (without line breaks) into the parts between which it may be broken: after spaces and hyphens, and between
 * words of Japanese and emoji. Joined again, the parts are the line.
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
  return HYPHEN.test(before.text) || isUnspaced(lastOf(before.text)) || isUnspaced(firstOf(next));
}

function isUnspaced(cluster: string): boolean {
  return UNSPACED.test(cluster);
}

const clusters = new Intl.Segmenter('en', { granularity: 'grapheme' });

function firstOf(text: string): string {
  return clusters.segment(text).containing(0)?.segment ?? '';
}

function lastOf(text: string): string {
  return clusters.segment(text).containing(text.length - 1)?.segment ?? '';
}
