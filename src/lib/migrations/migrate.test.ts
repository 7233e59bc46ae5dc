import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { createTestDatabase, type TestDatabase } from '../../../test/harness/database.ts';
import { databaseClock } from '../clock.ts';
import { type Database, openDatabase } from '../db.ts';
import { silentLog } from '../log.ts';
import { isMigrated, migrate } from './migrate.ts';

let server: TestDatabase;
const nodes: Database[] = [];

before(async () => {
  server = await createTestDatabase();
  for (let node = 0; node < 5; node += 1) {
    nodes.push(
      await openDatabase({ address: server.address, clock: databaseClock(), log: silentLog, connectionsMax: 2 }),
    );
  }
});
after(async () => {
  for (const node of nodes) await node.close();
  await server.drop();
});

beforeEach(() => first().script('drop schema public cascade; create schema public'));

function first(): Database {
  const [node] = nodes;
  assert.ok(node);
  return node;
}

const applied = () =>
  first().all<{ version: number; name: string }>(
    { name: 'test_applied', text: 'select version, name from schema_migration order by version' },
    [],
  );

test('five nodes that start at once bring an empty database up to date exactly once', async () => {
  assert.equal(await isMigrated(first()).catch(() => false), false);
  const reports = await Promise.all(nodes.map((node) => migrate(node)));
  const names = (await applied()).map((row) => row.name);
  assert.ok(names.length > 0);
  assert.deepEqual(reports.flatMap((report) => report.applied).toSorted(), names);
  for (const report of reports) assert.equal(report.version, names.length);
  for (const node of nodes) assert.ok(await isMigrated(node));
});

test('a database that is up to date is left as it is', async () => {
  await migrate(first());
  assert.deepEqual((await migrate(first())).applied, []);
});

test('a migration that was changed after it was applied is refused with its name', async () => {
  await migrate(first());
  await first().script("update schema_migration set checksum = 'of another text' where version = 1");
  await assert.rejects(migrate(first()), /0001-functions-and-jobs\.sql was changed after it was applied/);
});

test('a database that was made before the migrations were squashed is refused in one line that says what to do', async () => {
  await migrate(first());
  await first().script(`
    delete from schema_migration where version > 10;
    update schema_migration set name = case version when 1 then '0001-foundation.sql' else '0002-money-back.sql' end`);
  const tables = await tableCount();
  assert.equal(await isMigrated(first()), false, 'no node takes it for its own');
  await assert.rejects(migrate(first()), {
    message:
      'this database was made by a version before the first release (it carries 0001-foundation.sql, this version has ' +
      '0001-functions-and-jobs.sql) and cannot be brought up to date; start with an empty database, or move DATA_DIR away ' +
      'for the embedded one',
  });
  assert.deepEqual(await tableCount(), tables, 'nothing was changed');
});

test('N208 a database that is ahead of this checkout is served as it is, so two versions run side by side', async () => {
  await migrate(first());
  await first().script(
    "insert into schema_migration (version, name, checksum, applied_at) values (9999, 'of the future', '', now())",
  );
  assert.deepEqual((await migrate(first())).applied, []);
  assert.ok(await isMigrated(first()));
});

test('a migration that fails leaves nothing of itself, and is applied once it can be', async () => {
  // A table of the second file is in the way.
  await first().script('create table access_token (id integer)');
  await assert.rejects(migrate(first()));
  assert.deepEqual(
    (await applied()).map(({ version }) => version),
    [1],
  );
  const { rows } = await tableCount();
  assert.equal(rows, 4, 'the list, where it stands, the jobs of the first file, and what was in the way');
  await first().script('drop table access_token');
  assert.ok((await migrate(first())).applied.length > 0);
});

async function tableCount(): Promise<{ rows: number }> {
  const row = await first().one<{ rows: number }>(
    { name: 'test_tables', text: "select count(*) as rows from pg_tables where schemaname = 'public'" },
    [],
  );
  assert.ok(row);
  return row;
}
