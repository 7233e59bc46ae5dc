/** Whether a host is a shop of one of these names. */
export function startsWithShop(host: string, names: readonly string[]): boolean {
  return names.some((name) => host === `${name}.myshopify.com`);
}
