import { readFile } from 'node:fs/promises';
import { createAccount } from '../accounts/create-account.ts';
import { mintToken } from '../accounts/mint-token.ts';
import { type AppContext, openContext } from '../app/context.ts';
import { borrowDatabaseServer } from '../app/database-server.ts';
import { readSecretKeys } from '../app/secrets/key-files.ts';
import { creditAccount } from '../billing/credit-account.ts';
import { readBalance } from '../billing/ledger.ts';
import { aboveTopUpLimit } from '../billing/top-up-limit.ts';
import { setStock } from '../catalogue/set-stock.ts';
import type { Scope } from '../lib/caller.ts';
import { type Config, readConfig } from '../lib/config.ts';
import { messageOf } from '../lib/error-message.ts';
import { publicId, type Uuid } from '../lib/ids.ts';
import { createLog, type Log } from '../lib/log.ts';
import { continueNumbers, isMigrated, migrate } from '../lib/migrations/migrate.ts';
import { type Pence, poundsText, toPounds, ZERO_PENCE } from '../lib/money.ts';
import { settleWaitingOrders } from '../payments/settle-waiting.ts';
import { importCatalogue } from '../pricing/import-catalogue.ts';
import { verify } from '../verify/verify.ts';
import { printResult, UsageError } from './report.ts';

export type Output = { readonly json?: boolean };

/** The actor of what a command does, in the histories of stock and of orders. */
export const COMMAND_LINE = 'command line';

/** `platen migrate` */
export async function migrateSchema(output: Output): Promise<void> {
  await withContext('as it is', async (ctx) => {
    const { applied, version, moved } = await migrate(ctx.database, { say: sayProgress, log: ctx.log });
    const lines = [applied.length === 0 ? 'The schema is up to date.' : `Applied ${applied.join(', ')}.`];
    if (moved) lines.push('The database came from another server: its events are continued on this one.');
    printResult(output, { applied, version, moved }, lines);
  });
}

/** A migration may take hours; standard output is for its result. */
function sayProgress(line: string): void {
  process.stderr.write(`${line}\n`);
}

type AboveLimit = { readonly aboveLimit?: boolean };

/**
 * Refuses a typed amount above the most for one top-up, unless it is said to be right.
 * What a script sends is no slip of the keyboard.
 */
export function refuseMistyped(
  config: Pick<Config, 'topUpMaxGbp'>,
  amountPence: Pence,
  { aboveLimit = false }: AboveLimit,
  isTyped = process.stdin.isTTY,
): void {
  const limit = aboveTopUpLimit(config, amountPence);
  if (limit === undefined || aboveLimit || !isTyped) return;
  throw new UsageError(
    `£${poundsText(amountPence)} is above ${limit}: check the amount, and add --above-limit if it is right`,
  );
}

/** `platen account create` */
export async function openAccount(
  options: Output & AboveLimit & { name: string; balance?: Pence; vatNumber?: string },
): Promise<void> {
  await withContext('migrated', async (ctx) => {
    const { name, vatNumber = '', balance = ZERO_PENCE } = options;
    refuseMistyped(ctx.config, balance, options);
    const accountId = await createAccount(ctx, { name, vatNumber });
    if (balance > 0) {
      await creditAccount(ctx, { accountId, amountPence: balance, reference: 'opening balance' });
    }
    const id = publicId('acct', accountId);
    printResult(options, { id }, [`Opened account ${id}.`]);
  });
}

/** `platen account credit` */
export async function topUpAccount(
  options: Output & AboveLimit & { account: Uuid; amount: Pence; reference?: string },
): Promise<void> {
  await withContext('migrated', async (ctx) => {
    refuseMistyped(ctx.config, options.amount, options);
    const { posted } = await creditAccount(ctx, {
      accountId: options.account,
      amountPence: options.amount,
      reference: options.reference ?? '',
    });
    const settled = await settleWaitingOrders(ctx, options.account, COMMAND_LINE);
    const balance = (await readBalance(ctx.database, options.account)) ?? ZERO_PENCE;
    printResult(options, { posted, balance: toPounds(balance), settled_orders: settled }, [
      posted ? `Posted £${poundsText(options.amount)}.` : 'This reference was posted before; nothing was added.',
      `Balance £${poundsText(balance)}, orders settled: ${settled}.`,
      ...(options.reference === undefined ? ['Without --reference a repeat is a second top-up.'] : []),
    ]);
  });
}

