import { type OpsRoute, route } from '../lib/route.ts';
import { ListOpsChannelsQuery, OpsChannel, OpsChannelPage } from './channel-ops-schema.ts';
import { ChangeChannelBody, ChannelParams } from './channel-schema.ts';
import {
  changeByOps,
  disconnectByOps,
  getOpsChannel,
  listOpsChannels,
  pauseByOps,
  syncByOps,
} from './connected/ops-channels.ts';
import type { ChannelsContext } from './context.ts';
import { ChannelItems, ForgetItemBody, ListItemsQuery, SetItemBody } from './inbox-schema.ts';
import { forgetItemByOps, listOpsItems, setItemByOps } from './items/ops-items.ts';
import {
  ChannelProduct,
  ChannelProductPage,
  ChannelProductParams,
  ListChannelProductsQuery,
} from './product-schema.ts';
import { listOpsChannelProducts, retryByOps } from './products/ops-channel-products.ts';

const READING = { roles: ['viewer', 'production', 'finance'] } as const;
const MENDING = { roles: ['production'] } as const;

/** Connected shops, as operators see and mend them. */
export const channelOpsRoutes: readonly OpsRoute<ChannelsContext>[] = [
  route({
    method: 'GET',
    path: '/channels',
    access: READING,
    operationId: 'listChannels',
    summary: 'List connected shops',
    description: 'Of all accounts, the newest first, disconnected ones too. Each with what of its orders waits.',
    query: ListOpsChannelsQuery,
    replies: { 200: OpsChannelPage },
    csv: 'data',
    handle: async (ctx, _operator, { query }) => ({ status: 200, body: await listOpsChannels(ctx, query) }),
  }),
  route({
    method: 'GET',
    path: '/channels/:id',
    access: READING,
    operationId: 'getChannel',
    summary: 'Fetch a connected shop',
    params: ChannelParams,
    replies: { 200: OpsChannel },
    handle: async (ctx, _operator, { params }) => ({ status: 200, body: await getOpsChannel(ctx, params.id) }),
  }),
  route({
    method: 'PATCH',
    path: '/channels/:id',
    access: MENDING,
    operationId: 'changeChannel',
    summary: 'Change the name and the rules of a connected shop',
    description: 'As its own people do. What waited for no other reason is looked at.',
    params: ChannelParams,
    body: ChangeChannelBody,
    errors: ['conflict'],
    replies: { 200: OpsChannel },
    handle: async (ctx, operator, { params, body, once }) => ({
      status: 200,
      body: await changeByOps(ctx, operator, { id: params.id, body, once }),
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
    handle: async (ctx, _operator, { params, query }) => ({
      status: 200,
      body: await listOpsItems(ctx, params.id, query),
    }),
  }),
  route({
    method: 'POST',
    path: '/channels/:id/items',
    access: MENDING,
    operationId: 'setChannelItem',
    summary: 'Say what an item of a shop is',
    description:
      'A variant of a product of the account, or made by others: for the orders that wait for it and all later ones.',
    params: ChannelParams,
    body: SetItemBody,
    errors: ['conflict'],
    replies: { 200: OpsChannel },
    handle: async (ctx, operator, { params, body, once }) => ({
      status: 200,
      body: await setItemByOps(ctx, operator, { id: params.id, body, once }),
    }),
  }),
  route({
    method: 'POST',
    path: '/channels/:id/items/forget',
    access: MENDING,
    operationId: 'forgetChannelItem',
    summary: 'Forget what an item of a shop is',
    description: 'The next order with it waits again. Placed orders stay as they are.',
    params: ChannelParams,
    body: ForgetItemBody,
    replies: { 200: OpsChannel },
    handle: async (ctx, operator, { params, body, once }) => ({
      status: 200,
      body: await forgetItemByOps(ctx, operator, { id: params.id, key: body.key, once }),
    }),
  }),
  route({
    method: 'POST',
    path: '/channels/:id/sync',
    access: MENDING,
    operationId: 'syncChannel',
    summary: 'Ask a shop again at once',
    description: 'Whatever it failed by. What was set up in it is looked after, too.',
    params: ChannelParams,
    errors: ['conflict'],
    replies: { 200: OpsChannel },
    handle: async (ctx, operator, { params, once }) => ({
      status: 200,
      body: await syncByOps(ctx, operator, { id: params.id, once }),
    }),
  }),
  route({
    method: 'POST',
    path: '/channels/:id/pause',
    access: MENDING,
    operationId: 'pauseChannel',
    summary: 'Pause a connected shop',
    description: 'Its orders are taken, and wait until it goes on.',
    params: ChannelParams,
    errors: ['conflict'],
    replies: { 200: OpsChannel },
    handle: async (ctx, operator, { params, once }) => ({
      status: 200,
      body: await pauseByOps(ctx, operator, { id: params.id, once, paused: true }),
    }),
  }),
  route({
    method: 'POST',
    path: '/channels/:id/resume',
    access: MENDING,
    operationId: 'resumeChannel',
    summary: 'Have a paused shop go on',
    description: 'What waited for it is looked at.',
    params: ChannelParams,
    errors: ['conflict'],
    replies: { 200: OpsChannel },
    handle: async (ctx, operator, { params, once }) => ({
      status: 200,
      body: await pauseByOps(ctx, operator, { id: params.id, once, paused: false }),
    }),
  }),
  route({
    method: 'POST',
    path: '/channels/:id/disconnect',
    access: MENDING,
    operationId: 'disconnectChannel',
    summary: 'Disconnect a shop',
    description: 'Its secret is refused at once. What is not placed is ignored; placed orders go on like all others.',
    params: ChannelParams,
    replies: { 200: OpsChannel },
    handle: async (ctx, operator, { params, once }) => ({
      status: 200,
      body: await disconnectByOps(ctx, operator, { id: params.id, once }),
    }),
  }),
  route({
    method: 'GET',
    path: '/channels/:id/products',
    access: READING,
    operationId: 'listChannelProducts',
    summary: 'List the products that are published in a shop',
    description: 'The newest product first, with what the shop refuses in words.',
    params: ChannelParams,
    query: ListChannelProductsQuery,
    replies: { 200: ChannelProductPage },
    csv: 'data',
    handle: async (ctx, _operator, { params, query }) => ({
      status: 200,
      body: await listOpsChannelProducts(ctx, params.id, query),
    }),
  }),
  route({
    method: 'POST',
    path: '/channels/:id/products/:product_id/retry',
    access: MENDING,
    operationId: 'retryChannelProduct',
    summary: 'Write a product to its shop again',
    description: 'For one that the shop refused, once the cause is mended. One that was deleted there is made anew.',
    params: ChannelProductParams,
    errors: ['conflict'],
    replies: { 200: ChannelProduct },
    handle: async (ctx, operator, { params, once }) => ({
      status: 200,
      body: await retryByOps(ctx, operator, { id: params.id, productId: params.product_id, once }),
    }),
  }),
];
