import type { AppContext } from '../app/context.ts';
import { readVersions } from '../catalogue/sql.ts';
import { loadSettingsFile, readConfig } from '../lib/config.ts';
import { createLog } from '../lib/log.ts';
import { ConfigError } from '../lib/settings/forms.ts';
import { startMonth } from './demo/background.ts';
import { addDemoUser, at, hasDemoCustomer, MONTH_ACCOUNT, monthBefore, openDemoAccount } from './demo/customer.ts';
import { isMonthThere } from './demo/month.ts';
import { demoSellerFor } from './demo-seller.ts';
import { startLocalDrop } from './drop/local.ts';
import { orderCommand } from './order-command.ts';
import { describeFailure } from './report.ts';
import { type DemoReport, seedCatalogue, seedDemo } from './seed-demo.ts';
import { forDevelopment, startProcess, waitForShutdown, withPort } from './serve.ts';

/** A step of the demo month takes some statements, or waits for a print file, which the stop ends. */
const MONTH_GRACE_MS = 10_000;

/** Runs `npm start`: the whole service with demo data in one terminal, until Ctrl-C. */
async function start(): Promise<void> {
  const startedAt = performance.now();
  loadSettingsFile();
  const flushWasGiven = (process.env.WEBHOOK_FLUSH_SECONDS ?? '') !== '';
  if (!flushWasGiven) process.env.WEBHOOK_FLUSH_SECONDS = '0';
  // The demo shop's invoices name it. A seller in the environment replaces all of its details.
  Object.assign(process.env, demoSellerFor(process.env));
  // The terminal is for a person: only warnings are logged, unless LOG_LEVEL asks for more.
  process.env.LOG_LEVEL ??= 'warn';
  const given = await withPort(readConfig());
  const drop = await startLocalDrop(given);
  const config = drop?.config ?? given;
  const log = createLog(config.logLevel);
  const end = waitForShutdown(log);
  const say = (line: string): void => void process.stdout.write(`${line}\n`);

  let demo: DemoReport | undefined;
  // What only a running service adds: a first start is to be ready at once.
  let unfinished: AppContext | undefined;
  const running = await startProcess({
    config,
    log,
    role: 'all',
    onProgress: (line) => say(`  ${line}`),
    prepare: async (ctx) => {
      const isEmpty = (await readVersions(ctx.database)).catalogueVersion === 0;
      if (isEmpty) {
        say('  Putting the demo print shop into the empty database');
        // What the month takes from the shelf was counted before.
        await seedCatalogue(at(ctx, monthBefore(ctx.clock.now())));
      }
      await drop?.open(ctx);
      demo = await seedDemo(ctx);
      const hasBegun = isEmpty || (await hasDemoCustomer(ctx));
      unfinished = hasBegun && !(await isMonthThere(ctx)) ? ctx : undefined;
    },
    until: end,
    outside: { outbound: { ...forDevelopment(config), ...drop?.outbound } },
  }).catch(async (error: unknown) => {
    await drop?.stop();
    throw error;
  });
  const stop = async (): Promise<void> => {
    await running.stop();
    await drop?.stop();
  };
  if (!running.hasStarted) {
    process.exitCode = await end;
    await stop();
    return;
  }
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
  const user = await openDemoUser(unfinished).catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  say('');
  say(`Platen is ready after ${seconds} s. Stop it with Ctrl-C.`);
  say('');
  say(`  Portal     ${config.baseUrl}/portal`);
  say(`  API        ${config.baseUrl}/api/v1`);
  say(`  Docs       ${config.baseUrl}/docs  OpenAPI ${config.baseUrl}/api/v1/openapi.json`);
  say(`  Health     ${config.baseUrl}/healthz  ${config.baseUrl}/readyz  ${config.baseUrl}/metrics`);
  say(`  Data       ${config.databaseUrl === undefined ? config.dataDir : 'the database of DATABASE_URL'}`);
  if (!flushWasGiven) say('  Webhooks   sent at once (WEBHOOK_FLUSH_SECONDS=0; the default of a service is 300 s)');
  if (demo !== undefined) {
    say(`  Token      ${demo.token}`);
    if (user !== undefined) say(`  Demo user  ${user.email}, password ${user.password} (shown once)`);
    say('');
    say('Place an order:');
    say('');
    for (const line of orderCommand(config.baseUrl, demo)) say(line);
  }
  say('');
  if (unfinished !== undefined) say(`A month of orders is being added for the demo user, ${MONTH_ACCOUNT}.`);
  const month = unfinished && startMonth(unfinished, say);
  process.exitCode = await end;
  say('Stopping: requests and jobs under way are finished first.');
  await month?.stop(MONTH_GRACE_MS);
  await stop();
  say('Stopped.');
}

/**
 * The demo user with a new password.
 * Undefined when no month is to be added, or the user is there already.
 */
async function openDemoUser(ctx: AppContext | undefined): ReturnType<typeof addDemoUser> {
  return ctx && addDemoUser(ctx, await openDemoAccount(ctx));
}

try {
  await start();
} catch (error) {
  process.stderr.write(`platen: ${describeFailure(error)}\n`);
  process.exitCode = error instanceof ConfigError ? 2 : 1;
}
