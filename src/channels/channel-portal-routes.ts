import { PERSON_ROLES } from '../lib/caller.ts';
import { type PersonRoute, route } from '../lib/route.ts';
import { Address } from '../orders/schema.ts';
import {
  BeginLinkBody,
  BegunLink,
  ChangeChannelBody,
  Channel,
  ChannelList,
  ChannelParams,
  ChannelWithSecret,
  ConnectChannelBody,
} from './channel-schema.ts';
import {
  changeOwnChannel,
  connectChannel,
  disconnectOwnChannel,
  listOwnChannels,
  readOwnChannel,
  rotateOwnSecret,
} from './connected/channels.ts';
import type { ChannelsContext } from './context.ts';
import {
  correctShopAddress,
  ignoreShopOrder,
  listShopOrders,
  placeShopOrder,
  readShopOrder,
  reportShopOrderAgain,
} from './inbox/own-inbox.ts';
import {
  ChannelItems,
  ForgetItemBody,
  ListItemsQuery,
  ListShopOrdersQuery,
  SetItemBody,
  ShopOrderPage,
  ShopOrderParams,
  ShopOrderWithAddress,
} from './inbox-schema.ts';
import { ignoreShopOrderEntries } from './items/ignore-entries.ts';
import { forgetOwnItem, listOwnItems, setOwnItem } from './items/own-items.ts';
import { beginLink } from './linked/begin-link.ts';

const CHANGING = { people: ['owner', 'manager'] } as const;
const ANSWERING = { people: ['owner', 'manager', 'orders'] } as const;
const READING = { people: PERSON_ROLES } as const;

