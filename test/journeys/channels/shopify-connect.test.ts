import '@shopify/shopify-api/adapters/node';
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ApiVersion, shopifyApi } from '@shopify/shopify-api';
import { register } from 'prom-client';
import { syncJobs } from '../../../src/channels/linked/sync-shop.ts';
import { TOPICS } from '../../../src/channels/platforms/shopify/notice.ts';
import type { Context } from '../../../src/lib/context.ts';
import { parseId } from '../../../src/lib/ids.ts';
import type { Job } from '../../../src/lib/queue/job.ts';
import { eventually } from '../../harness/context.ts';
import { openRole } from '../../harness/portal.ts';
import { startTestService } from '../../harness/service.ts';
import { APP, signedRequest } from '../../harness/shopify/double.ts';
import { rows } from '../../harness/written.ts';
import {
  begin,
  channelsOf,
  closeShopify,
  connect,
  double,
  follow,
  isPlaced,
  logged,
  openPerson,
  openShopify,
  service,
  synced,
  until,
} from './shopify-shops.ts';

before(() => openShopify(['fern', 'refused', 'twice', 'gone', 'left', 'other', 'oracle', 'early', 'installed']));
after(closeShopify);

// Shopify's own library, as the judge of what the double signs and of what is taken here.
const oracle = shopifyApi({
  apiKey: APP.clientId,
  apiSecretKey: APP.clientSecret,
  apiVersion: ApiVersion.July26,
  hostName: 'print.example',
  isEmbeddedApp: false,
});

test('a shop is connected by its people’s consent, has our service and tells of what changes', async () => {
  const person = await openPerson();
  const page = new URL(await begin(person, 'fern'));
  assert.equal(page.origin + page.pathname, 'https://fern.myshopify.com/admin/oauth/authorize');
  assert.equal(page.searchParams.get('redirect_uri'), `${service.ctx.config.baseUrl}/channels/consents/shopify`);
  assert.match(page.searchParams.get('scope') ?? '', /read_orders.*write_assigned_fulfillment_orders/);
  const { status, to } = await follow(double.consent(page.href), person.owner);
  assert.deepEqual([status, to], [302, `${service.ctx.config.baseUrl}/portal/shops`]);
  const [channel] = await channelsOf(person);
  assert.ok(channel !== undefined);
  await synced({ ...person, channelId: channel.id });
  const { hooks, services, tokens } = double.shop('fern');
  assert.deepEqual(hooks.map(({ topic }) => topic).toSorted(), Object.keys(TOPICS).toSorted());
  assert.deepEqual(
    services.map(({ handle }) => handle),
    ['platen'],
  );
  const all = logged.join('\n');
  for (const secret of [APP.clientSecret, tokens.access ?? '-', tokens.refresh ?? '-']) {
    assert.equal(all.includes(secret), false, 'a secret is in the log');
  }
});

test('only NAME.myshopify.com is an address', async () => {
  const { owner } = await openPerson(0);
  const wrong = [
    'fern.example.com',
    'https://myshopify.com',
    'fern.myshopify.com.evil.example',
    'http://fern.myshopify.com',
    'https://fern.myshopify.com:8443',
    'https://a@fern.myshopify.com',
    'fern.sub.myshopify.com',
    '127.0.0.1',
    '-fern.myshopify.com',
  ];
  for (const address of wrong) {
    const body = { platform: 'shopify', name: 'Wrong', address };
    const answer = await owner.request('POST', '/channels/links', { body });
    assert.equal(answer.status, 422, address);
  }
});

test('what is changed, of another shop, of nobody, of somebody else or used before connects nothing', async () => {
  const person = await openPerson(0);
  const other = await openPerson(0);
  const page = await begin(person, 'refused');
  const good = double.consent(page);
  assert.equal((await follow(good.replace(/code=[^&]+/, 'code=another'), person.owner)).status, 400);
  assert.equal((await follow(good.replace(/hmac=../, 'hmac=zz'), person.owner)).status, 400);
  assert.equal((await follow(`${good}&more=1`, person.owner)).status, 400);
  assert.equal((await follow(double.consent(page, { shop: 'other.myshopify.com' }), person.owner)).status, 401);
  assert.equal((await follow(double.consent(page, { state: 'x'.repeat(43) }), person.owner)).status, 401);
  assert.equal((await follow(double.consent(page, { timestamp: '1700000000' }), person.owner)).status, 409);
  assert.equal((await follow(double.consent(page))).status, 401);
  assert.equal((await follow(double.consent(page), other.owner)).status, 401);
  assert.deepEqual(await channelsOf(person), []);
  const used = double.consent(page);
  assert.equal((await follow(used, person.owner)).status, 302);
  assert.equal((await follow(used, person.owner)).status, 401);
  assert.deepEqual([(await channelsOf(person)).length, (await channelsOf(other)).length], [1, 0]);
});

