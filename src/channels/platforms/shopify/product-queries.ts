// What is asked of Shopify about products. docs/decisions/0074-shopify.md

/** The metafield, in the namespace that is ours alone, that says which product of ours one is. */
export const CUSTOM_ID = 'product_id';

/** Variants read, added or changed at once: a query may cost 1,000 points, and each of them up to four. */
export const VARIANTS_AT_ONCE = 100;

/** Has the metafield hold each value once in a shop, so that a product is found by it. */
export const DEFINE = `mutation DefineId($definition: MetafieldDefinitionInput!) {
  metafieldDefinitionCreate(definition: $definition) { createdDefinition { id } userErrors { field code } }
}`;

export const FIND_PRODUCT = `query FindProduct($value: String!) {
  productByIdentifier(identifier: { customId: { key: "${CUSTOM_ID}", value: $value } }) { id }
}`;

export const READ_PRODUCT = `query ReadProduct($id: ID!, $after: String, $location: ID!, $hasLocation: Boolean!) {
  product(id: $id) {
    id status options { id name }
    variants(first: ${VARIANTS_AT_ONCE}, after: $after) {
      nodes {
        id sku price inventoryPolicy
        inventoryItem {
          tracked
          inventoryLevel(locationId: $location) @include(if: $hasLocation) { quantities(names: ["available"]) { quantity } }
        }
      }
      pageInfo { hasNextPage endCursor }
    }
  }
}`;

export const MAKE_PRODUCT = `mutation MakeProduct($input: ProductSetInput!) {
  productSet(input: $input, synchronous: true) { product { id } userErrors { field code } }
}`;

export const ADD_VARIANTS = `mutation AddVariants($id: ID!, $variants: [ProductVariantsBulkInput!]!) {
  productVariantsBulkCreate(productId: $id, variants: $variants, strategy: PRESERVE_STANDALONE_VARIANT) {
    product { id } userErrors { field code }
  }
}`;

export const CHANGE_VARIANTS = `mutation ChangeVariants($id: ID!, $variants: [ProductVariantsBulkInput!]!) {
  productVariantsBulkUpdate(productId: $id, variants: $variants) { product { id } userErrors { field code } }
}`;
