import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openAccount, openTestContext, type TestContext } from '../../../test/harness/context.ts';
import { newId, type Uuid } from '../../lib/ids.ts';
import { findRecipients, saveChoice } from './notice-sql.ts';

let ctx: TestContext;
before(async () => {
  ctx = await openTestContext({});
});
after(() => ctx.close());

async function addPerson(accountId: Uuid, role: string): Promise<Uuid> {
  const id = newId();
  await ctx.database.all(
    {
      name: 'test_add_person',
      text: `insert into account_user (account_id, id, email, password_hash, role, name, created_at)
             values ($1, $2::uuid, $2::uuid || '@example.com', 'none', $3, '', now())`,
    },
    [accountId, id, role],
  );
  return id;
}

test('a mail goes to 50 people at the most: to those who have chosen it before those whose role has it', async () => {
  const { accountId } = await openAccount(ctx);
  const owners: Uuid[] = [];
  for (let at = 0; at < 60; at += 1) owners.push(await addPerson(accountId, 'owner'));
  const reader = await addPerson(accountId, 'reader');
  const kind = 'order_on_hold';
  const wanted = async () =>
    (await findRecipients(ctx.database, { accountId, kind, roles: ['owner'] })).map(({ id }) => id);
  assert.deepEqual(await wanted(), owners.slice(0, 50));
  await saveChoice(ctx.database, { accountId, userId: reader, kind, isWanted: true });
  assert.deepEqual(await wanted(), [reader, ...owners.slice(0, 49)]);
  await saveChoice(ctx.database, { accountId, userId: owners[0] ?? reader, kind, isWanted: false });
  assert.deepEqual(await wanted(), [reader, ...owners.slice(1, 50)]);
});