test('a consent that Shopify does not take, or does not answer, can be given again', async () => {
  const person = await openPerson(0);
  const page = await begin(person, 'left');
  const first = double.consent(page);
  double.shop('left').tokens.code = 'another';
  assert.equal((await follow(first, person.owner)).status, 409);
  const second = double.consent(page);
  double.shop('left').faults.push('answer lost');
  assert.equal((await follow(second, person.owner)).status, 503);
  assert.equal((await follow(double.consent(page), person.owner)).status, 302);
});

test('who installs the app is led to the consent of the shop, or to sign in with its address filled in', async () => {
  const person = await openPerson(0);
  const portal = `${service.ctx.config.baseUrl}/portal/shops`;
  const out = await follow(double.install('installed'));
  assert.deepEqual([out.status, out.to], [302, `${portal}?install=installed`]);
  const { status, to, text } = await follow(double.install('installed'), person.owner);
  assert.equal(status, 302, text);
  assert.equal(new URL(to).host, 'installed.myshopify.com');
  assert.equal((await follow(double.consent(to), person.owner)).status, 302);
  const [channel] = await channelsOf(person);
  assert.ok(channel !== undefined);
  await synced({ ...person, channelId: channel.id });
  const opened = await follow(double.install('installed'), person.owner);
  assert.equal(opened.to, `${portal}/${channel.id}`, 'one that is connected is shown');
  const reader = await openRole(service, 'reader', person.customer.accountId);
  assert.equal((await follow(double.install('twice'), reader)).to, `${portal}?install=twice`);
  service.shiftMs(1_000_000);
  assert.equal((await follow(double.install('twice'), person.owner)).to, `${portal}?install=twice`);
});

test('an install that Shopify has not signed, or more than five minutes ago, is refused in words and counted', async () => {
  const person = await openPerson(0);
  const good = double.install('installed');
  const seconds = Math.floor(double.now().getTime() / 1_000);
  const old = double.install('installed', { timestamp: String(seconds - 301) });
  const cases: [string, RegExp][] = [
    [good.replace('shop=installed', 'shop=twice'), /not signed by Shopify/],
    [good.replace(/hmac=../, 'hmac=00'), /not signed by Shopify/],
    [good.replace(/&hmac=.*/, ''), /not signed by Shopify/],
    [`${good}&shop=twice.myshopify.com`, /not signed by Shopify/],
    [old, /more than five minutes ago/],
    [double.install('installed', { timestamp: String(seconds + 400) }), /more than five minutes ago/],
  ];
  for (const [path, words] of cases) {
    const { status, text } = await follow(path, person.owner);
    assert.equal(status, 401, path);
    assert.match(text, words);
  }
  assert.equal((await follow(double.install('installed', { timestamp: String(seconds - 200) }))).status, 302);
  const refused = /platen_shopify_installs_total\{result="(signature|age)"\} (\d+)/g;
  const counts = [...(await register.metrics()).matchAll(refused)].map(([, why, count]) => [why, Number(count)]);
  assert.deepEqual(counts, [
    ['signature', 4],
    ['age', 2],
  ]);
});

test('a shop that is connected again keeps its channel; of another account it is refused until it is disconnected', async () => {
  const connected = await connect('twice');
  assert.equal((await follow(double.consent(await begin(connected, 'twice')), connected.owner)).status, 302);
  assert.equal((await channelsOf(connected)).length, 1);
  const other = await openPerson();
  const { access } = connected.shop.tokens;
  assert.equal((await follow(double.consent(await begin(other, 'twice')), other.owner)).status, 409);
  assert.equal(connected.shop.tokens.access, access, 'what lets the first account in is what it was');
  const again = double.consent(await begin(connected, 'twice'));
  assert.equal((await follow(again, connected.owner)).status, 302);
  await connected.owner.request('POST', `/channels/${connected.channelId}/disconnect`);
  await eventually('the app is taken out', async () => !connected.shop.isInstalled);
  const link = 'select 1 from channel_link where channel_id = (select id from channel where address = $1)';
  await eventually(
    'the link is gone',
    async () => (await rows(service, link, ['https://twice.myshopify.com'])).length === 0,
  );
  assert.equal((await follow(double.consent(await begin(other, 'twice')), other.owner)).status, 302);
  const [channel] = await channelsOf(other);
  assert.ok(channel !== undefined);
  await synced({ ...other, channelId: channel.id });
});

