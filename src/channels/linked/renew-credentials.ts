import type { Uuid } from '../../lib/ids.ts';
import type { ChannelsContext } from '../context.ts';
import { appOf } from '../platforms/platforms.ts';
import type { Credentials, Platform } from '../platforms/port.ts';
import { callsTo, type ShopCall, ShopFault } from '../platforms/shop-call.ts';
import { keepCredentials, lockCredentials, type ShopLink } from './link-sql.ts';

/** A transaction that waits for longer is ended by the database. */
const RENEWAL_MS = 8_000;

/** A shop that is called, and what lets us in. */
export type Access = {
  readonly accountId: Uuid;
  readonly channelId: Uuid;
  readonly address: string;
  readonly platform: Platform;
  readonly signal: AbortSignal;
};

/** Calls to a shop by what lets us in. */
export type RenewingCalls = {
  readonly call: ShopCall;
  /** What the last call was made by, as it is kept. */
  readonly used: () => Buffer;
};

type Kept = { readonly sealed: Buffer; readonly credentials: Credentials };

/** Opens what lets us in. */
export function unsealed(
  ctx: Pick<ChannelsContext, 'secrets'>,
  { sealed, sealed_with: keyId }: Pick<ShopLink, 'sealed' | 'sealed_with'>,
): Credentials {
  return JSON.parse(ctx.secrets.unseal({ bytes: sealed, keyId })) as Credentials;
}

/**
 * Calls a shop, and renews what lets us in when it ends.
 * Where the shop does not let us in although it should, that is renewed once more, and the call repeated once.
 */
export function callsWithRenewal(ctx: ChannelsContext, access: Access, first: Kept): RenewingCalls {
  const { platform } = access;
  let current = first;
  const ask = ({ credentials }: Kept): ShopCall =>
    callsTo(ctx, { ...access, ...refusalOf(platform), headers: platform.authorise(credentials) });
  const call: ShopCall = async (...args) => {
    if (platform.renewal?.isDue(current.credentials, ctx.clock.now()) === true)
      current = await renewed(ctx, access, current);
    try {
      return await ask(current)(...args);
    } catch (error) {
      if (platform.renewal === undefined || !(error instanceof ShopFault) || error.kind !== 'refused') throw error;
    }
    current = await renewed(ctx, access, current);
    return ask(current)(...args);
  };
  return { call, used: () => current.sealed };
}

function refusalOf({ isRefusal }: Platform): Pick<Platform, 'isRefusal'> {
  return isRefusal === undefined ? {} : { isRefusal };
}

/**
 * Renews what lets us in, under the lock of the link: syncs and nodes renew once.
 * The one that finds other credentials than those it has used takes them. The new ones are kept before they are used.
 * Where they are lost, since this process dies or the database does, the next renewal is made with those of before.
 */
async function renewed(ctx: ChannelsContext, access: Access, used: Kept): Promise<Kept> {
  const { accountId, channelId, platform } = access;
  const { renewal } = platform;
  if (renewal === undefined) return used;
  return ctx.database.transaction(async (tx) => {
    const row = await lockCredentials(tx, accountId, channelId);
    // Erased meanwhile, or taken down.
    if (row === undefined) throw new ShopFault('refused', 'The shop is not linked any more.');
    const kept = { sealed: row.sealed, credentials: unsealed(ctx, row) };
    const now = ctx.clock.now();
    const isOther = JSON.stringify(kept.credentials) !== JSON.stringify(used.credentials);
    if (isOther && !renewal.isDue(kept.credentials, now)) return kept;
    const call = callsTo(ctx, { ...access, headers: {}, timeoutMs: RENEWAL_MS });
    const fresh = await renewal.renew(call, kept.credentials, appOf(ctx.config, platform.name), now);
    const sealed = ctx.secrets.seal(JSON.stringify(fresh));
    await keepCredentials(tx, accountId, channelId, sealed);
    return { sealed: sealed.bytes, credentials: fresh };
  });
}
