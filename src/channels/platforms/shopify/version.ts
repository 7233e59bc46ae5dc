/**
 * The version of Shopify's GraphQL Admin API that all calls name.
 * A version is released each quarter and supported for a year at the least (shopify.dev, "About API versioning"). After
 * that Shopify answers as a later one, which may lack what is asked for.
 */
export const API_VERSION = '2026-07';

/** Until when Shopify has promised to support it. `PlatenShopApiEnds` warns eight weeks before. */
export const SUPPORTED_UNTIL = new Date('2027-07-01T00:00:00Z');
