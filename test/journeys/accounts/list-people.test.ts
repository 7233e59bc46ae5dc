import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { PersonOfAccount } from '../../../src/accounts/portal/people-schema.ts';
import type { Page } from '../../../src/lib/paging.ts';
import { openPerson } from '../../harness/oauth.ts';
import { COOKIE, openRole } from '../../harness/portal.ts';
import { closeAccess, openAccess, service } from './access.ts';
import { openCrowd } from './people.ts';

before(openAccess);
after(closeAccess);

test('the people of the account, with their roles and when they were last there, and of no other', async () => {
  const { accountId } = await service.openCustomer();
  const owner = await openRole(service, 'owner', accountId);
  const reader = await openPerson(service, accountId, 'reader');
  const { body, text } = await owner.request<{ data: PersonOfAccount[] }>('GET', '/people');
  assert.deepEqual(
    body.data.map(({ email, role, second_factor: factor, disabled_at: disabledAt }) => [
      email,
      role,
      factor,
      disabledAt,
    ]),
    [
      [owner.person.email, 'owner', false, null],
      [reader.email, 'reader', false, null],
    ],
  );
  assert.deepEqual(
    body.data.map(({ last_seen_at: seen }) => seen !== null),
    [true, false],
  );
  assert.ok(!text.includes('argon2'));
});

test('owners see when and with which browser each signed in last, without an address of the network; managers do not', async () => {
  const { accountId } = await service.openCustomer();
  const owner = await openRole(service, 'owner', accountId);
  const manager = await openRole(service, 'manager', accountId);
  await openPerson(service, accountId, 'reader');
  const last = async (by: typeof owner) =>
    (await by.request<{ data: PersonOfAccount[] }>('GET', '/people')).body.data.map(({ last_sign_in: each }) => each);
  const seen = await last(owner);
  assert.deepEqual(
    seen.map((each) => each && Object.keys(each)),
    [['at', 'user_agent'], ['at', 'user_agent'], null],
  );
  assert.deepEqual(await last(manager), [null, null, null]);
  await service.ctx.database.all(
    {
      name: 'test_sign_in_of_before',
      text: `insert into sign_in_log (account_id, id, user_id, kind, at, ip, user_agent, hour, alike)
      select account_id, gen_random_uuid(), user_id, kind, at - interval '3 hours', ip, 'An older one', hour - interval '3 hours', alike
      from sign_in_log where user_id = $1`,
    },
    [manager.person.id],
  );
  assert.deepEqual(await last(owner), seen, 'the newest counts');
});

test('the people come as CSV, a text that begins as a formula with an apostrophe; readers are refused', async () => {
  const { accountId } = await service.openCustomer();
  const owner = await openRole(service, 'owner', accountId);
  const { status } = await owner.request('PATCH', `/people/${owner.session.user.id}`, { body: { name: '=1+1' } });
  assert.equal(status, 200);
  const ask = async (by: typeof owner) => {
    const answer = await fetch(`${service.url}/portal/api/v1/people?format=csv`, {
      headers: { cookie: `${COOKIE}=${by.secret}` },
    });
    return { status: answer.status, rows: (await answer.text()).split('\r\n') };
  };
  const { rows } = await ask(owner);
  assert.equal(
    rows[0],
    'id,email,name,role,second_factor,disabled_at,last_seen_at,last_sign_in.at,last_sign_in.user_agent',
  );
  assert.match(rows[1] ?? '', /^user_[^,]+,[^,]+,'=1\+1,owner,false,,/);
  assert.equal((await ask(await openRole(service, 'reader', accountId))).status, 403);
});

test('more than 1,000 people come page by page, each once in the order in which they were added, and all as CSV', async () => {
  const { owner, last } = await openCrowd(1_100);
  const found: PersonOfAccount[] = [];
  for (let cursor = ''; ; ) {
    const page = await owner.request<Page<PersonOfAccount>>('GET', `/people?limit=100${cursor}`);
    assert.equal(page.status, 200, page.text);
    found.push(...page.body.data);
    if (page.body.next_cursor === null) break;
    cursor = `&cursor=${page.body.next_cursor}`;
  }
  assert.deepEqual([found.length, new Set(found.map(({ id }) => id)).size], [1_101, 1_101]);
  assert.deepEqual([found[0]?.id, found.at(-1)?.id], [owner.session.user.id, last]);
  const answer = await fetch(`${service.url}/portal/api/v1/people?format=csv`, {
    headers: { cookie: `${COOKIE}=${owner.secret}` },
  });
  assert.equal((await answer.text()).trim().split('\r\n').length, 1_102, 'with its headings');
});
