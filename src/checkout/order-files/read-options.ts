import type { EnteredProperty } from '../../products/entered-inputs.ts';

/** The options of an item, as one cell of a file has them. */
export type ReadOptions = {
  /** All values that choose a variant. */
  readonly options: readonly string[];
  /** Of them its colour and its size; all where none is named. */
  readonly variant: readonly string[];
  /** Each value with its name, and what the buyer wrote. */
  readonly properties: readonly EnteredProperty[];
  /** Those of them that are no colour and no size: they are of no use but for what is printed. */
  readonly entered: readonly EnteredProperty[];
};

const NAMED = /^([^:,/]{1,100}):(.*)$/s;
const OF_VARIANT = /colou?r|size/i;
const WRITTEN = /^personali[sz]ation$/i;
/** What Etsy writes where a buyer was asked for nothing. */
const NOT_ASKED = 'not requested on this item.';

/**
 * Reads the options of an item: `Size:M,Colour:Black`, or `Black / M` without names.
 * What a buyer wrote stands last and goes to the end: it may have any sign in it. It is no option, since it is
 * another for each buyer. Pure.
 */
export function readOptions(text: string): ReadOptions {
  if (text === '') return { options: [], variant: [], properties: [], entered: [] };
  if (!NAMED.test(text)) {
    const options = text
      .split(/[/,]/)
      .map((option) => option.trim())
      .filter((option) => option !== '');
    return { options, variant: options, properties: [], entered: [] };
  }
  const properties: EnteredProperty[] = [];
  let rest: string | undefined = text;
  while (rest !== undefined) {
    const [, name = '', after = '']: readonly string[] = NAMED.exec(rest) ?? [];
    const isWritten = WRITTEN.test(name.trim());
    const next: number = isWritten ? -1 : after.search(/,[^:,/]{1,100}:/);
    const value = (next === -1 ? after : after.slice(0, next)).trim();
    properties.push({ name: name.trim(), value: value.toLowerCase() === NOT_ASKED ? '' : value });
    rest = next === -1 ? undefined : after.slice(next + 1);
  }
  const given = properties.filter(({ value }) => value !== '');
  const chosen = given.filter(({ name }) => !WRITTEN.test(name));
  const ofVariant = chosen.filter(({ name }) => OF_VARIANT.test(name));
  const values = (some: typeof chosen): string[] => some.map(({ value }) => value);
  return {
    options: values(chosen),
    variant: values(ofVariant.length > 0 ? ofVariant : chosen),
    properties: given,
    entered: given.filter(({ name }) => !OF_VARIANT.test(name)),
  };
}
