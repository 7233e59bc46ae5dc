import { setTimeout as delay } from 'node:timers/promises';
import { newId, type Uuid } from '../../lib/ids.ts';
import type { ChannelsContext } from '../context.ts';
import { appOf } from '../platforms/platforms.ts';
import type { Credentials, Platform } from '../platforms/port.ts';
import { callsTo, type ShopCall, ShopFault } from '../platforms/shop-call.ts';
import { claimRenewal, endRenewal, keepCredentials, readCredentials, type ShopLink } from './link-sql.ts';

const RENEWAL_MS = 8_000;
/** A renewal is over by then, or its process has died; the look-up of the name takes a part of it. */
const CLAIM_SECONDS = 20;
const CLAIM_AGAIN_MS = 200;

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
 * Renews what lets us in, by a claim on the link.
 * So syncs and nodes renew once, and no transaction waits for the shop.
 * The one that finds other credentials than those it has used takes them. The new ones are kept before they are used,
 * and by the claim alone: one that lasted too long may have been followed by another, whose credentials are newer.
 * Where the new ones are lost, since this process dies or the database does, the next renewal is made with those of
 * before once the claim is over.
 */
async function renewed(ctx: ChannelsContext, access: Access, used: Kept): Promise<Kept> {
  const { renewal } = access.platform;
  if (renewal === undefined) return used;
  const endsAt = performance.now() + CLAIM_SECONDS * 1_000 + CLAIM_AGAIN_MS;
  while (performance.now() < endsAt) {
    const kept = await keptNow(ctx, access);
    const isOther = JSON.stringify(kept.credentials) !== JSON.stringify(used.credentials);
    if (isOther && !renewal.isDue(kept.credentials, ctx.clock.now())) return kept;
    const fresh = await renewClaimed(ctx, access, kept, renewal);
    if (fresh !== undefined) return fresh;
    await delay(CLAIM_AGAIN_MS);
  }
  throw new ShopFault('busy', 'What lets the print shop in is being renewed.', CLAIM_SECONDS);
}

async function keptNow(ctx: ChannelsContext, { accountId, channelId }: Access): Promise<Kept> {
  const row = await readCredentials(ctx.database, accountId, channelId);
  // Erased meanwhile, or taken down.
  if (row === undefined) throw new ShopFault('refused', 'The shop is not linked any more.');
  return { sealed: row.sealed, credentials: unsealed(ctx, row) };
}

/** Renews what is kept; undefined where another does so, or the shop was connected again. */
async function renewClaimed(
  ctx: ChannelsContext,
  access: Access,
  kept: Kept,
  renewal: NonNullable<Platform['renewal']>,
): Promise<Kept | undefined> {
  const by = newId();
  if (!(await claimRenewal(ctx.database, access, { sealed: kept.sealed, by, seconds: CLAIM_SECONDS })))
    return undefined;
  const call = callsTo(ctx, { ...access, headers: {}, timeoutMs: RENEWAL_MS });
  let credentials: Credentials;
  try {
    const app = appOf(ctx.config, access.platform.name);
    credentials = await renewal.renew(call, kept.credentials, app, ctx.clock.now());
  } catch (error) {
    await endRenewal(ctx.database, access, by);
    throw error;
  }
  const fresh = ctx.secrets.seal(JSON.stringify(credentials));
  const isKept = await keepCredentials(ctx.database, access, { by, fresh });
  return isKept ? { sealed: fresh.bytes, credentials } : undefined;
}