test('a shop that is disconnected while a sync begins is left as it was found', async () => {
  const { customer, channelId, shop } = await connect('early');
  const { ctx } = service;
  // As a disconnect between the two reads with which a sync begins.
  const all: Context['database']['all'] = async (statement, values) => {
    if (statement.name === 'channels_secrets') {
      await rows(service, "update channel set state = 'disconnected', ended_at = now() where id = $1", [id]);
      await rows(service, 'delete from channel_secret where channel_id = $1', [id]);
    }
    return ctx.database.all(statement, values);
  };
  const database: Context['database'] = Object.assign(Object.create(ctx.database) as Context['database'], { all });
  const id = parseId('chan', channelId) ?? assert.fail();
  const job = { account_id: customer.accountId, payload: { channelId: id } } as unknown as Job;
  await syncJobs({ ...ctx, database })[0]?.run(job, new AbortController().signal);
  assert.equal(shop.isInstalled, false);
});

test('a shop whose people took the app away is shown as one that lets nobody in, and nothing more is asked of it', async () => {
  const connected = await connect('gone');
  const { shop } = connected;
  shop.isInstalled = false;
  shop.tokens.access = undefined;
  const path = new URL(shop.hooks[0]?.uri ?? '').pathname;
  assert.equal(await double.send(path, { topic: 'app/uninstalled', domain: shop.domain, body: { id: 1 } }), 200);
  const [channel] = await eventually('the fault is shown', async () => {
    const channels = await channelsOf(connected);
    return channels[0]?.link?.fault === null ? undefined : channels;
  });
  assert.match(channel?.link?.fault?.message ?? '', /Connect the shop again/);
});

test('a notice with a wrong secret, of another shop or without a signature is refused and counted', async () => {
  const connected = await connect('other');
  const { shop } = connected;
  const path = new URL(shop.hooks[0]?.uri ?? '').pathname;
  const notice = { topic: 'orders/create', domain: shop.domain, body: { id: 5 } };
  assert.equal(await double.send(path, { ...notice, secret: 'another' }), 401);
  assert.equal(await double.send(path, { ...notice, domain: 'fern.myshopify.com' }), 401);
  assert.equal((await fetch(service.url + path, { method: 'POST', body: '{"id":5}' })).status, 401);
  assert.equal(await double.send(path, notice), 200);
  assert.equal((await channelsOf(connected))[0]?.refused, 3);
});

test('what the double signs, and what is taken here, is what Shopify’s own library takes', async () => {
  const connected = await connect('oracle');
  const { shop, ours } = connected;
  const consent = double.consent(await begin(connected, 'oracle'), {
    timestamp: String(Math.floor(Date.now() / 1_000)),
  });
  const query = Object.fromEntries(new URLSearchParams(consent.split('?')[1]));
  assert.equal(await oracle.utils.validateHmac(query), true);
  assert.equal(await oracle.utils.validateHmac({ ...query, shop: 'other.myshopify.com' }), false);
  const install = double.install('oracle', { timestamp: String(Math.floor(Date.now() / 1_000)) });
  assert.equal(await oracle.utils.validateHmac(Object.fromEntries(new URLSearchParams(install.split('?')[1]))), true);
  const order = await double.order(shop, [ours]);
  await until(connected, order.id, isPlaced);
  const { headers, text } = signedRequest({ topic: 'orders/create', domain: shop.domain, body: { id: 1 } });
  for (const [rawBody, isValid] of [
    [text, true],
    [`${text} `, false],
  ] as const) {
    const rawRequest = new Request('https://print.example/notices', { method: 'POST', headers, body: rawBody });
    const request = { method: 'POST', url: rawRequest.url, headers };
    assert.equal((await oracle.webhooks.validate({ rawBody, rawRequest: request })).valid, isValid);
  }
});

test('without an app at Shopify no shop of it can be connected, and who tries is reported why', async () => {
  const without = await startTestService({ role: 'api' });
  try {
    const owner = await openRole(without, 'owner');
    const body = { platform: 'shopify', name: 'Fern', address: 'fern.myshopify.com' };
    const { status, body: refusal } = await owner.request('POST', '/channels/links', { body });
    assert.equal(status, 409);
    assert.match(refusal.detail, /no app at Shopify/);
    const path = `${without.url}/channels/consents/shopify?code=a&shop=fern.myshopify.com&state=b&timestamp=1&hmac=${'0'.repeat(64)}`;
    assert.equal((await fetch(path)).status, 400);
    assert.equal((await fetch(`${without.url}/channels/shopify/privacy`, { method: 'POST', body: '{}' })).status, 401);
  } finally {
    await without.stop();
  }
});
