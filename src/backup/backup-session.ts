import { randomBytes } from 'node:crypto';
import pg from 'pg';
import type { DatabaseAddress } from '../lib/db.ts';
import { CLOCK, CREATE_SLOT, SERVER, SLOT_STATE, START, STOP } from './sql.ts';

/** What a server says of itself when a backup begins. */
export type ServerFacts = {
  readonly version: string;
  readonly systemIdentifier: string;
  readonly walSegmentBytes: number;
};

/** What has to be written beside the copied files. */
export type BackupEnd = {
  readonly stopLsn: string;
  readonly takenAt: Date;
  readonly backupLabel: string;
  readonly tablespaceMap: string;
};

/** One connection on which the server is in backup mode. */
export type BackupSession = {
  readonly server: ServerFacts;
  readonly beganAt: Date;
  readonly startLsn: string;
  /** Ends backup mode; the write-ahead log of the backup is kept until `close`. */
  readonly stop: () => Promise<BackupEnd>;
  /** Throws when the server has removed write-ahead log that the backup needs, or has gone. */
  readonly checkLogKept: () => Promise<void>;
  readonly close: () => Promise<void>;
};

/** A checkpoint on a slow disk takes minutes; a server that says nothing for longer is gone. */
const ANSWER_TIMEOUT_MS = 3_600_000;
const CONNECT_TIMEOUT_MS = 10_000;

/**
 * Puts the server into backup mode (PostgreSQL 18, 25.3.3 "Low-Level API").
 * A temporary replication slot keeps the write-ahead log from before the start until `close`. The server drops it, and
 * leaves backup mode, when this connection ends, however it ends.
 */
export async function startBackupSession(address: DatabaseAddress, label: string): Promise<BackupSession> {
  const client = new pg.Client({
    ...address,
    application_name: 'platen backup',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: ANSWER_TIMEOUT_MS,
    statement_timeout: 0,
    lock_timeout: 0,
    idle_in_transaction_session_timeout: 0,
    keepAlive: true,
  });
  // The next statement fails, and says so.
  client.on('error', () => {});
  await client.connect();
  try {
    const server = await readServer(client);
    const slot = `platen_backup_${randomBytes(6).toString('hex')}`;
    await client.query(CREATE_SLOT, [slot]);
    const beganAt = await readClock(client);
    const { rows: started } = await client.query<{ lsn: string }>(START, [label]);
    return {
      server,
      beganAt,
      startLsn: started[0]?.lsn ?? '',
      stop: async () => {
        const { rows } = await client.query<{ lsn: string; labelfile: string; spcmapfile: string }>(STOP);
        const [ended] = rows;
        if (ended === undefined) throw new Error('the server ended the backup without an answer');
        return {
          stopLsn: ended.lsn,
          takenAt: await readClock(client),
          backupLabel: ended.labelfile,
          tablespaceMap: ended.spcmapfile,
        };
      },
      checkLogKept: async () => {
        const { rows } = await client.query<{ state: string | null }>(SLOT_STATE, [slot]);
        const state = rows[0]?.state;
        if (state === 'reserved' || state === 'extended') return;
        throw new Error(
          'the server removed write-ahead log that the backup needs (max_slot_wal_keep_size is set too low); run it again',
        );
      },
      close: () => client.end(),
    };
  } catch (error) {
    await client.end();
    throw error;
  }
}

async function readServer(client: pg.Client): Promise<ServerFacts> {
  const { rows } = await client.query<{ version: string; system_identifier: string; segment_bytes: string }>(SERVER);
  const [row] = rows;
  if (row === undefined) throw new Error('the server does not say what it is');
  return {
    version: row.version,
    systemIdentifier: row.system_identifier,
    walSegmentBytes: Number(row.segment_bytes),
  };
}

async function readClock(client: pg.Client): Promise<Date> {
  const { rows } = await client.query<{ now: Date }>(CLOCK);
  const [row] = rows;
  if (row === undefined) throw new Error('the server has no clock');
  return row.now;
}
