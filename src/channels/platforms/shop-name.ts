const NAME_MAX = 300;

/**
 * The name of a shop by where it is.
 * The same by http and https, with and without `www.`, and with a slash at its end. Undefined for what is no address.
 * Pure.
 */
export function nameOfAddress(address: string): string | undefined {
  const url = URL.parse(address);
  if (url === null || !/^https?:$/.test(url.protocol) || url.hostname === '') return undefined;
  const name = `${url.host.replace(/^www\./, '')}${url.pathname.replace(/\/+$/, '')}`;
  return name.length <= NAME_MAX ? name : undefined;
}
