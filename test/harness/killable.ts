import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { findRunningPostgres } from '@platen/embedded-postgres';
import { markedProcesses, serverMark } from '@platen/embedded-postgres/processes';
import pg from 'pg';
import type { DemoReport } from '../../src/bin/seed-demo.ts';
import { eventually } from './context.ts';
import { installDemo } from './database.ts';
import { freePort, runCommand, startServiceProcess } from './process.ts';
import { scratchParent } from './scratch.ts';

/** How long a restarted service may take to answer, with a database to be recovered first. */
const BACK_WITHIN_MS = 30_000;

/** A service with a database of its own, in a process that a test kills and starts again. */
export type Killable = {
  readonly env: Readonly<Record<string, string>>;
  readonly demo: DemoReport;
  /**
   * A POST to whichever process runs now: its answer; undefined when none came, or one that says to come back. Any
   * other refusal fails the test.
   */
  readonly post: <Body>(path: string, token: string, body?: object, key?: string) => Promise<Body | undefined>;
  /** As `post`, until there is an answer. */
  readonly postAtLast: <Body>(path: string, token: string, body?: object, key?: string) => Promise<Body>;
  readonly query: <Row extends object>(text: string) => Promise<Row[]>;
  readonly kill: () => Promise<void>;
  readonly restart: () => Promise<void>;
  /** `platen verify` finds nothing wrong. */
  readonly assertSound: () => Promise<void>;
  readonly close: () => Promise<void>;
};

/** Starts a service with the demo data and a database in a scratch folder. */
export async function openKillable(): Promise<Killable> {
  const folder = await mkdtemp(join(scratchParent(), 'platen-kill-'));
  const dataDir = join(folder, 'data');
  const env = {
    DATA_DIR: dataDir,
    PORT: String(await freePort()),
    RATE_LIMIT_TOKEN_PER_MINUTE: '0',
    RATE_LIMIT_IP_PER_MINUTE: '0',
    LOG_LEVEL: 'error',
  };
  const demo = await installDemo(env);
  let service = await startServiceProcess(env);
  const post: Killable['post'] = async <Body>(
    path: string,
    token: string,
    body?: object,
    key: string = randomUUID(),
  ) => {
    try {
      const response = await fetch(`http://127.0.0.1:${env.PORT}${path}`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${token}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          'idempotency-key': key,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(20_000),
      });
      const text = await response.text();
      if (response.status === 503 || response.status === 502) return undefined;
      assert.ok([200, 201].includes(response.status), text);
      return JSON.parse(text) as Body;
    } catch (error) {
      if (error instanceof assert.AssertionError) throw error;
      return undefined;
    }
  };
  return {
    env,
    demo,
    post,
    postAtLast: <Body>(path: string, token: string, body?: object, key?: string) =>
      eventually(`POST ${path} is answered`, () => post<Body>(path, token, body, key), BACK_WITHIN_MS),
    query: async <Row extends object>(text: string) => {
      const address = await eventually('the database runs', () => findRunningPostgres(dataDir));
      const client = new pg.Client(address);
      await client.connect();
      try {
        return (await client.query<Row>(text)).rows;
      } finally {
        await client.end();
      }
    },
    kill: () => service.kill(),
    restart: async () => {
      service = await startServiceProcess(env);
    },
    assertSound: async () => {
      const { status, stdout } = await runCommand(['verify', '--json'], env);
      assert.equal(status, 0, stdout);
    },
    close: async () => {
      if (service.isRunning()) await service.kill();
      await eventually(
        'no database is left running',
        async () => (await markedProcesses(await serverMark(dataDir))).length === 0,
      );
      await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
    },
  };
}