/** `platen token mint` */
export async function mintAccountToken(
  options: Output & { account: Uuid; scopes?: readonly Scope[]; name?: string },
): Promise<void> {
  await withContext('migrated', async (ctx) => {
    const { account, scopes, name } = options;
    const minted = await mintToken(ctx, {
      accountId: account,
      ...(scopes === undefined ? {} : { scopes }),
      ...(name === undefined ? {} : { name }),
    });
    const id = publicId('tok', minted.id);
    printResult(options, { id, token: minted.token, scopes: minted.scopes }, [
      `Token ${id} with ${minted.scopes.join(', ')}. It is shown once:`,
      minted.token,
    ]);
  });
}

/** `platen catalogue import` */
export async function importCatalogueFile(file: string, output: Output): Promise<void> {
  const document = await readJson(file);
  await withContext('migrated', async (ctx) => {
    const report = await importCatalogue(ctx, document);
    printResult(
      output,
      { base_products: report.baseProducts, variants: report.variants, price_book_version: report.priceBookVersion },
      [`Imported ${report.baseProducts} base products with ${report.variants} variants and their price book.`],
    );
  });
}

/** `platen stock set` */
export async function recordStock(options: Output & { sku: string; onHand: number }): Promise<void> {
  await withContext('migrated', async (ctx) => {
    const { sku, onHand } = options;
    await setStock(ctx, { sku, onHand, reason: 'count', actor: COMMAND_LINE });
    printResult(options, { sku, on_hand: onHand }, [`${sku}: ${onHand} on hand.`]);
  });
}

/** `platen verify` */
export async function verifyDatabase(output: Output): Promise<void> {
  await withContext('migrated', async (ctx) => {
    const report = await verify(ctx);
    const checks = report.checks.map(({ name, violations }) => ({ name, violations: violations.length }));
    const broken = report.checks.filter(({ violations }) => violations.length > 0);
    const violations = broken.flatMap(({ name, violations: found }) =>
      found.map((violation) => `${name}: ${violation}`),
    );
    printResult(output, { ok: broken.length === 0, checks, violations }, [
      ...checks.map(({ name, violations: count }) => `${count === 0 ? 'ok    ' : 'BROKEN'}  ${name}`),
      ...broken.flatMap(({ name, violations: found }) => [
        '',
        `${name}:`,
        ...found.map((violation) => `    ${violation}`),
      ]),
    ]);
    if (broken.length > 0) {
      throw new Error(
        `${broken.length} of ${checks.length} checks found something broken: see docs/runbook.md, Verify`,
      );
    }
  });
}

/**
 * Opens the database of the settings for one command, and closes it after the command.
 * With `migrated`, an embedded database is migrated first, and another one must be up to date.
 */
export async function withContext(
  schema: 'as it is' | 'migrated',
  work: (ctx: AppContext) => Promise<void>,
): Promise<void> {
  const config = readConfig();
  const log = commandLog(config);
  const server = await borrowDatabaseServer(config, log);
  try {
    const keys = await readSecretKeys(config);
    const { ctx, close } = await openContext({ config, address: server.address, ...keys, log });
    try {
      if (schema === 'migrated') await bringUpToDate(ctx);
      await work(ctx);
    } finally {
      await close();
    }
  } finally {
    await server.stop();
  }
}

/**
 * The log of a command.
 * Its standard error is for its one line: the log is for errors, unless LOG_LEVEL asks for more.
 */
export function commandLog(config: Config): Log {
  return createLog(process.env.LOG_LEVEL === undefined ? 'error' : config.logLevel);
}

async function bringUpToDate(ctx: AppContext): Promise<void> {
  if (ctx.config.databaseUrl === undefined) {
    await migrate(ctx.database, { say: sayProgress, log: ctx.log });
    return;
  }
  if (!(await isUpToDate(ctx))) throw new Error(OUT_OF_DATE);
  await continueNumbers(ctx.database);
}

const OUT_OF_DATE = 'the schema is not up to date, or the database cannot be reached: run `platen migrate` first';

async function isUpToDate(ctx: AppContext): Promise<boolean> {
  try {
    return await isMigrated(ctx.database);
  } catch (error) {
    throw new Error(OUT_OF_DATE, { cause: error });
  }
}

async function readJson(file: string): Promise<unknown> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${messageOf(error)}`);
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError(`${file} is not valid JSON: ${messageOf(error)}`);
  }
}
