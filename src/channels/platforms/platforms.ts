import type { Config } from '../../lib/config.ts';
import { MEDUSA } from './medusa/medusa.ts';
import type { LinkedPlatform, OurApp, Platform } from './port.ts';
import { SHOPIFY } from './shopify/shopify.ts';
import { WOOCOMMERCE } from './woocommerce/woocommerce.ts';

/** The platforms that can be linked. */
export const CONNECTABLE = ['woocommerce', 'shopify', 'medusa'] as const satisfies readonly LinkedPlatform[];

const PLATFORMS: Readonly<Record<(typeof CONNECTABLE)[number], Platform>> = {
  woocommerce: WOOCOMMERCE,
  shopify: SHOPIFY,
  medusa: MEDUSA,
};

/** The code of a platform. */
export function platformOf(name: LinkedPlatform): Platform {
  const connectable = CONNECTABLE.find((one) => one === name);
  if (connectable === undefined) throw new Error(`no code for shops of ${name}`);
  return PLATFORMS[connectable];
}

/** As what a platform knows us; undefined where it has us not register, or the operator has not. */
export function appOf({ shopify }: Pick<Config, 'shopify'>, name: LinkedPlatform): OurApp | undefined {
  return name === 'shopify' ? shopify : undefined;
}
