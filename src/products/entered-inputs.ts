import type { PersonalisationLayer } from './personalisation-template.ts';

/** What a buyer entered in a shop: the name of the field there, and its value. */
export type EnteredProperty = { readonly name: string; readonly value: string };

/** What of a layer its input is found by. */
export type InputLayer = Pick<PersonalisationLayer, 'id' | 'name' | 'type'> & {
  readonly options?: readonly { readonly id: string; readonly name: string }[];
};

/** What a shop calls its one field for whatever a buyer wants on a piece. */
const ONE_FIELD = ['personalisation', 'personalization'];

/**
 * The inputs of a personalised line from what the buyer entered, by the ids of the layers.
 * A property belongs to the layer whose id or name it has; its others are the shop's own. A shop's one field for
 * personalisation belongs to the only text of the product. Of an image choice the name of an option counts as its id.
 * Pure.
 */
export function enteredInputs(
  properties: readonly EnteredProperty[],
  layers: readonly InputLayer[],
): Record<string, string> {
  const entered = new Map(properties.map(({ name, value }) => [plain(name), value]));
  const oneField = ONE_FIELD.map((name) => entered.get(name)).find((value) => value !== undefined);
  return Object.fromEntries(
    layers.flatMap((layer): [string, string][] => {
      const value =
        entered.get(plain(layer.id)) ??
        entered.get(plain(layer.name)) ??
        (isOnlyText(layer, layers) ? oneField : undefined);
      return value === undefined || value === '' ? [] : [[layer.id, inputOf(layer, value)]];
    }),
  );
}

/**
 * The names of what a buyer entered that belongs to no layer, while a layer is empty.
 * It may be called otherwise in the shop, and without it the piece would lack what its buyer wants. What begins with
 * `_` is no buyer's. Pure.
 */
export function unreadNames(properties: readonly EnteredProperty[], layers: readonly InputLayer[]): string[] {
  const known = new Set(layers.flatMap(({ id, name }) => [plain(id), plain(name)]));
  const [only, ...more] = layers.filter(({ type }) => type === 'text');
  if (only !== undefined && more.length === 0) for (const name of ONE_FIELD) known.add(name);
  const isFull = Object.keys(enteredInputs(properties, layers)).length === layers.length;
  if (isFull) return [];
  const entered = properties.filter(({ name, value }) => !name.startsWith('_') && value.trim() !== '');
  return entered.filter(({ name }) => !known.has(plain(name))).map(({ name }) => name);
}

function isOnlyText(layer: InputLayer, layers: readonly InputLayer[]): boolean {
  return layer.type === 'text' && layers.filter(({ type }) => type === 'text').length === 1;
}

function inputOf({ options }: InputLayer, value: string): string {
  return options?.find(({ name }) => plain(name) === plain(value))?.id ?? value;
}

function plain(text: string): string {
  return text.trim().toLowerCase();
}