/** Connected shops, for the people of an account. */
export const channelPortalRoutes: readonly PersonRoute<ChannelsContext>[] = [
  route({
    method: 'GET',
    path: '/channels',
    access: READING,
    operationId: 'listChannels',
    summary: 'List connected shops',
    description: 'The newest first, disconnected ones too, at most 100. Each with what of its orders waits.',
    replies: { 200: ChannelList },
    handle: async (ctx, person) => ({ status: 200, body: await listOwnChannels(ctx, person) }),
  }),
  route({
    method: 'POST',
    path: '/channels',
    access: CHANGING,
    operationId: 'connectChannel',
    summary: 'Connect a shop',
    description: [
      'A shop that sends its orders itself, signed. Nothing that was ordered before is placed. The signing secret is in',
      'this answer alone. At most 20 shops an account. Needs a password given in the last 15 minutes.',
    ].join(' '),
    body: ConnectChannelBody,
    errors: ['conflict', 'proof_required'],
    replies: { 201: ChannelWithSecret },
    handle: async (ctx, person, { body }) => ({ status: 201, body: await connectChannel(ctx, person, body) }),
  }),
  route({
    method: 'POST',
    path: '/channels/links',
    access: CHANGING,
    operationId: 'beginChannelLink',
    summary: 'Begin to link a shop of a platform',
    description: [
      'Its people consent on a page of the shop; then its orders are read there, and parcels are reported to it. A shop of',
      'a platform without such a page is linked at once, by a key of it. Needs a password given in the last 15 minutes.',
    ].join(' '),
    body: BeginLinkBody,
    errors: ['conflict', 'not_found', 'proof_required', 'unavailable'],
    replies: { 201: BegunLink },
    handle: async (ctx, person, { body }) => ({ status: 201, body: await beginLink(ctx, person, body) }),
  }),
  route({
    method: 'GET',
    path: '/channels/:id',
    access: READING,
    operationId: 'getChannel',
    summary: 'Read a connected shop',
    params: ChannelParams,
    replies: { 200: Channel },
    handle: async (ctx, person, { params }) => ({ status: 200, body: await readOwnChannel(ctx, person, params.id) }),
  }),
  route({
    method: 'PATCH',
    path: '/channels/:id',
    access: CHANGING,
    operationId: 'changeChannel',
    summary: 'Change or pause a connected shop',
    description: 'Orders of a paused shop are taken and wait. Once it goes on, they are looked at.',
    params: ChannelParams,
    body: ChangeChannelBody,
    errors: ['conflict'],
    replies: { 200: Channel },
    handle: async (ctx, person, { params, body }) => ({
      status: 200,
      body: await changeOwnChannel(ctx, person, params.id, body),
    }),
  }),
  route({
    method: 'POST',
    path: '/channels/:id/secret',
    access: CHANGING,
    operationId: 'rotateChannelSecret',
    summary: 'Replace the signing secret of a shop',
    description: [
      'The new secret is in this answer alone, and taken at once. The one before is taken for 24 hours more. Needs a',
      'password given in the last 15 minutes.',
    ].join(' '),
    params: ChannelParams,
    errors: ['conflict', 'proof_required'],
    replies: { 200: ChannelWithSecret },
    handle: async (ctx, person, { params }) => ({ status: 200, body: await rotateOwnSecret(ctx, person, params.id) }),
  }),
  route({
    method: 'POST',
    path: '/channels/:id/disconnect',
    access: CHANGING,
    operationId: 'disconnectChannel',
    summary: 'Disconnect a shop',
    description: 'Its secret is refused at once. What is not placed is ignored; placed orders go on like all others.',
    params: ChannelParams,
    replies: { 200: Channel },
    handle: async (ctx, person, { params }) => ({
      status: 200,
      body: await disconnectOwnChannel(ctx, person, params.id),
    }),
  }),
  route({
    method: 'GET',
    path: '/channels/:id/items',
    access: READING,
    operationId: 'listChannelItems',
    summary: 'List the items of a shop',
    description: 'What orders wait for, with suggestions, and what is known.',
    params: ChannelParams,
    query: ListItemsQuery,
    replies: { 200: ChannelItems },
    handle: async (ctx, person, { params, query }) => ({
      status: 200,
      body: await listOwnItems(ctx, person, params.id, query),
    }),
  }),
  route({
    method: 'POST',
    path: '/channels/:id/items',
    access: CHANGING,
    operationId: 'setChannelItem',
    summary: 'Say what an item of a shop is',
    description:
      'A variant of a product of yours, or none of ours: for the orders that wait for it and all later ones.',
    params: ChannelParams,
    body: SetItemBody,
    errors: ['conflict'],
    replies: { 204: null },
    handle: async (ctx, person, { params, body }) => {
      await setOwnItem(ctx, person, params.id, body);
      return { status: 204 };
    },
  }),
  route({
    method: 'POST',
    path: '/channels/:id/items/forget',
    access: CHANGING,
    operationId: 'forgetChannelItem',
    summary: 'Forget what an item of a shop is',
    description: 'The next order with it waits again. Placed orders stay as they are.',
    params: ChannelParams,
    body: ForgetItemBody,
    replies: { 204: null },
    handle: async (ctx, person, { params, body }) => {
      await forgetOwnItem(ctx, person, params.id, body);
      return { status: 204 };
    },
  }),
  route({
    method: 'GET',
    path: '/shop-orders',
    access: READING,
    operationId: 'listShopOrders',
    summary: 'List the orders of connected shops',
    description: 'All that shops have sent, the newest first, with what became of each.',
    query: ListShopOrdersQuery,
    errors: ['not_found'],
    replies: { 200: ShopOrderPage },
    csv: 'data',
    handle: async (ctx, person, { query }) => ({ status: 200, body: await listShopOrders(ctx, person, query) }),
  }),
  route({
    method: 'GET',
    path: '/shop-orders/:id',
    access: READING,
    operationId: 'getShopOrder',
    summary: 'Read an order of a connected shop',
    params: ShopOrderParams,
    replies: { 200: ShopOrderWithAddress },
    handle: async (ctx, person, { params }) => ({ status: 200, body: await readShopOrder(ctx, person, params.id) }),
  }),
  route({
    method: 'POST',
    path: '/shop-orders/:id/address',
    access: ANSWERING,
    operationId: 'correctShopAddress',
    summary: 'Put the address of an order of a shop right',
    description: [
      'Of one that is not placed: it is looked at at once. What the shop sends later with the address that it had keeps',
      'this one; another address of the shop takes its place.',
    ].join(' '),
    params: ShopOrderParams,
    body: Address,
    errors: ['conflict'],
    replies: { 200: ShopOrderWithAddress },
    handle: async (ctx, person, { params, body }) => ({
      status: 200,
      body: await correctShopAddress(ctx, person, params.id, body),
    }),
  }),
  route({
    method: 'POST',
    path: '/shop-orders/:id/place',
    access: ANSWERING,
    operationId: 'placeShopOrder',
    summary: 'Have an order of a shop placed',
    description: 'It is looked at at once, as approved. What the shop itself holds goes on waiting for the shop.',
    params: ShopOrderParams,
    errors: ['conflict'],
    replies: { 200: ShopOrderWithAddress },
    handle: async (ctx, person, { params }) => ({ status: 200, body: await placeShopOrder(ctx, person, params.id) }),
  }),
  route({
    method: 'POST',
    path: '/shop-orders/:id/ignore',
    access: ANSWERING,
    operationId: 'ignoreShopOrder',
    summary: 'Ignore an order of a shop',
    description: 'For good: what the shop sends of it later changes nothing.',
    params: ShopOrderParams,
    errors: ['conflict'],
    replies: { 200: ShopOrderWithAddress },
    handle: async (ctx, person, { params }) => ({ status: 200, body: await ignoreShopOrder(ctx, person, params.id) }),
  }),
  route({
    method: 'POST',
    path: '/shop-orders/:id/report',
    access: ANSWERING,
    operationId: 'reportShopOrderAgain',
    summary: 'Report an order to its shop again',
    description:
      'For one whose shop has refused its parcels, its cancel or the money of its buyer, once that is mended.',
    params: ShopOrderParams,
    errors: ['conflict'],
    replies: { 200: ShopOrderWithAddress },
    handle: async (ctx, person, { params }) => ({
      status: 200,
      body: await reportShopOrderAgain(ctx, person, params.id),
    }),
  }),
  route({
    method: 'POST',
    path: '/shop-orders/:id/ignore-entries',
    access: CHANGING,
    operationId: 'ignoreShopOrderEntries',
    summary: 'Say that entries for its items do not matter',
    description:
      'What buyers enter for the items of this order that are not personalised is left out from now on, until it is said anew what they are. All orders that wait for these items are looked at.',
    params: ShopOrderParams,
    errors: ['conflict'],
    replies: { 200: ShopOrderWithAddress },
    handle: async (ctx, person, { params }) => ({
      status: 200,
      body: await ignoreShopOrderEntries(ctx, person, params.id),
    }),
  }),
];
