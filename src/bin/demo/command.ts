import type { AppContext } from '../../app/context.ts';
import { artworkJobs } from '../../artwork/jobs.ts';
import { publicId } from '../../lib/ids.ts';
import { startWorker } from '../../lib/queue.ts';
import { type Output, withContext } from '../commands.ts';
import { printResult } from '../report.ts';
import { type DemoReport, seedCatalogue, seedDemo } from '../seed-demo.ts';
import { addDemoUser, at, monthBefore, openDemoCustomer } from './customer.ts';
import { liveMonth, type MonthEnd } from './month.ts';
import type { ADay } from './plan.ts';

type MonthReport = {
  readonly account_id: string;
  /** The password is shown once; null for a person who was there already. */
  readonly user: { readonly email: string; readonly password: string } | null;
  readonly month: MonthEnd['kind'];
};

/** `aDay` makes a thinner month, or a busier one; a month that goes on needs the same. */
export type SeedDemoOptions = Output & { readonly small?: boolean; readonly aDay?: ADay };

/** `platen seed demo` */
export async function seedDemoData(options: SeedDemoOptions): Promise<void> {
  await withContext('migrated', async (ctx) => {
    if (options.small === true) return printReport(options, await seedDemo(ctx));
    // What the month takes from the shelf was counted before.
    await seedCatalogue(at(ctx, monthBefore(ctx.clock.now())));
    const demo = await seedDemo(ctx);
    printReport(options, demo, await seedMonth(ctx, options.aDay));
  });
}

async function seedMonth(ctx: AppContext, aDay?: ADay): Promise<MonthReport> {
  const customer = await openDemoCustomer(ctx);
  const user = await addDemoUser(ctx, customer.accountId);
  const worker = startWorker({ ...ctx, handlers: artworkJobs(ctx) });
  const stop = new AbortController();
  const end = (): void => stop.abort();
  process.once('SIGINT', end);
  process.once('SIGTERM', end);
  try {
    const { kind } = await liveMonth(
      { ...ctx, wake: worker.wake },
      { customer, stopping: stop.signal, onStep: showStep, rest: async () => {}, aDay },
    );
    if (kind === 'stopped') throw new Error('stopped: the same command goes on with the demo month');
    return { account_id: publicId('acct', customer.accountId), user: user ?? null, month: kind };
  } finally {
    process.off('SIGINT', end);
    process.off('SIGTERM', end);
    await worker.stop(WORKER_GRACE_MS);
  }
}

const WORKER_GRACE_MS = 30_000;
/** A line on standard error after each tenth of the month. */
const PARTS = 10;

function showStep(done: number, of: number): void {
  const part = Math.floor((done * PARTS) / of);
  if (part === Math.floor(((done - 1) * PARTS) / of)) return;
  process.stderr.write(`the demo month: ${done} of ${of} steps\n`);
}

function printReport(output: Output, demo: DemoReport, month?: MonthReport): void {
  printResult(
    output,
    month === undefined ? demo : { ...demo, user: month.user, month_account_id: month.account_id, month: month.month },
    [
      `Account  ${demo.account_id}`,
      `Token    ${demo.token}  (shown once)`,
      `Fixed product         ${demo.products.fixed}`,
      `Personalised product  ${demo.products.personalised}`,
      ...(month === undefined ? [] : describeMonth(month)),
    ],
  );
}

function describeMonth({ account_id: id, user, month }: MonthReport): string[] {
  return [
    `A month of orders     ${id}${month === 'elsewhere' ? ', which another process is adding now' : ''}`,
    user === null
      ? 'Its person is there already: `platen user password` sets another password.'
      : `Its person            ${user.email}, password ${user.password}  (shown once)`,
  ];
}
