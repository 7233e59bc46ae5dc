import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { listGrantRows, revokeGrantRows } from '../../src/accounts/access/app-sql.ts';
import { endGrants, endSessions, findSessionUser, listSessionRows } from '../../src/accounts/access/people-sql.ts';
import { listTokenRows } from '../../src/accounts/access/token-sql.ts';
import type { Db } from '../../src/lib/db.ts';
import { LAST_ID, newId, type Uuid } from '../../src/lib/ids.ts';
import { openTestContext, type TestContext } from '../harness/context.ts';
import { rowsTouched } from '../harness/rows-touched.ts';

// What withdrawing access reads and writes must cost by what is shown or ended, never by what was ever issued.

const ISSUED = 20_000;
const LIMIT = 26;
/** A page with its people and apps, several times over. */
const TOUCHED_MAX = 400;

let ctx: TestContext;
const [accountId, clientId, userId] = [newId(), newId(), newId()];

before(async () => {
  ctx = await openTestContext({});
  await ctx.database.script(`
    insert into account (id, name, created_at) values ('${accountId}', 'A', now());
    insert into account_user (account_id, id, email, password_hash, created_at)
    values ('${accountId}', '${userId}', 'ada@example.com', 'none', now());
    insert into account_user (account_id, id, email, password_hash, created_at)
    select '${accountId}', uuid_v7(now() - make_interval(mins => n)), 'p' || n || '@example.com', 'none', now()
    from generate_series(1, 200) as n;
    insert into oauth_client (id, account_id, name, redirect_uris, scopes, created_at)
    values ('${clientId}', '${accountId}', 'App', '{https://a.example/cb}', '{orders:read}', now());
    -- Apps' tokens and revoked grants lie between the few that are listed.
    insert into access_token (account_id, id, token_hash, scopes, client_id, created_at, expires_at)
    select '${accountId}', uuid_v7(now() - make_interval(secs => n)), decode(md5(n::text), 'hex'), '{}',
      case when n % 400 = 0 then null else '${clientId}'::uuid end, now(), now()
    from generate_series(1, ${ISSUED}) as n;
    insert into oauth_grant (account_id, id, user_id, client_id, scopes, created_at, revoked_at)
    select '${accountId}', uuid_v7(now() - make_interval(secs => n)), u.id, '${clientId}', '{orders:read}', now(),
      case when n % 400 = 0 then null else now() end
    from generate_series(1, ${ISSUED}) as n
    join (select id, row_number() over (order by id) - 1 as at from account_user) u on u.at = n % 200;
    insert into oauth_record (key_hash, kind, id, account_id, user_id, sealed, created_at, expires_at)
    select decode(md5(n::text), 'hex'), case when n % 400 = 0 then 'session' else 'refresh_token' end,
      case when n % 400 = 0 then uuid_v7(now() - make_interval(secs => n)) end, '${accountId}', u.id, '', now(),
      now() + interval '1 hour'
    from generate_series(1, ${ISSUED}) as n
    join (select id, row_number() over (order by id) - 1 as at from account_user) u on u.at = n % 200;
    analyze;
  `);
});
after(() => ctx.close());

async function holds(what: string, ask: (db: Db) => Promise<unknown>): Promise<void> {
  const count = await rowsTouched(ctx.database, ask);
  assert.ok(count <= TOUCHED_MAX, `${what} touches ${count} rows`);
}

test('a page of tokens, sessions or grants touches a page of rows, however much was ever issued', async () => {
  const now = new Date();
  for (const before of [LAST_ID as Uuid, newId(now.getTime() - (ISSUED / 2) * 1_000)]) {
    const page = { before, limit: LIMIT };
    await holds('tokens', (db) => listTokenRows(db, { accountId, ...page }));
    await holds('sessions', (db) => listSessionRows(db, { accountId, ...page, now }));
    for (const of of [
      { accountId, clientId: undefined },
      { accountId, clientId },
      { accountId: undefined, clientId },
    ]) {
      await holds(`grants of ${JSON.stringify(of)}`, (db) => listGrantRows(db, of, page));
    }
  }
});

test('ending what a person has touches what the person has', async () => {
  const now = new Date();
  const user = { accountId, id: userId, keptSessionId: null };
  await holds('sessions of a person', (db) => endSessions(db, user));
  await holds('grants of a person', (db) => endGrants(db, user, now));
  await holds('a session by its id', (db) => findSessionUser(db, newId()));
  for (const of of [
    { accountId, clientId: undefined },
    { accountId: undefined, clientId },
  ]) {
    await holds('a part of all grants', (db) => revokeGrantRows(db, of, LIMIT, now));
  }
});
