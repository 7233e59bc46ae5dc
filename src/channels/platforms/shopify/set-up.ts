import { arrayOf, isMembers, textOf } from '../members.ts';
import type { Facts, Shop } from '../port.ts';
import { ShopFault } from '../shop-call.ts';
import { ask, change, membersOf, nodesOf } from './ask.ts';
import type { OurPlace } from './fulfillment-orders.ts';
import { TOPICS } from './notice.ts';

/** What our fulfilment service is called in a shop; its location has the same name. */
const SERVICE = 'Platen';
const HOOKS_MAX = 100;

const FIND = `query Ours($uri: String!) {
  shop { fulfillmentServices { id handle serviceName type location { id } } }
  webhookSubscriptions(first: ${HOOKS_MAX}, uri: $uri) { nodes { id topic } }
}`;

// Without a callback URL, Shopify asks no one for stock and tracking numbers: both are reported by us.
const CREATE_SERVICE = `mutation Service($name: String!) {
  fulfillmentServiceCreate(name: $name, trackingSupport: true, inventoryManagement: false, requiresShippingMethod: true) {
    fulfillmentService { id handle location { id } } userErrors { field }
  }
}`;

const CREATE_HOOK = `mutation Hook($topic: WebhookSubscriptionTopic!, $hook: WebhookSubscriptionInput!) {
  webhookSubscriptionCreate(topic: $topic, webhookSubscription: $hook) { webhookSubscription { id } userErrors { field } }
}`;

const UNINSTALL = 'mutation Uninstall { appUninstall { app { id } userErrors { field } } }';

/**
 * Makes our fulfilment service and its location once, and has the shop tell us what changes.
 * Shopify drops a webhook that has failed for long: it is made again, and the list of changed orders finds what was
 * lost.
 */
export async function setUp(shop: Shop): Promise<Facts> {
  const found = await ask(shop, FIND, { uri: shop.noticeUrl });
  const service = await ownService(shop, arrayOf(membersOf(found.shop).fulfillmentServices).filter(isMembers));
  const topics = new Set(nodesOf(found.webhookSubscriptions).map(({ topic }) => textOf(topic)));
  const missing = Object.keys(TOPICS).filter((topic) => !topics.has(topic));
  for (const topic of missing) await subscribe(shop, topic);
  const before = typeof shop.facts.mended === 'number' ? shop.facts.mended : 0;
  const isFirst = typeof shop.facts.handle !== 'string';
  return { ...service, mended: isFirst ? before : before + missing.length };
}

async function ownService(shop: Shop, services: readonly Readonly<Record<string, unknown>>[]): Promise<OurPlace> {
  const { handle } = shop.facts;
  const found =
    services.find((one) => typeof handle === 'string' && handle !== '' && one.handle === handle) ??
    services.find((one) => one.type === 'THIRD_PARTY' && one.serviceName === SERVICE) ??
    (await createService(shop));
  return { handle: textOf(found.handle), locationId: textOf(membersOf(found.location).id) };
}

/** A shop that refuses the service, since it has as many locations as it may, is served from its own. */
async function createService(shop: Shop): Promise<Readonly<Record<string, unknown>>> {
  try {
    const made = await change(shop, 'fulfillmentServiceCreate', CREATE_SERVICE, { name: SERVICE });
    return membersOf(made.fulfillmentService);
  } catch (error) {
    if (error instanceof ShopFault && error.kind === 'rejected') return {};
    throw error;
  }
}

async function subscribe(shop: Shop, topic: string): Promise<void> {
  const hook = { uri: shop.noticeUrl, format: 'JSON', includeFields: TOPICS[topic] };
  try {
    await change(shop, 'webhookSubscriptionCreate', CREATE_HOOK, { topic, hook });
  } catch (error) {
    // Another sync has made it.
    if (!(error instanceof ShopFault) || error.kind !== 'rejected') throw error;
  }
}

/** Which service and location of a shop are ours, as its facts have it. */
export function ourPlace({ handle, locationId }: Facts): OurPlace {
  return {
    handle: typeof handle === 'string' ? handle : '',
    locationId: typeof locationId === 'string' ? locationId : '',
  };
}

/** Takes our app out of the shop, and with it the webhooks, the service and its location. */
export async function takeDown(shop: Shop): Promise<void> {
  await change(shop, 'appUninstall', UNINSTALL);
}
