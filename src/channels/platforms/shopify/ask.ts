import { arrayOf, isMembers, type Members, textOf } from '../members.ts';
import type { Shop } from '../port.ts';
import { type FaultKind, ShopFault } from '../shop-call.ts';
import { API_VERSION } from './version.ts';

const PATH = `/admin/api/${API_VERSION}/graphql.json`;
const WAIT_SECONDS_MAX = 60;

/** The fault where an access scope is lacking. */
export type Denied = { readonly kind: FaultKind; readonly message: string };

const DENIED: Denied = {
  kind: 'refused',
  message: 'Shopify does not let the print shop see or do all that it needs. Connect the shop again.',
};

/**
 * Sends a query or a mutation to a shop, and returns its data.
 * Throws `ShopFault` for what Shopify refuses: with the seconds until there are points enough where it asks us to wait.
 */
export async function ask(
  shop: Pick<Shop, 'call'>,
  query: string,
  variables: Readonly<Record<string, unknown>> = {},
  denied: Denied = DENIED,
): Promise<Members> {
  const { json } = await answerTo(shop, query, variables);
  if (!isMembers(json)) throw new ShopFault('broken', 'Shopify answers with what is none of its API.');
  const [error] = arrayOf(json.errors);
  if (error !== undefined || json.errors !== undefined) {
    throw faultOf(isMembers(error) ? error : {}, json, denied);
  }
  if (!isMembers(json.data)) throw new ShopFault('broken', 'Shopify answers without data.');
  return json.data;
}

/**
 * Sends a mutation, and returns what it made.
 * Throws `ShopFault` of the kind rejected for what Shopify finds wrong with it; the message names the field alone.
 */
export async function change(
  shop: Pick<Shop, 'call'>,
  name: string,
  mutation: string,
  variables: Readonly<Record<string, unknown>> = {},
): Promise<Members> {
  const data = await ask(shop, mutation, variables);
  const payload = data[name];
  if (!isMembers(payload)) throw new ShopFault('broken', `Shopify answers nothing about ${name}.`);
  const [error] = arrayOf(payload.userErrors).filter(isMembers);
  if (error === undefined) return payload;
  throw new ShopFault('rejected', `Shopify refuses ${name}${reasonOf(error)}.`);
}

/** Which field Shopify finds wrong, in words; empty where it names none. */
export function reasonOf(error: Members): string {
  const field = arrayOf(error.field).map(textOf).join('.');
  return /^[A-Za-z0-9.]{1,80}$/.test(field) ? ` because of ${field}` : '';
}

/** Asks for one object, whose members are empty where there is none. */
export function membersOf(value: unknown): Members {
  return isMembers(value) ? value : {};
}

/** The objects of a connection. */
export function nodesOf(connection: unknown): Members[] {
  return arrayOf(membersOf(connection).nodes).filter(isMembers);
}

/** The number in a global id such as `gid://shopify/Order/1001`; empty for anything else. */
export function numberOf(gid: unknown): string {
  return /^gid:\/\/shopify\/[A-Za-z]+\/(\d{1,19})(?:\?|$)/.exec(textOf(gid))?.[1] ?? '';
}

/** The global id of an object of a kind. */
export function gidOf(kind: string, number: string): string {
  return `gid://shopify/${kind}/${number}`;
}

async function answerTo(
  shop: Pick<Shop, 'call'>,
  query: string,
  variables: Readonly<Record<string, unknown>>,
): Promise<{ readonly json: unknown }> {
  try {
    const answer = await shop.call('POST', PATH, { query, variables });
    if (answer !== undefined) return answer;
  } catch (error) {
    // 402 and 423: the shop is frozen, or locked.
    if (!(error instanceof ShopFault) || error.kind !== 'rejected') throw error;
    throw new ShopFault('refused', 'Shopify has closed this shop for apps. Its owner must settle that with Shopify.');
  }
  throw new ShopFault('refused', 'There is no shop of Shopify at this address any more.');
}

function faultOf(error: Members, json: Members, denied: Denied): ShopFault {
  const code = textOf(membersOf(error.extensions).code);
  if (code === 'THROTTLED') {
    const seconds = secondsUntilEnough(membersOf(membersOf(json.extensions).cost));
    return new ShopFault('busy', `Shopify asks to be left alone for ${seconds} seconds.`, seconds);
  }
  if (code === 'ACCESS_DENIED') return new ShopFault(denied.kind, denied.message);
  if (code === 'SHOP_INACTIVE') return new ShopFault('refused', 'This shop of Shopify is not active.');
  if (code === 'INTERNAL_SERVER_ERROR' || code === 'TIMEOUT') {
    return new ShopFault('away', 'Shopify answers with an error of its own.');
  }
  return new ShopFault('broken', `Shopify does not understand what it was asked (${wordOf(code)}).`);
}

/** Shopify refills points at a rate, and takes a query once there are as many as it may cost. */
function secondsUntilEnough(cost: Members): number {
  const status = membersOf(cost.throttleStatus);
  const [wanted, there, rate] = [cost.requestedQueryCost, status.currentlyAvailable, status.restoreRate].map(Number);
  const seconds = Math.ceil(((wanted ?? 0) - (there ?? 0)) / (rate ?? 0));
  return Number.isFinite(seconds) ? Math.min(Math.max(seconds, 1), WAIT_SECONDS_MAX) : WAIT_SECONDS_MAX;
}

function wordOf(code: string): string {
  return /^[A-Za-z_]{1,60}$/.test(code) ? code : 'no code';
}
