import { createAccount } from '../../src/accounts/create-account.ts';
import { SCOPES } from '../../src/lib/caller.ts';
import { type Clock, databaseClock } from '../../src/lib/clock.ts';
import { type Config, readConfig } from '../../src/lib/config.ts';
import type { Context } from '../../src/lib/context.ts';
import { openDatabase } from '../../src/lib/db.ts';
import { newId, type Uuid } from '../../src/lib/ids.ts';
import type { Log } from '../../src/lib/log.ts';
import { createOutbound, type OutboundSettings } from '../../src/lib/outbound/outbound.ts';
import { createSecrets } from '../../src/lib/secrets.ts';
import { SERVICE } from '../../src/lib/turns/owner.ts';
import { createTestDatabase } from './database.ts';

/** A context of real parts on a database of its own, but for pictures: for the slices that have none. */
export type TestContext = Omit<Context, 'blobs'> & {
  readonly clock: ShiftedClock;
  /** Every line that was logged, as JSON. */
  readonly logged: readonly string[];
  readonly databaseUrl: string;
  readonly close: () => Promise<void>;
};

/** The real time and as much as a test has added to it. */
export type ShiftedClock = Clock & { readonly shift: (ms: number) => void };

export async function openTestContext(options: {
  config?: Partial<Config>;
  outbound?: Partial<OutboundSettings>;
}): Promise<TestContext> {
  const testDatabase = await createTestDatabase();
  const { log, logged } = keepingLog();
  const clock = shiftedClock();
  const database = await openDatabase({
    address: testDatabase.address,
    clock: databaseClock(),
    log,
    connectionsMax: 10,
  });
  const config = { ...readConfig({ LOG_LEVEL: 'silent' }), ...options.config };
  const outbound = createOutbound({ trustedPrivateHosts: config.trustedPrivateHosts, ...options.outbound });
  return {
    asker: { owner: SERVICE },
    config,
    database,
    clock,
    log,
    logged,
    outbound,
    secrets: createSecrets('a secret key of 32 characters or more'),
    wake: () => {},
    databaseUrl: testDatabase.url,
    close: async () => {
      await outbound.close();
      await database.close();
      await testDatabase.drop();
    },
  };
}

/** A new account and a caller of it with every scope. */
export async function openAccount(ctx: Pick<Context, 'database' | 'clock'>, name = 'Account') {
  const accountId: Uuid = await createAccount(ctx, { name });
  return { accountId, limitedAs: newId(), scopes: new Set(SCOPES) };
}

/** Longer than anything takes on a machine that is busy with other work: what holds is not made slower by it. */
const PATIENCE_MS = 60_000;

/** Asks until the answer is there; fails after the bound with what was waited for. */
export async function eventually<T>(
  what: string,
  ask: () => Promise<T | undefined | false> | T | undefined | false,
  timeoutMs = PATIENCE_MS,
): Promise<T> {
  const endsAt = Date.now() + timeoutMs;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined && answer !== false) return answer;
    if (Date.now() > endsAt) throw new Error(`waited ${timeoutMs} ms in vain for: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** Seldom enough that what runs ends before its lease does and who signed in stays so, however slow the machine is. */
const TIME_PASSES_EVERY_MS = 1_500;

/** Asks until the answer is there, and lets time pass for a service between the tries that what is waited for needs. */
export async function eventuallyLater<T>(
  { shiftMs }: { readonly shiftMs: (ms: number) => void },
  what: string,
  ask: () => Promise<T | undefined | false> | T | undefined | false,
  stepMs: number,
): Promise<T> {
  let passedAt = Number.NEGATIVE_INFINITY;
  return eventually(what, async () => {
    const answer = await ask();
    if (answer !== undefined && answer !== false) return answer;
    if (performance.now() - passedAt >= TIME_PASSES_EVERY_MS) {
      shiftMs(stepMs);
      passedAt = performance.now();
    }
    return undefined;
  });
}

function shiftedClock(): ShiftedClock {
  let shiftedMs = 0;
  return {
    now: () => new Date(Date.now() + shiftedMs),
    shift: (ms) => {
      shiftedMs += ms;
    },
  };
}

function keepingLog(): { log: Log; logged: string[] } {
  const logged: string[] = [];
  const keep = (fields: object, message: string): void => {
    logged.push(JSON.stringify({ ...fields, message }));
  };
  return { log: { debug: keep, info: keep, warn: keep, error: keep }, logged };
}
