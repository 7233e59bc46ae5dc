import assert from 'node:assert/strict';
import { copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { clusterDirectory, type EmbeddedPostgres, startEmbeddedPostgres } from '@platen/embedded-postgres';
import pg from 'pg';
import { type BackupSession, startBackupSession } from '../../src/backup/backup-session.ts';
import { completeCluster, copyClusterFiles } from '../../src/backup/copy-cluster.ts';
import { eventually } from '../harness/context.ts';
import { scratchParent } from '../harness/scratch.ts';

// The copy of the database alone, while tables grow, shrink and vanish and the server does away with its log.

const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

let folder: string;
let server: EmbeddedPostgres;
let client: pg.Client;
before(async () => {
  folder = await mkdtemp(join(scratchParent(), 'platen-backup-log-'));
  server = await startEmbeddedPostgres({ dataDir: join(folder, 'data'), log });
  client = await connect(server);
  // So little that each checkpoint removes what nothing holds.
  await client.query("alter system set max_wal_size = '32MB'");
  await client.query("alter system set min_wal_size = '32MB'");
  await client.query('select pg_reload_conf()');
  await client.query('create table kept (n integer primary key, filling text)');
  await client.query('insert into kept select n, repeat(md5(n::text), 20) from generate_series(1, 20000) n');
});
after(async () => {
  await client?.end();
  await server?.stop();
  await rm(folder, { recursive: true, force: true });
});

async function connect({ connection }: EmbeddedPostgres): Promise<pg.Client> {
  const opened = new pg.Client(connection);
  await opened.connect();
  return opened;
}

const count = async (on: pg.Client): Promise<number> =>
  Number((await on.query<{ count: string }>('select count(*) from kept')).rows[0]?.count);

/** A round of what changes the files of a cluster most; writes about 30 MB of log. */
async function churn(round: number): Promise<void> {
  await client.query(`create table gone_${round} as select n, filling from kept`);
  await client.query('delete from kept where n % 7 = $1', [round % 7]);
  await client.query('vacuum full kept');
  await client.query(
    'insert into kept select n, repeat(md5(n::text), 20) from generate_series(1, 20000) n on conflict do nothing',
  );
  await client.query(`truncate gone_${round}`);
  await client.query(`drop table gone_${round}`);
  await client.query('checkpoint');
}

test('a copy is whole while files grow, shrink and vanish, and the server removes its log', async () => {
  const session = await startBackupSession(server.connection, 'test');
  const dataDir = join(folder, 'copy');
  const to = clusterDirectory(dataDir);
  await mkdir(to, { recursive: true, mode: 0o700 });
  let rounds = 0;
  const copying = copyClusterFiles(clusterDirectory(join(folder, 'data')), to, () => {});
  const both = Promise.all([
    copying,
    (async () => {
      for (; rounds < 6; rounds += 1) await churn(rounds);
    })(),
  ]);
  const [{ files }] = await both;
  assert.ok(files.length > 900);
  await client.query('insert into kept values (-1, $1)', ['the last before the end']);
  const end = await session.stop();
  await client.query('insert into kept values (-2, $1)', ['the first behind it']);
  for (const round of [100, 101]) await churn(round);
  const logged = await completeCluster(session, end, clusterDirectory(join(folder, 'data')), to);
  assert.ok(logged.length > 6, 'more of the log than the server would have kept');
  await session.close();
  await copyFile(join(folder, 'data/postgres-password'), join(dataDir, 'postgres-password'));

  const restored = await startEmbeddedPostgres({ dataDir, log });
  const there = await connect(restored);
  try {
    assert.equal(await count(there), 20_001);
    const { rows } = await there.query('select n from kept where n < 0');
    assert.deepEqual(rows, [{ n: -1 }], 'all until the end, and nothing behind it');
    assert.deepEqual((await there.query("select 1 from pg_class where relname like 'gone%'")).rows, []);
    assert.deepEqual((await there.query('select 1 from pg_replication_slots')).rows, []);
  } finally {
    await there.end();
    await restored.stop();
  }
});

test('a connection that is lost ends the backup, and the log is held no longer', async () => {
  const lose = async (session: BackupSession): Promise<void> => {
    const { rows } = await client.query<{ done: boolean }>(
      "select pg_terminate_backend(pid) as done from pg_stat_activity where application_name = 'platen backup'",
    );
    assert.deepEqual(rows, [{ done: true }]);
    const slots = async (): Promise<number> => (await client.query('select 1 from pg_replication_slots')).rows.length;
    await eventually('the slot is gone', async () => (await slots()) === 0);
    assert.ok(session.startLsn !== '');
  };
  const before = await startBackupSession(server.connection, 'test');
  await lose(before);
  await assert.rejects(before.stop());
  await before.close();

  const behind = await startBackupSession(server.connection, 'test');
  await behind.stop();
  await lose(behind);
  await assert.rejects(behind.checkLogKept(), 'the log may have gone while it was copied');
  await behind.close();
});
