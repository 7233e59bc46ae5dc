import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { newId, publicId } from '../../../src/lib/ids.ts';
import { EVENT_NAMES } from '../../../src/webhooks/events.ts';
import { call, closeSubscriptions, good, openSubscriptions, token, world } from './subscriptions.ts';

before(openSubscriptions);
after(closeSubscriptions);

test('4.5 create: a subscription is created, read, listed, changed and removed; its secret is shown at its creation only (4.5 fetch, 4.5 delete, 2.8 fields, 2.8 secret, 3.5 create, 3.5 delete, K169)', async () => {
  const bearer = await token();
  const created = await call(bearer, 'POST', '/webhooks', {
    url: good(),
    description: 'Shop',
    events: ['order.created'],
  });
  assert.equal(created.status, 201);
  const { secret, warnings, ...shown } = created.body;
  assert.deepEqual(warnings, []);
  assert.match(secret, /^whsec_/);
  const { id, created_at: createdAt } = shown;
  assert.match(id, /^whk_[0-7][0-9a-hjkmnp-tv-z]{25}$/);
  assert.match(createdAt, /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/);
  assert.deepEqual(shown, {
    id,
    url: good(),
    events: ['order.created'],
    description: 'Shop',
    active: true,
    disabled_reason: null,
    failing_since: null,
    created_at: createdAt,
    updated_at: createdAt,
  });
  assert.deepEqual((await call(bearer, 'GET', `/webhooks/${id}`)).body, {
    ...shown,
    failure_count: 0,
    previous_secret_until: null,
    recent_deliveries: [],
  });
  assert.deepEqual((await call(bearer, 'GET', '/webhooks')).body, {
    data: [shown],
    has_more: false,
    next_cursor: null,
  });
  const changed = await call(bearer, 'PATCH', `/webhooks/${id}`, { events: [], active: false });
  assert.equal(changed.status, 200);
  assert.deepEqual(
    { ...changed.body, updated_at: '' },
    {
      ...shown,
      events: [],
      active: false,
      updated_at: '',
      warnings: [],
    },
  );
  assert.deepEqual(await call(bearer, 'DELETE', `/webhooks/${id}`), { status: 204, body: undefined });
  assert.equal((await call(bearer, 'DELETE', `/webhooks/${id}`)).status, 404);
  assert.equal((await call(bearer, 'GET', `/webhooks/${id}`)).status, 404);
  assert.ok(!world.ctx.logged.join('').includes(secret));
});

test('2.8 events: without events, or with an empty list, a subscription is for all events; repeated names count once (4.5 events, K167)', async () => {
  const bearer = await token();
  for (const [events, shown] of [
    [undefined, []],
    [[], []],
    [
      ['order.on_hold', 'order.created', 'order.on_hold'],
      ['order.on_hold', 'order.created'],
    ],
    [[...EVENT_NAMES], [...EVENT_NAMES]],
  ]) {
    const { status, body } = await call(bearer, 'POST', '/webhooks', { url: good(), ...(events && { events }) });
    assert.equal(status, 201);
    assert.deepEqual(body.events, shown);
    assert.equal(body.description, '');
  }
});

test('4.5 unknown event: an unknown event is refused at its place, with the valid names beside it and at the top (7 webhook event, K167)', async () => {
  const bearer = await token();
  const { status, body } = await call(bearer, 'POST', '/webhooks', {
    url: 'http://public.example.test/',
    events: ['order.created', 'order.delivered', 'order.*'],
  });
  assert.equal(status, 422);
  assert.equal(body.code, 'validation_failed');
  assert.deepEqual(body.valid_events, EVENT_NAMES);
  const found = body.errors.map((problem) => [problem.path, problem.code]);
  assert.deepEqual(found, [
    ['url', 'scheme'],
    ['events[1]', 'unknown_value'],
    ['events[2]', 'unknown_value'],
  ]);
  assert.deepEqual(body.errors[1]?.valid_values, EVENT_NAMES);
});

