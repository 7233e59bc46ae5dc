import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import pg from 'pg';
import type { DemoReport } from '../../src/bin/seed-demo.ts';
import { eventually } from '../harness/context.ts';
import { SECRET_KEY } from '../harness/database.ts';
import { platenJson } from '../harness/process.ts';
import { findPrograms, startArchivingPostgres } from '../harness/real-postgres.ts';
import { scratchParent } from '../harness/scratch.ts';

// The runbook's way back to a moment for an external database: a base backup and the archived log, with this machine's
// own PostgreSQL where it is installed.

type Credit = { readonly posted: boolean; readonly balance: number };

const programs = findPrograms();

async function ask<Row extends pg.QueryResultRow>(url: string, text: string): Promise<Row[]> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return (await client.query<Row>(text)).rows;
  } finally {
    await client.end();
  }
}

test('an external database goes back to a moment by its base backup and log: what was before is there, and nothing is to be continued', {
  skip: 'missing' in programs && programs.missing,
}, async () => {
  assert.ok('folder' in programs);
  const dataDir = await mkdtemp(join(scratchParent(), 'platen-moment-'));
  const server = await startArchivingPostgres(programs.folder);
  try {
    const DATABASE_URL = await server.createDatabase('shop');
    const env = { DATABASE_URL, SECRET_KEY, DATA_DIR: dataDir, SELLER_NAME: 'A Shop', LOG_LEVEL: 'error' };
    await platenJson(['migrate'], env);
    const demo = await platenJson<DemoReport>(['seed', 'demo', '--small'], env);
    const credit = (amount: string, reference: string): Promise<Credit> =>
      platenJson(
        ['account', 'credit', '--account', demo.account_id, '--amount', amount, '--reference', reference],
        env,
      );
    await server.baseBackup();
    const { balance } = await credit('10.00', 'before');
    const [moment] = await ask<{ at: string }>(DATABASE_URL, 'select clock_timestamp()::text as at');
    assert.equal((await credit('99.00', 'behind')).posted, true);

    await server.returnTo(moment?.at ?? '');
    const [paused] = await ask<{ is_so: boolean }>(DATABASE_URL, 'select pg_is_in_recovery() as is_so');
    assert.equal(paused?.is_so, true, 'it may be looked at before it goes on');
    await ask(DATABASE_URL, 'select pg_wal_replay_resume()');
    await eventually('it accepts writes', async () => {
      const [state] = await ask<{ is_so: boolean }>(DATABASE_URL, 'select pg_is_in_recovery() as is_so');
      return state?.is_so === false;
    });
    assert.equal((await platenJson<{ moved: boolean }>(['migrate'], env)).moved, false);
    assert.equal((await platenJson<{ ok: boolean }>(['verify'], env)).ok, true);
    const again = await credit('99.00', 'behind');
    assert.deepEqual(
      again,
      { posted: true, balance: balance + 99, settled_orders: 0 },
      'the later top-up is made again',
    );
    assert.equal((await credit('10.00', 'before')).posted, false, 'the earlier one is there');
  } finally {
    await server.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
});
