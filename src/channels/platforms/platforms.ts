import { MEDUSA } from './medusa/medusa.ts';
import type { LinkedPlatform, Platform } from './port.ts';
import { WOOCOMMERCE } from './woocommerce/woocommerce.ts';

/** The platforms that can be linked. */
export const CONNECTABLE = ['woocommerce', 'medusa'] as const satisfies readonly LinkedPlatform[];

const PLATFORMS: Readonly<Record<(typeof CONNECTABLE)[number], Platform>> = {
  woocommerce: WOOCOMMERCE,
  medusa: MEDUSA,
};

/** The code of a platform. */
export function platformOf(name: LinkedPlatform): Platform {
  const connectable = CONNECTABLE.find((one) => one === name);
  if (connectable === undefined) throw new Error(`no code for shops of ${name}`);
  return PLATFORMS[connectable];
}
