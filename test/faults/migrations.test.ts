import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { after, before, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { isMigrated, migrate } from '../../src/lib/migrations/migrate.ts';
import { eventually } from '../harness/context.ts';
import { createTestDatabase, SECRET_KEY } from '../harness/database.ts';
import {
  type MigrationFolder,
  type Migrator,
  makeMigrationFolder,
  startMigrator,
} from '../harness/migration-folder.ts';
import { freePort, startServiceProcess } from '../harness/process.ts';
import { openSecondConnection, type SecondConnection } from '../harness/second-connection.ts';
import { startTestService, type TestService } from '../harness/service.ts';
import { newReference, openShop, type Shop } from '../harness/shop.ts';
import { assertSound, rows } from '../harness/written.ts';

// Migrations of a large table, on a service that goes on: what stops one in the middle, and what is left behind.

const ROWS = 3_000;
/** Between the orders of a migration's time: what is asked is that some come at every moment, not how many. */
const PAUSE_MS = 50;

let service: TestService;
let shop: Shop;
let second: SecondConnection;
let made = 0;

before(async () => {
  service = await startTestService();
  shop = await openShop(service, 500);
  second = await openSecondConnection(service.database);
});
after(async () => {
  await second?.close();
  await service.stop();
});

/** A table of its own for a test, with rows that a migration works on. */
async function makeTable(): Promise<string> {
  made += 1;
  const table = `large_${made}`;
  await second.query(`create table ${table} (id integer primary key, word text not null, worked integer not null default 0);
    insert into ${table} (id, word) select n, 'word ' || n from generate_series(1, ${ROWS}) as n`);
  return table;
}

/** Runs `work` with a folder whose last migration has this text, and forgets that it was applied. */
async function withMigration(text: string, work: (folder: MigrationFolder) => Promise<void>): Promise<void> {
  const folder = await makeMigrationFolder([text]);
  try {
    await work(folder);
  } finally {
    // What a failure has left open would hold up the log of events of every test on this server.
    await second.query('rollback');
    await second.query(
      `delete from schema_migration where name = '${folder.names[0]}'; delete from schema_migration_step`,
    );
    await folder.remove();
  }
}

const start = (folder: MigrationFolder): Migrator => startMigrator(service.database.url, folder);

async function assertApplied(folder: MigrationFolder, { ended }: Migrator): Promise<void> {
  const { status, stdout, stderr } = await ended;
  assert.equal(status, 0, stderr);
  assert.deepEqual((JSON.parse(stdout) as { applied: string[] }).applied, folder.names);
}

const applied = (folder: MigrationFolder) =>
  rows(service, `select version from schema_migration where name = '${folder.names[0]}'`);
const standing = () =>
  rows<{ step: number; cursor: string | null }>(service, 'select step, "cursor" from schema_migration_step');
const readyz = async (): Promise<number> => (await fetch(`${service.url}/readyz`)).status;

/** The sessions that migrate this database and are in this state; all of them when none is given. */
const migrators = (where = 'true') =>
  rows<{ pid: number; backend_xid: string | null; backend_xmin: string | null }>(
    service,
    `select pid, backend_xid::text, backend_xmin::text from pg_stat_activity
     where datname = current_database() and application_name = 'platen migrate' and ${where}`,
  );

const index = async (name: string) => {
  const [found] = await rows<{ oid: number; is_valid: boolean }>(
    service,
    `select indexrelid::integer as oid, indisvalid as is_valid from pg_index where indexrelid = to_regclass('${name}')::oid`,
  );
  return found;
};

const workedOnce = async (table: string) => {
  const [row] = await rows<{ once: number; all: number }>(
    service,
    `select count(*) filter (where worked = 1) as once, count(*) as all from ${table}`,
  );
  assert.deepEqual(row, { once: ROWS, all: ROWS }, 'every row was worked on once');
};

/** Works on each row once; a row that is worked on twice shows it. */
const batches = (table: string): string => `-- in batches
  with page as (select id from ${table} where id > coalesce($1::integer, 0) order by id limit $2),
  done as (update ${table} t set worked = worked + 1 from page p where t.id = p.id)
  select max(id)::text as next, count(*) as rows from page;`;

describe('a migration takes its time', () => {
  test('one of more than 17 s ends by itself, with its progress, while nodes stay ready and orders are placed', async () => {
    const table = await makeTable();
    await withMigration(`select pg_sleep(19); alter table ${table} add column late text;`, async (folder) => {
      const migrator = start(folder);
      await eventually('it is under way', async () => (await migrators("state = 'active'")).length > 0);
      while ((await migrators()).length > 0) {
        assert.equal(await readyz(), 200);
        assert.equal(await isMigrated(service.ctx.database), true);
        assert.equal((await shop.order({ external_reference: newReference() })).status, 201);
        await delay(PAUSE_MS);
      }
      await assertApplied(folder, migrator);
      assert.match((await migrator.ended).stderr, new RegExp(`${folder.names[0]}, \\d+ s\\n`));
    });
  });

  test('a lock that is not to be had holds nobody up: the migration gives way, says who has it, and comes back', async () => {
    await withMigration('alter table orders add column of_a_test text;', async (folder) => {
      const [{ pid } = {}] = await second.query('begin; select pg_backend_pid() as pid from orders limit 1');
      const said: string[] = [];
      const migrating = migrate(service.ctx.database, { folder: folder.url, say: (line) => said.push(line) });
      const waits = (line: string): boolean =>
        line.includes(`waits for process ${String(pid)} (a test, idle in transaction)`);
      while (!said.some(waits)) {
        assert.equal((await shop.order({ external_reference: newReference() })).status, 201);
        assert.equal(await readyz(), 200);
        await delay(PAUSE_MS);
      }
      assert.deepEqual(await applied(folder), []);
      await second.query('commit');
      assert.deepEqual((await migrating).applied, folder.names);
      assert.equal((await shop.order({ external_reference: newReference() })).status, 201);
    });
    await second.query('alter table orders drop column of_a_test');
  });

  test('a vacuum in the way holds nobody up: the migration waits beside it, and in front of nobody', async () => {
    await withMigration('alter table orders add column of_a_test text;', async (folder) => {
      // What a vacuum holds. The server ends one of its own after a second of such a wait.
      await second.query('begin; lock table orders in share update exclusive mode');
      const migrating = migrate(service.ctx.database, { folder: folder.url, say: () => {} });
      const wanted = () =>
        rows<{ mode: string }>(
          service,
          // The tables of other tests have the same number, each in its own database.
          `select mode from pg_locks where relation = 'orders'::regclass and not granted
             and database = (select oid from pg_database where datname = current_database())`,
        );
      await eventually('the migration waits', async () => (await wanted()).length > 0);
      for (let looks = 0; looks < 30; looks += 1) {
        // Between two tries it waits for nothing.
        const others = (await wanted()).filter(({ mode }) => mode !== 'ShareUpdateExclusiveLock');
        assert.deepEqual(others, []);
        assert.equal((await shop.order({ external_reference: newReference() })).status, 201);
        await delay(50);
      }
      await second.query('commit');
      assert.deepEqual((await migrating).applied, folder.names);
    });
    await second.query('alter table orders drop column of_a_test');
  });

  test('the process that waits for another holds nothing that a concurrent build would wait for', async () => {
    const table = await makeTable();
    const text = `-- runs in steps\ncreate index concurrently if not exists ${table}_word on ${table} (word);\n${batches(table)}`;
    await withMigration(text, async (folder) => {
      const all = Array.from({ length: 4 }, () => start(folder));
      const ended = await Promise.all(all.map(({ ended: each }) => each));
      assert.deepEqual(
        ended.map(({ status, stderr }) => (status === 0 ? 0 : stderr)),
        [0, 0, 0, 0],
      );
      const names = ended.flatMap(({ stdout }) => (JSON.parse(stdout) as { applied: string[] }).applied);
      assert.deepEqual(names, folder.names, 'one of them has applied it');
      assert.equal((await index(`${table}_word`))?.is_valid, true);
      await workedOnce(table);
      assert.deepEqual(await standing(), []);
    });
  });

  test('one that is asked to end does so at once, in the middle of a statement, and goes on at the next start', async () => {
    const table = await makeTable();
    const text = `-- runs in steps\n${batches(table)}\nselect pg_sleep(case when exists (select from ${table}_slow) then 600 else 0 end);`;
    await second.query(`create table ${table}_slow (id integer); insert into ${table}_slow values (1)`);
    await withMigration(text, async (folder) => {
      const ending = new AbortController();
      const migrating = migrate(service.ctx.database, { folder: folder.url, signal: ending.signal });
      await eventually('its second step is under way', async () => (await standing())[0]?.step === 1);
      ending.abort();
      await assert.rejects(migrating, { code: 'unavailable' });
      await eventually('its sessions end', async () => (await migrators()).length === 0);
      await second.query(`delete from ${table}_slow`);
      assert.deepEqual((await migrate(service.ctx.database, { folder: folder.url })).applied, folder.names);
      await workedOnce(table);
    });
  });
});

describe('a migration that is killed', () => {
  test('in the middle of a concurrent build: the index is built anew, and nobody has lost a row', async () => {
    const table = await makeTable();
    const name = `${table}_word`;
    await withMigration(
      `-- runs in steps\ncreate index concurrently if not exists ${name} on ${table} (word);`,
      async (folder) => {
        // A snapshot that is older than the index holds the build up.
        await second.query('begin isolation level repeatable read; select 1 from account');
        const killed = start(folder);
        const left = await eventually('the index is there, unfinished', () => index(name));
        assert.equal(left.is_valid, false);
        // It has just ended the transaction in which it made the index.
        await eventually('the build hides no event', async () => {
          const [builder] = await migrators("state = 'active'");
          return builder?.backend_xid === null;
        });
        await killed.kill();
        await eventually('the server notices and ends the build', async () => (await migrators()).length === 0);
        assert.equal((await index(name))?.is_valid, false);
        await second.query('commit');
        const again = start(folder);
        await assertApplied(folder, again);
        const built = await index(name);
        assert.equal(built?.is_valid, true);
        assert.notEqual(built.oid, left.oid);
      },
    );
  });

  test('in the middle of a backfill: it goes on from its cursor, and no row is done twice', async () => {
    const table = await makeTable();
    await withMigration(`-- runs in steps\n${batches(table)}`, async (folder) => {
      await second.query(`begin; select 1 from ${table} where id = ${ROWS / 2} for update`);
      const killed = start(folder);
      const [at] = await eventually('it stands before the row that is locked', async () => {
        const found = await standing();
        return Number(found[0]?.cursor) > 0 && found;
      });
      assert.ok(Number(at?.cursor) < ROWS / 2);
      await killed.kill();
      await eventually('its sessions end', async () => (await migrators()).length === 0);
      await second.query('commit');
      await assertApplied(folder, start(folder));
      await workedOnce(table);
    });
  });

  test('between a statement and its record: a finished index is left as it is', async () => {
    const table = await makeTable();
    const name = `${table}_word`;
    const text = `-- runs in steps
      update ${table} set worked = 1;
      create index concurrently if not exists ${name} on ${table} (word);`;
    await withMigration(text, async (folder) => {
      // The build waits for this writer, so that the row of its step can be locked before it ends.
      const writer = await openSecondConnection(service.database);
      await writer.query(`begin; lock table ${table} in row exclusive mode`);
      const killed = start(folder);
      await eventually('its first step is recorded', async () => {
        await second.query('begin');
        const [row] = await second.query('select step from schema_migration_step where step = 1 for update');
        if (row !== undefined) return true;
        await second.query('rollback');
        return false;
      });
      await writer.query('commit');
      await writer.close();
      const finished = await eventually('the index is finished', async () => {
        const found = await index(name);
        return found?.is_valid === true && found;
      });
      assert.deepEqual(await applied(folder), []);
      await killed.kill();
      await second.query('rollback');
      await assertApplied(folder, start(folder));
      assert.deepEqual(await index(name), finished);
      await workedOnce(table);
    });
  });

  test('while it waits for a lock: nothing of its transaction is left', async () => {
    const table = await makeTable();
    await withMigration(
      `create table ${table}_new (id integer); alter table ${table} add column late text;`,
      async (folder) => {
        await second.query(`begin; lock table ${table} in access share mode`);
        const killed = start(folder);
        await second.untilWaiting(1);
        await killed.kill();
        await eventually('its sessions end', async () => (await migrators()).length === 0);
        assert.deepEqual(await rows(service, `select 1 from pg_class where relname = '${table}_new'`), []);
        await second.query('commit');
        await assertApplied(folder, start(folder));
      },
    );
  });
});

describe('a migration that loses a connection ends as one whose database is away, and goes on at the next start', () => {
  for (const [what, session] of [
    ['that of its statements', 'platen migrate'],
    ['that of its lock, so that never two migrate', 'platen migrate, the lock'],
  ] as const) {
    test(what, async () => {
      const table = await makeTable();
      await second.query(`create table ${table}_slow (id integer); insert into ${table}_slow values (1)`);
      const text = `-- runs in steps\n${batches(table)}
        select pg_sleep(case when exists (select from ${table}_slow) then 600 else 0 end);`;
      await withMigration(text, async (folder) => {
        const migrating = migrate(service.ctx.database, { folder: folder.url });
        await eventually('its second step is under way', async () => (await standing())[0]?.step === 1);
        await second.query(`select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and application_name = '${session}'`);
        await assert.rejects(migrating, { code: 'unavailable' });
        await eventually('its sessions end', async () => (await migrators()).length === 0);
        await second.query(`delete from ${table}_slow`);
        assert.deepEqual((await migrate(service.ctx.database, { folder: folder.url })).applied, folder.names);
        await workedOnce(table);
      });
    });
  }
});

describe('a migration that cannot be done', () => {
  test('says which step of which file and why, leaves no unfinished index behind, and goes on once it can', async () => {
    const table = await makeTable();
    const name = `${table}_word`;
    await second.query(`update ${table} set word = 'word 1' where id = 2`);
    const text = `-- runs in steps
      alter table ${table} add column late text;
      create unique index concurrently if not exists ${name} on ${table} (word);`;
    await withMigration(text, async (folder) => {
      await assert.rejects(migrate(service.ctx.database, { folder: folder.url }), (error: Error) => {
        assert.match(
          error.message,
          new RegExp(`^${folder.names[0]}, step 2 of 2 failed: could not create unique index`),
        );
        return true;
      });
      assert.equal(await index(name), undefined);
      await second.query(`update ${table} set word = 'word 2' where id = 2`);
      assert.deepEqual((await migrate(service.ctx.database, { folder: folder.url })).applied, folder.names);
      assert.equal((await index(name))?.is_valid, true);
    });
  });

  test('a batch that takes longer than a second is undone and tried with fewer rows', async () => {
    const table = await makeTable();
    await second.query(`delete from ${table} where id > 120; create table ${table}_limit (rows integer)`);
    const text = `-- runs in steps
      -- in batches
      with page as (select id from ${table} where id > coalesce($1::integer, 0) order by id limit $2),
      done as (update ${table} t set worked = worked + 1 from page p where t.id = p.id),
      noted as (insert into ${table}_limit select count(*) from page)
      select max(id)::text as next, count(*) as rows, count(pg_sleep(0.03)) from page;`;
    await withMigration(text, async (folder) => {
      assert.deepEqual((await migrate(service.ctx.database, { folder: folder.url })).applied, folder.names);
      const [row] = await rows<{ most: number; done: number }>(
        service,
        `select (select max(rows) from ${table}_limit) as most, (select count(*) from ${table} where worked = 1) as done`,
      );
      assert.equal(row?.done, 120);
      assert.ok(row.most <= 33, `a batch had ${row.most} rows of 30 ms each`);
    });
  });

  test('a backfill of a table that grows meanwhile ends: it does not wait for rows that are still to come', async () => {
    const table = await makeTable();
    const text = `-- runs in steps
      -- in batches
      with page as (select id from ${table} where id > coalesce($1::integer, 0) order by id limit $2),
      done as (update ${table} t set worked = worked + 1 from page p where t.id = p.id),
      more as (insert into ${table} (id, word) select max(id) + 1, 'late' from ${table})
      select max(id)::text as next, count(*) as rows from page;`;
    await withMigration(text, async (folder) => {
      assert.deepEqual((await migrate(service.ctx.database, { folder: folder.url })).applied, folder.names);
      const found = await rows<{ once: number }>(
        service,
        `select count(*) as once from ${table} where worked = 1 and id <= ${ROWS}`,
      );
      assert.deepEqual(found, [{ once: ROWS }]);
    });
  });

  test('a batch that stands still, or returns nothing, is a fault of the file and ends the migration', async () => {
    for (const [text, message] of [
      [
        "-- in batches\nselect '1' as next, $2::integer as rows where $1::text is null or $1 = '1' limit $2",
        /does not move on/,
      ],
      ['-- in batches\nselect 1 as rows where $1::text = $1 and false limit $2', /returned no row/],
    ] as const) {
      await withMigration(`-- runs in steps\n${text}`, async (folder) => {
        await assert.rejects(migrate(service.ctx.database, { folder: folder.url }), message);
      });
    }
  });

  test('a file that was changed between two of its steps is refused', async () => {
    const table = await makeTable();
    const broken = `-- runs in steps\nalter table ${table} add column late text;\nselect 1 / 0;`;
    const folder = await makeMigrationFolder([broken]);
    await assert.rejects(migrate(service.ctx.database, { folder: folder.url }), /step 2 of 2 failed: division by zero/);
    const other = await makeMigrationFolder([`${broken}\nselect 1;`]);
    await assert.rejects(migrate(service.ctx.database, { folder: other.url }), /was changed after its step 1 was done/);
    await second.query('delete from schema_migration_step');
    await Promise.all([folder.remove(), other.remove()]);
  });
});

describe('a node that starts while another process migrates', () => {
  const environment = (port: number) => ({
    DATABASE_URL: service.database.url,
    SECRET_KEY,
    DATA_DIR: service.ctx.config.dataDir,
    PORT: String(port),
    LOG_LEVEL: 'error',
  });
  const look = async (origin: string): Promise<string> => {
    const answer = await fetch(`${origin}/readyz`).catch(() => undefined);
    return answer === undefined ? '' : `${answer.status} ${await answer.text()}`;
  };

  /** Has the youngest migration under way in another process while `work` runs, and applied when it is over. */
  async function whileMigrating(work: (over: () => Promise<void>) => Promise<void>): Promise<void> {
    const youngest = 'version = (select max(version) from schema_migration)';
    await second.query(`create table kept as select * from schema_migration where ${youngest};
      delete from schema_migration where ${youngest}`);
    await second.query('begin; lock table schema_migration_step in share update exclusive mode');
    const over = async (): Promise<void> => {
      await second.query('insert into schema_migration select * from kept on conflict do nothing; commit');
    };
    try {
      await work(over);
    } finally {
      await over();
      await second.query('drop table kept');
    }
  }

  test('is alive, says at once why it is not ready, and is ready as soon as the other is done', async () => {
    await whileMigrating(async (over) => {
      const port = await freePort();
      const starting = startServiceProcess(environment(port));
      const origin = `http://127.0.0.1:${port}`;
      await eventually('it says what it waits for', async () =>
        /^503 .*being applied: another process applies migrations/.test(await look(origin)),
      );
      assert.equal((await fetch(`${origin}/healthz`)).status, 200);
      assert.equal((await fetch(`${origin}/api/v1/orders`)).status, 503);
      assert.match(await look(service.url), /^503 .*Migrations are missing/, 'and so does one that runs');
      await over();
      const node = await starting;
      assert.match(await look(origin), /^200 /);
      assert.match(await look(service.url), /^200 /);
      assert.equal(await node.stop(), 0);
    });
  });

  test('ends at once, with status 0, when it is asked to', async () => {
    await whileMigrating(async () => {
      const port = await freePort();
      const child = spawn(process.execPath, ['src/bin/platen.js', 'serve', '--json'], {
        env: { PATH: process.env.PATH, HOME: process.env.HOME, ...environment(port) },
        stdio: 'ignore',
      });
      await eventually('it waits', async () => (await look(`http://127.0.0.1:${port}`)).includes('another process'));
      child.kill('SIGTERM');
      assert.deepEqual(await once(child, 'exit'), [0, null]);
    });
  });
});

test('0016 reads a large database without hiding its events: it has no transaction number meanwhile', async () => {
  const database = await createTestDatabase();
  const other = await openSecondConnection(database);
  const [old, young] = [await makeMigrationFolder([], 13), await makeMigrationFolder([], 20)];
  try {
    await other.query('drop schema public cascade; create schema public');
    await startMigrator(database.url, old).ended;
    await other.query('begin; lock table event in access exclusive mode');
    const migrator = startMigrator(database.url, young);
    const waiting = await eventually(
      'it is about to read the events',
      async () =>
        (
          await rows<{ backend_xid: string | null; query: string }>(
            service,
            `select backend_xid::text, query from pg_stat_activity where datname = '${database.address.database}'
             and wait_event_type = 'Lock' and application_name = 'platen migrate'`,
          )
        )[0],
    );
    assert.match(waiting.query, /insert into transaction_numbering/);
    assert.equal(waiting.backend_xid, null);
    await other.query('commit');
    assert.equal((await migrator.ended).status, 0);
  } finally {
    await Promise.all([old.remove(), young.remove(), other.close()]);
    await database.drop();
  }
});

test('and the service is sound', () => assertSound(service));
