import type { SignedIn } from '../../lib/caller.ts';
import { ApiError } from '../../lib/errors.ts';
import { publicId } from '../../lib/ids.ts';
import { createCounter } from '../../lib/metrics/instruments.ts';
import type { ChannelsContext } from '../context.ts';
import { readShopifyInstall } from '../platforms/shopify/install.ts';
import { beginLink } from './begin-link.ts';
import { findLink, listChannelsAt } from './link-sql.ts';

const countInstall = createCounter({
  name: 'platen_shopify_installs_total',
  help: 'Requests with which Shopify opens the app in a shop, and those that are refused.',
  labels: ['result'],
  series: [{ result: 'taken' }, { result: 'signature' }, { result: 'age' }],
});

/** Who may connect a shop. */
const CONNECTING: readonly SignedIn['person']['role'][] = ['owner', 'manager'];

/**
 * Takes the browser of a shop's people that Shopify leads here, as they install the app or open it.
 * Returns where it goes on. Who is signed in, may connect shops and has just given their password is led to the page of
 * the shop on which it consents; else to the page of connected shops, which asks them to sign in first and has the
 * address of the shop filled in. One that the account has connected, and that lets us in, is shown. Throws 401 for what
 * Shopify has not signed in the last five minutes, which is counted.
 */
export async function takeInstall(
  ctx: ChannelsContext,
  { query, person }: { readonly query: unknown; readonly person: SignedIn | undefined },
): Promise<string> {
  const install = readShopifyInstall(query, ctx.config.shopify, ctx.clock.now());
  countInstall({ result: install.kind === 'install' ? 'taken' : install.why });
  if (install.kind === 'refused') throw notFromShopify(install.why);
  const { address, name } = install;
  const toPortal = `${ctx.config.baseUrl}/portal/shops?install=${encodeURIComponent(name)}`;
  if (person === undefined || !CONNECTING.includes(person.person.role)) return toPortal;
  const known = await connectedAt(ctx, person, address);
  if (known !== undefined) return `${ctx.config.baseUrl}/portal/shops/${known}`;
  try {
    return (await beginLink(ctx, person, { platform: 'shopify', name, address })).consent_url ?? toPortal;
  } catch (error) {
    if (error instanceof ApiError && error.code === 'proof_required') return toPortal;
    throw error;
  }
}

function notFromShopify(why: 'signature' | 'age'): ApiError {
  const detail =
    why === 'age'
      ? 'Shopify has signed this more than five minutes ago. Open the app in Shopify again.'
      : 'This is not signed by Shopify. Open the app in Shopify, or connect the shop in the portal.';
  return new ApiError('unauthorized', detail, { headers: { 'www-authenticate': 'Signature' } });
}

/** The channel by which the account has connected a shop that lets us in. */
async function connectedAt(ctx: ChannelsContext, { accountId }: SignedIn, address: string) {
  const channels = await listChannelsAt(ctx.database, [address], 'shopify');
  const own = channels.find(({ account_id: of, state }) => of === accountId && state !== 'disconnected');
  const link = own && (await findLink(ctx.database, accountId, own.channel_id));
  return link === undefined || link.fault_kind === 'refused' ? undefined : publicId('chan', link.channel_id);
}
