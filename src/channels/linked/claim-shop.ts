import type { Uuid } from '../../lib/ids.ts';
import type { ChannelsContext } from '../context.ts';
import type { Facts, Platform, Shop } from '../platforms/port.ts';
import { ShopFault } from '../platforms/shop-call.ts';
import { nameOfAddress } from '../platforms/shop-name.ts';
import { findOwnShopNamed, lockAddress, type NamedShop } from './link-sql.ts';
import { keepFacts } from './sync-sql.ts';

/** How often a shop is asked what it is called: it may have moved. */
const ASKED_EVERY_MS = 86_400_000;
/** Until it is looked whether the other connection has ended. */
const AGAIN_SECONDS = 600;

/**
 * Claims a shop for its channel: an account has one connection with it, however it is addressed.
 * With two, each of its orders would be made twice. What it calls itself stands among its facts, `shop`; where it does
 * not say, its address does. Returns the facts. Throws `ShopFault` where another channel of the account has it: the one
 * that has claimed it keeps it until it is disconnected.
 */
export async function claimShop(
  ctx: Pick<ChannelsContext, 'database' | 'clock'>,
  of: { readonly accountId: Uuid; readonly channelId: Uuid },
  by: { readonly platform: Platform; readonly shop: Shop; readonly address: string },
): Promise<Facts> {
  const named = await nameOf(ctx, by);
  const name = String(named.shop);
  return ctx.database.transaction(async (tx) => {
    await lockAddress(tx, `${of.accountId} ${name}`);
    const at = { platform: by.platform.name, name, exceptId: of.channelId };
    const other = await findOwnShopNamed(tx, of.accountId, at);
    if (other !== undefined) {
      throw new ShopFault(
        'broken',
        `${sameShop(other)} Disconnect one of the two: it is read by that alone.`,
        AGAIN_SECONDS,
      );
    }
    await keepFacts(tx, of, named, null);
    return named;
  });
}

/** What is said of a shop that is connected already, by another address. */
export function sameShop({ name, address }: NamedShop): string {
  return `This is the shop “${name}”, which is connected already by ${address}.`;
}

/** An answer that says nothing is one; a shop that does not answer is asked again soon. */
async function nameOf(
  { clock }: Pick<ChannelsContext, 'clock'>,
  { platform, shop, address }: Parameters<typeof claimShop>[2],
): Promise<Facts> {
  const now = clock.now().getTime();
  const { shop: known, asked_at: askedAt } = shop.facts;
  const isKnown = typeof known === 'string';
  if (isKnown && typeof askedAt === 'number' && now - askedAt < ASKED_EVERY_MS) return { shop: known };
  const byAddress = nameOfAddress(address) ?? address;
  try {
    return { shop: (await platform.ownName?.(shop)) ?? byAddress, asked_at: now };
  } catch (error) {
    if (!(error instanceof ShopFault)) throw error;
    const hasAnswered = error.kind === 'broken' || error.kind === 'rejected';
    return { shop: isKnown ? known : byAddress, ...(hasAnswered ? { asked_at: now } : {}) };
  }
}
