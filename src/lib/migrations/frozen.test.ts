import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { createTestDatabase, type TestDatabase } from '../../../test/harness/database.ts';
import { makeMigrationFolder } from '../../../test/harness/migration-folder.ts';
import { databaseClock } from '../clock.ts';
import { type Database, openDatabase } from '../db.ts';
import { silentLog } from '../log.ts';
import { MIGRATIONS } from './files.ts';
import { migrate } from './migrate.ts';

/** Younger files stand as they are run. */
const FROZEN = 20;

let server: TestDatabase;
let database: Database;
before(async () => {
  server = await createTestDatabase();
  database = await openDatabase({ address: server.address, clock: databaseClock(), log: silentLog, connectionsMax: 2 });
});
after(async () => {
  await database.close();
  await server.drop();
});

/** Every column, constraint, index, trigger and function of the schema, as PostgreSQL writes it. */
const SCHEMA = {
  name: 'test_schema',
  text: `select c.relname || '.' || a.attname || ' ' || format_type(a.atttypid, a.atttypmod) || ' ' || a.attnotnull || ' '
           || coalesce(pg_get_expr(d.adbin, d.adrelid), '') as line
         from pg_attribute a join pg_class c on c.oid = a.attrelid and c.relkind = 'r'
         left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
         where c.relnamespace = 'public'::regnamespace and a.attnum > 0
         union all select conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(oid) || ' ' || convalidated
         from pg_constraint where connamespace = 'public'::regnamespace
         union all select pg_get_indexdef(indexrelid) || ' ' || indisvalid from pg_index i join pg_class c on c.oid = i.indexrelid
         where c.relnamespace = 'public'::regnamespace
         union all select pg_get_triggerdef(t.oid) from pg_trigger t where not tgisinternal
         union all select pg_get_functiondef(oid) from pg_proc where pronamespace = 'public'::regnamespace
         order by line`,
};

test('the frozen files that are run in steps lead to the schema that they say', async () => {
  await database.script('drop schema public cascade; create schema public');
  const folder = await makeMigrationFolder([], FROZEN);
  await migrate(database, { folder: folder.url });
  await folder.remove();
  const inSteps = await database.all<{ line: string }>(SCHEMA, []);
  await database.script('drop schema public cascade; create schema public');
  // The lists of migrations, which no file makes.
  await database.script(`create table schema_migration (version integer primary key, name text not null,
      checksum text not null, applied_at timestamptz not null);
    create table schema_migration_step (version integer primary key, checksum text not null, step integer not null,
      "cursor" text, rows bigint not null default 0)`);
  const names = readdirSync(MIGRATIONS).filter((name) => name.endsWith('.sql'));
  for (const name of names.toSorted().slice(0, FROZEN)) {
    await database.script(readFileSync(new URL(name, MIGRATIONS), 'utf8'));
  }
  const asTheyStand = await database.all<{ line: string }>(SCHEMA, []);
  assert.ok(asTheyStand.length > 400);
  assert.deepEqual(inSteps, asTheyStand);
});
