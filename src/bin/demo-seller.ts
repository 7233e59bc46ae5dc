/**
 * The settings of the demo shop as a seller.
 * Its VAT number is fictitious: the check digits are right, and no trader has it.
 */
export const DEMO_SELLER = {
  SELLER_NAME: 'Demo Print Shop',
  SELLER_ADDRESS: '1 Example Street, Leeds, LS1 1AA, GB',
  SELLER_VAT_NUMBER: 'GB999999973',
};

/**
 * Returns the settings of the demo shop that an environment lacks: none if it names a seller.
 * A seller that is not registered for VAT has no number.
 */
export function demoSellerFor(env: NodeJS.ProcessEnv): Record<string, string> {
  const isGiven = Object.keys(DEMO_SELLER).some((name) => (env[name] ?? '').trim() !== '');
  if (isGiven) return {};
  const { SELLER_VAT_NUMBER: number, ...seller } = DEMO_SELLER;
  return /^\s*no\s*$/i.test(env.SELLER_VAT_REGISTERED ?? '') ? seller : { ...seller, SELLER_VAT_NUMBER: number };
}
