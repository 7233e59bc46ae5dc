import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { PEOPLE } from '../../src/privacy/register/entry.ts';
import { PLACES } from '../../src/privacy/register/places.ts';
import { registeredColumns, TABLES } from '../../src/privacy/register/register.ts';
import { GROUNDS, KEPT, PURPOSES } from '../../src/privacy/register/terms.ts';
import { openTestContext, type TestContext } from '../harness/context.ts';
import { PAGE, pageText } from './personal-data.ts';

let ctx: TestContext;
before(async () => {
  ctx = await openTestContext({});
});
after(() => ctx.close());

const namesOf = (columns: readonly { table: string; column: string }[]): string[] =>
  columns.map(({ table, column }) => `${table}.${column}`).toSorted();

describe('the register of personal data', () => {
  test('has every column of a migrated database, once, and no other', async () => {
    const found = await ctx.database.all<{ table: string; column: string }>(
      {
        name: 'personal_data_columns',
        text: `select table_name::text as table, column_name::text as column from information_schema.columns
               where table_schema = 'public'`,
      },
      [],
    );
    assert.ok(found.length > 400);
    assert.deepEqual(
      namesOf(registeredColumns()),
      namesOf(found),
      'put each new column into src/privacy/register, then npm run personal-data',
    );
  });

  test('says of each entry whose it is, what, why, how long, and what erases it', () => {
    const entries = [
      ...registeredColumns().map(({ table, column, personal }) => ({ name: `${table}.${column}`, personal })),
      ...PLACES.map(({ place, personal }) => ({ name: place, personal })),
    ];
    for (const { name, personal } of entries) {
      if (personal === undefined) continue;
      assert.ok(PEOPLE.includes(personal.of), name);
      assert.ok(personal.what.length > 5 && personal.erasure.length > 5, name);
      assert.ok(personal.purpose in PURPOSES && personal.ground in GROUNDS && personal.kept in KEPT, name);
      assert.ok(!`${personal.what}${personal.erasure}`.includes('|'), name);
    }
    for (const { about } of [...Object.values(TABLES), ...PLACES]) assert.match(about, /^[A-Z]/);
    assert.equal(new Set(PLACES.map(({ place }) => place)).size, PLACES.length);
  });

  test('uses every purpose, ground and time that it defines', () => {
    const used = [...registeredColumns(), ...PLACES].flatMap(({ personal }) => personal ?? []);
    assert.deepEqual([...new Set(used.map(({ purpose }) => purpose))].toSorted(), Object.keys(PURPOSES).toSorted());
    assert.deepEqual([...new Set(used.map(({ ground }) => ground))].toSorted(), Object.keys(GROUNDS).toSorted());
    assert.deepEqual([...new Set(used.map(({ kept }) => kept))].toSorted(), Object.keys(KEPT).toSorted());
  });

  test(`${PAGE} is what npm run personal-data writes`, () => {
    assert.equal(readFileSync(PAGE, 'utf8'), pageText(), 'the register has changed: npm run personal-data');
  });
});
