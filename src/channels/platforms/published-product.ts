/** A product as it is published in a shop. */
export type PublishedProduct = {
  /** Its id here, by which it is found again in the shop: `prod_…`. */
  readonly id: string;
  readonly title: string;
  /** Plain text; empty without one. */
  readonly description: string;
  /** False once it is archived here: the shop is to sell none of it. */
  readonly isOffered: boolean;
  readonly variants: readonly PublishedVariant[];
  /** Public https addresses of pictures, the main one first; read by the shop once. */
  readonly pictures: readonly string[];
};

export type PublishedVariant = {
  /** `<product id>/<variant_sku>`: an order with it needs no mapping. */
  readonly sku: string;
  readonly colour: string;
  readonly size: string;
  readonly isInStock: boolean;
};

/** What a shop calls a published product and its variants. */
export type ShopProduct = {
  readonly productId: string;
  /** Its variants by our SKUs. */
  readonly variants: Readonly<Record<string, string>>;
};
