import leven from 'leven';

/** Longer than any name that we know, with room for mistakes. */
const NAME_CHARACTERS_MAX = 40;
/** A name may be mistyped in one character of three, and in two at most. */
const CHARACTERS_PER_MISTAKE = 3;
const MISTAKES_MAX = 2;

/**
 * The known name that an unknown one most likely stands for; undefined rather than a guess.
 * Tried in this order: another spelling of the same words (`variantSku`), a usual word for the same thing (`qty`), the
 * one name that shares all words with it (`country` and `country_code`), the one that differs by a typing mistake.
 */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  if (name.length > NAME_CHARACTERS_MAX) return undefined;
  const words = wordsOf(name);
  const joined = words.join('');
  const candidates = known.map((candidate) => ({ candidate, words: wordsOf(candidate) }));
  const same = candidates.find((other) => other.words.join('') === joined);
  const usual = SYNONYMS.get(words.join('_'))?.find((synonym) => known.includes(synonym.known));
  const akin = candidates.filter((other) => holdsAll(words, other.words) || holdsAll(other.words, words));
  return same?.candidate ?? usual?.known ?? only(akin)?.candidate ?? mistyped(joined, known);
}

/** ` Did you mean "items"?`, to be added to a sentence; empty when there is no such name. */
export function didYouMean(nearest: string | undefined): string {
  return nearest === undefined ? '' : ` Did you mean \`${nearest}\`?`;
}

/** `variantSku`, `variant-sku` and `variant_sku` are the same two words. */
function wordsOf(name: string): string[] {
  return name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
}

/** Whether one name has all words of another, and among them one that says what it is about. */
function holdsAll(words: readonly string[], others: readonly string[]): boolean {
  return others.every((word) => words.includes(word)) && others.some((word) => !UNSPECIFIC.has(word));
}

// A price is of many things: who sends what a piece cost must not be led to declare it to customs.
const UNSPECIFIC = new Set('id ids url type code number name date at gbp address price unit'.split(' '));

function mistyped(joined: string, known: readonly string[]): string | undefined {
  const near = known.flatMap((candidate) => {
    const text = wordsOf(candidate).join('');
    const most = Math.min(MISTAKES_MAX, Math.floor(text.length / CHARACTERS_PER_MISTAKE));
    // The library returns its own bound for anything beyond it.
    const mistakes = leven(joined, text, { maxDistance: most + 1 });
    return mistakes <= most ? [{ candidate, mistakes }] : [];
  });
  const least = Math.min(...near.map(({ mistakes }) => mistakes));
  return only(near.filter(({ mistakes }) => mistakes === least))?.candidate;
}

function only<Item>(items: readonly Item[]): Item | undefined {
  return items.length === 1 ? items[0] : undefined;
}

/** Other usual words for our names; of several names the first that is known at the place is meant. */
const SYNONYMS: ReadonlyMap<string, readonly { readonly known: string }[]> = Map.groupBy(
  Object.entries({
    quantity: ['qty', 'count', 'pieces', 'units'],
    variant_sku: ['sku', 'variant', 'blank_variant_sku'],
    variant_skus: ['variants', 'skus'],
    sku: ['variant_sku', 'variant'],
    items: ['lines', 'line_items', 'line_ids', 'pieces', 'products'],
    line_ids: ['lines', 'items', 'ids', 'line_items'],
    ids: ['orders', 'order_ids', 'references'],
    external_reference: ['external_ref', 'external_id', 'idempotency_key'],
    reference: ['ref'],
    retail_price: ['price'],
    line_id: ['line', 'id'],
    tracking_number: ['tracking', 'tracking_code'],
    declared_unit_price: ['declared_value', 'customs_value', 'declared_customs_value'],
    decoration: ['artwork', 'designs'],
    artwork_url: ['image', 'image_url', 'design_url', 'file_url', 'url'],
    contact_name: ['name', 'full_name', 'recipient'],
    line1: ['street', 'address1', 'address_line1', 'address_line_1', 'address_1'],
    line2: ['address2', 'address_line2', 'address_line_2', 'address_2'],
    city: ['town'],
    county: ['state', 'province', 'region'],
    postcode: ['zip', 'zip_code', 'postal_code', 'post_code'],
    notes: ['comment', 'comments', 'remarks'],
    reason: ['note', 'notes', 'comment'],
    shipping_service: ['shipping_method', 'shipping_option'],
    amount_gbp: ['total', 'amount'],
    state: ['status'],
    status: ['state'],
    active: ['enabled'],
    limit: ['page_size', 'per_page'],
    cursor: ['after', 'offset', 'page', 'next_cursor'],
  }).flatMap(([known, others]) => others.map((other) => ({ known, other }))),
  ({ other }) => other,
);
