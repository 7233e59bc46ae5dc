import { escapeHtml } from '../../../lib/text/escape-html.ts';
import { clipped } from '../order-members.ts';
import {
  inOurSequence,
  isToBeSold,
  OUR_OPTIONS,
  optionValueOf,
  optionValuesOf,
  otherOptions,
} from '../our-variants.ts';
import type { PublishedProduct, PublishedVariant } from '../published-product.ts';
import { CUSTOM_ID } from './product-queries.ts';

// What is written of a product to Shopify. Pure.
//
// Every variant of ours is tracked, with none at our location, and its policy alone says whether it sells: on, or not
// once it has run out. A variant that is not tracked would need two writes, and its orders need no location of ours.

const TITLE_MAX = 255;

/** A product as it is in a shop. */
export type ProductThere = {
  readonly id: string;
  /** Its people have not put it up for sale yet. */
  readonly isDraft: boolean;
  readonly options: readonly { readonly id: string; readonly name: string }[];
  readonly variants: readonly VariantThere[];
};

/** A variant as it is in a shop; `available` is what our location is said to have. */
export type VariantThere = {
  readonly id: string;
  readonly sku: string;
  readonly hasPrice: boolean;
  readonly sellsOn: boolean;
  readonly isTracked: boolean;
  readonly available: number;
};

/** Whether a variant may be put on sale: where the product is for sale, none is to be had for nothing. */
export function mayBeSold({ hasPrice }: Pick<VariantThere, 'hasPrice'>, { isDraft }: ProductThere): boolean {
  return hasPrice || isDraft;
}

/** The input of `productSet` for a product that is not in the shop: a draft without prices. */
export function newProduct(product: PublishedProduct, locationId: string) {
  return {
    title: clipped(product.title, TITLE_MAX),
    descriptionHtml: htmlOf(product.description),
    status: 'DRAFT',
    metafields: [{ namespace: '$app', key: CUSTOM_ID, type: 'id', value: product.id }],
    files: product.pictures.map((originalSource) => ({ originalSource, contentType: 'IMAGE' })),
    productOptions: OUR_OPTIONS.map((name, at) => ({
      ...{ name, position: at + 1 },
      values: optionValuesOf(product.variants, name).map((value) => ({ name: value })),
    })),
    variants: product.variants.map((variant) => ({
      ...{ sku: variant.sku, inventoryPolicy: policyOf(isToBeSold(product, variant.sku)) },
      inventoryItem: { tracked: true, requiresShipping: true },
      ...(locationId === '' ? {} : { inventoryQuantities: [{ locationId, name: 'available', quantity: 0 }] }),
      optionValues: OUR_OPTIONS.map((optionName) => ({ optionName, name: optionValueOf(variant, optionName) })),
    })),
  };
}

/**
 * The input of `productVariantsBulkCreate` for variants that a product in a shop lacks.
 * Where the product is up for sale they are out of stock until they have a price.
 * Throws `ShopFault` where the shop's people have made other options of ours.
 */
export function addedVariants(
  product: PublishedProduct,
  added: readonly PublishedVariant[],
  { there, locationId }: { readonly there: ProductThere; readonly locationId: string },
) {
  const options = inOurSequence(there.options, ({ name }) => name);
  if (options === undefined) throw otherOptions();
  return added.map((variant) => ({
    inventoryPolicy: policyOf(isToBeSold(product, variant.sku) && mayBeSold({ hasPrice: false }, there)),
    inventoryItem: { sku: variant.sku, tracked: true, requiresShipping: true },
    ...(locationId === '' ? {} : { inventoryQuantities: [{ locationId, availableQuantity: 0 }] }),
    optionValues: OUR_OPTIONS.map((name, at) => ({ optionId: options[at]?.id, name: optionValueOf(variant, name) })),
  }));
}

/** What is to be changed of a variant so that it sells or does not; none where it is so. */
export function stockChange(variant: VariantThere, isSold: boolean, locationId: string) {
  const { id, sellsOn, isTracked, available } = variant;
  if (isSold) return sellsOn || !isTracked ? [] : [{ id, inventoryPolicy: policyOf(true) }];
  const isLeft = locationId !== '' && available > 0;
  if (!sellsOn && isTracked && !isLeft) return [];
  // The quantity of before makes a repeat change nothing.
  const adjustment = { locationId, adjustment: -available, changeFromQuantity: available };
  return [
    {
      ...{ id, inventoryPolicy: policyOf(false), inventoryItem: { tracked: true } },
      ...(isLeft ? { quantityAdjustments: [adjustment] } : {}),
    },
  ];
}

function policyOf(isSold: boolean): 'CONTINUE' | 'DENY' {
  return isSold ? 'CONTINUE' : 'DENY';
}

function htmlOf(text: string): string {
  const paragraphs = text.split(/\n\s*\n/).map((part) => part.trim());
  return paragraphs
    .filter((part) => part !== '')
    .map((part) => `<p>${escapeHtml(part).replaceAll('\n', '<br>')}</p>`)
    .join('');
}
