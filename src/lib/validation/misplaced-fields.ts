import type { Problem } from '../errors.ts';
import { memberPath } from './explain.ts';

/** By place in a body, the names that are refused there with what was meant. `''` is the body. */
export type MisplacedFields = Readonly<Record<string, Readonly<Record<string, string>>>>;

const ARTWORK = [
  'areas',
  ...['artwork', 'artworks', 'artwork_url', 'artworkUrl', 'artwork_urls', 'artworkUrls'],
  ...['asset', 'assets', 'asset_url', 'assetUrl'],
  ...['design', 'designs', 'design_url', 'designUrl'],
  ...['file', 'files', 'file_url', 'fileUrl'],
  ...['graphic', 'graphic_url', 'graphicUrl'],
  ...['image', 'images', 'image_url', 'imageUrl'],
  ...['picture', 'picture_url', 'pictureUrl'],
  ...[
    'print_file',
    'printFile',
    'print_files',
    'printFiles',
    'print_file_url',
    'printFileUrl',
    'print_url',
    'printUrl',
  ],
];
const PERSONALISATION = ['personalisation', 'personalization', 'customisation', 'customization'];
const REFERENCE = [
  ...['external_ref', 'externalRef', 'externalReference', 'external_id', 'externalId'],
  ...['idempotency_key', 'idempotencyKey'],
];

const AS_ARTWORK = 'Send artwork as `decoration.areas[].artwork_url` of the item.';
const AS_PERSONALISATION = 'Send personalisation as `decoration.personalisation` of the item.';

/**
 * The members that `POST /orders` and `POST /orders/estimate` refuse.
 * Where they stand they would be ignored, and were meant to change what is made or paid. Frozen for v1: another name
 * would refuse requests that are accepted today.
 */
export const MISPLACED_IN_ORDER: MisplacedFields = {
  '': {
    ...meaning(ARTWORK, AS_ARTWORK),
    ...meaning(PERSONALISATION, AS_PERSONALISATION),
    ...meaning(['decoration'], 'Send `decoration` with each item.'),
    ...meaning(REFERENCE, 'Did you mean `external_reference`?'),
  },
  'items[]': {
    ...meaning([...ARTWORK, 'url'], AS_ARTWORK),
    ...meaning(PERSONALISATION, AS_PERSONALISATION),
    ...meaning(['qty'], 'Did you mean `quantity`?'),
    ...meaning(['sku'], 'Did you mean `variant_sku`?'),
  },
  'items[].print_jobs[]': meaning([...ARTWORK, 'url'], AS_ARTWORK),
};

/** As `MISPLACED_IN_ORDER`, for `POST` and `PATCH /products`: what its orders would print. */
export const MISPLACED_IN_PRODUCT: MisplacedFields = {
  '': {
    ...meaning(
      ARTWORK,
      'Send artwork as `decoration.areas[].artwork_url`, and a picture of the product as `mockup_url`.',
    ),
    ...meaning(PERSONALISATION, 'Personalised products are authored in the portal only.'),
  },
};

function meaning(names: readonly string[], meant: string): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, meant]));
}

/** Enough to show what is wrong. */
const PROBLEMS_MAX = 100;

/**
 * A problem for each member of a body, of whatever shape, that stands where it is refused.
 * One that says nothing passes like any unknown member: null, and an empty text, list or object.
 */
export function misplacedProblems(fields: MisplacedFields, body: unknown): Problem[] {
  const problems: Problem[] = [];
  for (const [place, names] of Object.entries(fields)) {
    for (const { members, path } of objectsAt(body, place)) {
      for (const name of Object.keys(members)) {
        if (!Object.hasOwn(names, name) || saysNothing(members[name])) continue;
        const message = `${name} is not taken here. ${names[name]}`;
        problems.push({ path: memberPath(path(), name), code: 'misplaced_field', message });
        if (problems.length >= PROBLEMS_MAX) return problems;
      }
    }
  }
  return problems;
}

function saysNothing(value: unknown): boolean {
  return value === null || value === '' || (typeof value === 'object' && Object.keys(value).length === 0);
}

/**
 * An object of the body.
 * Its path is written only for a problem: an order has up to 20,000 such objects.
 */
type Found = { readonly members: Readonly<Record<string, unknown>>; readonly path: () => string };

/** The objects at a place such as `items[].print_jobs[]`. */
function objectsAt(body: unknown, place: string): Found[] {
  let found = objectsOf([body], () => '');
  for (const list of place === '' ? [] : place.replaceAll('[]', '').split('.')) {
    found = found.flatMap(({ path, members }) => {
      const entries: unknown = Object.hasOwn(members, list) ? members[list] : undefined;
      if (!Array.isArray(entries)) return [];
      return objectsOf(entries, (index) => `${memberPath(path(), list)}[${index}]`);
    });
  }
  return found;
}

function objectsOf(values: readonly unknown[], pathAt: (index: number) => string): Found[] {
  return values.flatMap((value, index) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? [{ path: () => pathAt(index), members: value as Readonly<Record<string, unknown>> }]
      : [],
  );
}
