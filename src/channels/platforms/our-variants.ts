import type { PublishedProduct, PublishedVariant, ShopProduct } from './published-product.ts';
import { ShopFault } from './shop-call.ts';

// What the platforms share of the variants of a product that is published. Pure.

/** The options of a product, in the sequence in which it is made with them. */
export const OUR_OPTIONS = ['Colour', 'Size'] as const;
export type OurOption = (typeof OUR_OPTIONS)[number];

/** A variant as a shop has it. */
type VariantOfShop = { readonly id: string; readonly sku: string };

/** The value of an option of a variant; a shop takes none that is empty. */
export function optionValueOf({ colour, size }: PublishedVariant, name: OurOption): string {
  return name === 'Colour' ? colour.trim() || 'One colour' : size.trim() || 'One size';
}

/** The values of an option over some variants, each once. */
export function optionValuesOf(variants: readonly PublishedVariant[], name: OurOption): string[] {
  return [...new Set(variants.map((variant) => optionValueOf(variant, name)))];
}

/**
 * The options of a product in a shop in our sequence, whichever it has there.
 * One that was renamed is the other one; undefined where the shop's people have made others of them.
 */
export function inOurSequence<Option>(
  options: readonly Option[],
  nameOf: (option: Option) => unknown,
): readonly [Option, Option] | undefined {
  const [one, other] = options;
  if (options.length !== OUR_OPTIONS.length || one === undefined || other === undefined) return undefined;
  return nameOf(one) === OUR_OPTIONS[1] || nameOf(other) === OUR_OPTIONS[0] ? [other, one] : [one, other];
}

/** The fault of a product that has other options than ours by now. */
export function otherOptions(): ShopFault {
  const message = 'A variant cannot be added: the product has other options in the shop than colour and size.';
  return new ShopFault('rejected', message);
}

/** Whether a variant is to be sold; one that the product has no more is not. */
export function isToBeSold({ isOffered, variants }: PublishedProduct, sku: string): boolean {
  return isOffered && variants.some((variant) => variant.sku === sku && variant.isInStock);
}

/** The variants that a shop lacks. What its people have deleted is not added again. */
export function missingVariants(
  { variants }: PublishedProduct,
  there: readonly VariantOfShop[],
  known: ShopProduct | undefined,
): PublishedVariant[] {
  const skus = new Set(there.map(({ sku }) => sku));
  return variants.filter(({ sku }) => known?.variants[sku] === undefined && !skus.has(sku));
}

/**
 * Our SKU of a variant: by its id, since its SKU may have been changed in the shop, else by its SKU.
 * A variant that its people have added is theirs, whatever they call it.
 */
export function ourSkuOf(
  { id, sku }: VariantOfShop,
  product: PublishedProduct,
  known: ShopProduct | undefined,
): string | undefined {
  const [kept] = Object.entries(known?.variants ?? {}).find(([, one]) => one === id) ?? [];
  return kept ?? product.variants.find((variant) => variant.sku === sku)?.sku;
}

/** What a shop calls our variants: those of before, too, which its people may have deleted. */
export function idsOfOurs(
  there: readonly VariantOfShop[],
  product: PublishedProduct,
  known: ShopProduct | undefined,
): ShopProduct['variants'] {
  const pairs = there.flatMap((variant): [string, string][] => {
    const sku = ourSkuOf(variant, product, known);
    return sku === undefined ? [] : [[sku, variant.id]];
  });
  return { ...known?.variants, ...Object.fromEntries(pairs) };
}

/** Parts of a list, each with so many at the most. */
export function partsOfList<Item>(all: readonly Item[], atOnce: number): readonly (readonly Item[])[] {
  const count = Math.ceil(all.length / atOnce);
  return Array.from({ length: count }, (_, at) => all.slice(at * atOnce, (at + 1) * atOnce));
}
