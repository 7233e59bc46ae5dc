import type { Credentials } from '../port.ts';

// A shop of Medusa lets in who holds a secret key, which its people make under Settings, Secret API keys. There is no
// page on which they consent.

const ADDRESS_MAX = 200;

/** Of what a person copies from their browser, the part before the pages and the APIs of Medusa. */
export function medusaAddress(typed: string): string | undefined {
  const text = typed.trim();
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:/i.test(text) ? text : `https://${text}`);
  if (url === null || url.protocol !== 'https:' || url.username !== '' || url.password !== '') return undefined;
  const path = url.pathname.replace(/\/(app|admin|store)(\/.*)?$/, '').replace(/\/+$/, '');
  const address = `https://${url.host}${path}`;
  return address.length <= ADDRESS_MAX ? address : undefined;
}

/** A secret key; a publishable one opens no orders. */
export function readKey(typed: string): Credentials | undefined {
  const key = typed.trim();
  return /^sk_[\w-]{16,200}$/.test(key) ? { key } : undefined;
}