test('K166 to K170 what cannot be a subscription is refused at its field, and nothing is written (4.5 url, 4.5 description)', async () => {
  const bearer = await token();
  const { body: existing } = await call(bearer, 'POST', '/webhooks', { url: good() });
  const cases: { body: unknown; path: string; only?: 'POST' | 'PATCH' }[] = [
    ...[
      'http://public.example.test/',
      'ftp://public.example.test/',
      'not a url',
      '',
      'https://user:word@public.example.test/',
      `https://public.example.test/${'a'.repeat(2_021)}`,
      'https://intranet.example.test/',
      'https://metadata.example.test/',
      'https://nowhere.example.test/',
      'https://127.0.0.1/',
      'https://93.184.216.34/',
      'https://[::1]/',
      'https://2130706433/',
      'https://bücher.example.test/',
      'https://public.example.test:5432/',
      null,
      7,
    ].map((url) => ({ body: { url }, path: 'url' })),
    { body: {}, path: 'url', only: 'POST' },
    { body: { url: good(), events: null }, path: 'events' },
    { body: { url: good(), events: 'order.created' }, path: 'events' },
    { body: { url: good(), events: [7] }, path: 'events[0]' },
    { body: { url: good(), events: Array(101).fill('order.created') }, path: 'events' },
    { body: { url: good(), description: 'a'.repeat(201) }, path: 'description' },
    { body: { url: good(), description: null }, path: 'description' },
    { body: { active: 'true' }, path: 'active', only: 'PATCH' },
    { body: { active: null }, path: 'active', only: 'PATCH' },
  ];
  for (const { body, path, only } of cases) {
    for (const [method, address] of [
      ['POST', '/webhooks'],
      ['PATCH', `/webhooks/${existing.id}`],
    ] as const) {
      if (only !== undefined && only !== method) continue;
      const reply = await call(bearer, method, address, body);
      const name = `${method} ${JSON.stringify(body).slice(0, 80)}`;
      assert.equal(reply.status, 422, name);
      assert.deepEqual(
        reply.body.errors.map((problem) => problem.path),
        [path],
        name,
      );
    }
  }
  const { body: page } = await call(bearer, 'GET', '/webhooks');
  assert.equal(page.data.length, 1);
  assert.equal(page.data[0]?.updated_at, existing.updated_at);
});

test('K166 a URL of 2,048 characters, and K168 a description of 200 code points, are accepted (4.5 description, 8 webhook description)', async () => {
  const bearer = await token();
  const url = good() + 'a'.repeat(2_048 - good().length);
  const { status, body } = await call(bearer, 'POST', '/webhooks', { url, description: '👕'.repeat(200) });
  assert.deepEqual([status, body.url, body.description], [201, url, '👕'.repeat(200)]);
  assert.equal((await call(bearer, 'POST', '/webhooks', { url: `${url}a` })).status, 422);
  assert.equal((await call(bearer, 'POST', '/webhooks', { url, description: '👕'.repeat(201) })).status, 422);
});

test('K171 an account has at most twenty subscriptions, however many are created at once', async () => {
  const bearer = await token();
  const replies = await Promise.all(
    Array.from({ length: 30 }, () => call(bearer, 'POST', '/webhooks', { url: good() })),
  );
  const statuses = replies.map((reply) => reply.status);
  assert.equal(statuses.filter((status) => status === 201).length, 20);
  assert.equal(statuses.filter((status) => status === 422).length, 10);
  const { body } = await call(bearer, 'GET', '/webhooks?limit=100');
  assert.equal(body.data.length, 20);
  await call(bearer, 'DELETE', `/webhooks/${body.data[0]?.id}`);
  assert.equal((await call(bearer, 'POST', '/webhooks', { url: good() })).status, 201);
});

test('5.3 subscriptions are read with orders:read and written with orders:write (4.5 scopes)', async () => {
  const [reader, writer] = [await token(new Set(['orders:read'])), await token(new Set(['orders:write']))];
  const id = publicId('whk', newId());
  const cases = [
    ['GET', '/webhooks', reader],
    ['GET', `/webhooks/${id}`, reader],
    ['POST', '/webhooks', writer],
    ['PATCH', `/webhooks/${id}`, writer],
    ['DELETE', `/webhooks/${id}`, writer],
  ] as const;
  for (const [method, path, allowed] of cases) {
    for (const bearer of [reader, writer]) {
      const { body } = await call(bearer, method, path, method === 'POST' || method === 'PATCH' ? {} : undefined);
      assert.equal(body?.code === 'insufficient_scope', bearer !== allowed, `${method} ${path}`);
    }
  }
});
