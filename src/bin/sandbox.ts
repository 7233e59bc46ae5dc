import { randomBytes } from 'node:crypto';
import { createOperatorAuthenticator } from '../accounts/authenticate.ts';
import { createOperator } from '../accounts/create-operator.ts';
import { mintOperatorToken } from '../accounts/mint-operator-token.ts';
import type { AppContext } from '../app/context.ts';
import { setStock } from '../catalogue/set-stock.ts';
import { readVersions } from '../catalogue/sql.ts';
import { loadSettingsFile, readConfig } from '../lib/config.ts';
import { ApiError } from '../lib/errors.ts';
import { parseId } from '../lib/ids.ts';
import { createLog } from '../lib/log.ts';
import { pence } from '../lib/money.ts';
import type { Operator } from '../lib/operator.ts';
import { setPaymentMethod } from '../payments/method.ts';
import { orderCommand } from './order-command.ts';
import { printResult } from './report.ts';
import { claimSandboxFolder, type SandboxOptions, sandboxEnvironment } from './sandbox/environment.ts';
import { type MagicMethod, openSandboxProvider } from './sandbox/provider.ts';
import { HOURS, startWalk } from './sandbox/walk.ts';
import { DEMO_ACCOUNT, type DemoReport, seedDemo } from './seed-demo.ts';
import { forDevelopment, startProcess, waitForShutdown, withPort } from './serve.ts';

const OPERATOR_EMAIL = 'sandbox@platen.example';

/** The stock of a new sandbox that differs from the demo shop's. */
const MAGIC_STOCK = [
  { sku: 'TEE-CLASSIC-NVY-S', onHand: 0 },
  { sku: 'TEE-CLASSIC-NVY-M', onHand: 3 },
];

/** Accounts without money, each charged by a method whose outcome is known beforehand. */
const CARD_ACCOUNTS: readonly { readonly name: string; readonly method: MagicMethod }[] = [
  { name: 'Sandbox: card accepted', method: 'pm_card_ok' },
  { name: 'Sandbox: card declined', method: 'pm_card_declined' },
  { name: 'Sandbox: card processing, then declined', method: 'pm_card_processing' },
];

type Account = DemoReport & { readonly paid_by: 'balance' | MagicMethod };
type Seeded = { readonly accounts: readonly Account[]; readonly operator: Operator; readonly operatorToken: string };

/**
 * Runs `platen sandbox`: a second service beside a real one, until Ctrl-C.
 * It has its own database, port and folder. Its orders walk on by themselves, and no money moves (docs/rehearse.md).
 */
export async function sandbox(options: SandboxOptions): Promise<void> {
  loadSettingsFile();
  const { env, ignored } = sandboxEnvironment(process.env, options);
  const config = await withPort(readConfig(env));
  await claimSandboxFolder(config.dataDir);
  const log = createLog(config.logLevel);
  const end = waitForShutdown(log);
  const say = (line: string): void => void (options.json === true || process.stdout.write(`${line}\n`));
  if (ignored.length > 0) say(`  Ignored, since they are the real installation's: ${ignored.join(', ')}`);

  let seeded: Seeded | undefined;
  const running = await startProcess({
    config,
    log,
    role: 'all',
    onProgress: (line) => say(`  ${line}`),
    prepare: async (ctx) => {
      seeded = await seedSandbox(ctx);
    },
    until: end,
    outside: { outbound: forDevelopment(config), payments: openSandboxProvider(), isSandbox: true },
    workers: [
      {
        name: 'sandbox',
        wokenBy: [],
        start: (ctx) => (seeded === undefined ? undefined : startWalk(ctx, seeded.operator, options.speed)),
      },
    ],
  });
  if (running.hasStarted && seeded !== undefined) {
    const { accounts, operatorToken } = seeded;
    const result = {
      sandbox: true,
      url: config.baseUrl,
      port: running.port,
      speed: options.speed,
      data_dir: config.dataDir,
      ignored,
      accounts,
      operator_token: operatorToken,
    };
    printResult(options, result, describe(result, config.cancellationWindowSeconds));
  }
  process.exitCode = await end;
  await running.stop();
}

async function seedSandbox(ctx: AppContext): Promise<Seeded> {
  const isNew = (await readVersions(ctx.database)).catalogueVersion === 0;
  const accounts: Account[] = [{ paid_by: 'balance', ...(await seedDemo(ctx, DEMO_ACCOUNT)) }];
  for (const { name, method } of CARD_ACCOUNTS) {
    const account = await seedDemo(ctx, { name, balancePence: pence(0) });
    const accountId = parseId('acct', account.account_id);
    if (accountId !== undefined) await setPaymentMethod(ctx, { accountId, kind: 'card', reference: method });
    accounts.push({ paid_by: method, ...account });
  }
  if (isNew) {
    for (const one of MAGIC_STOCK) await setStock(ctx, { ...one, reason: 'sandbox', actor: 'sandbox' });
  }
  const operatorToken = await operatorTokenOf(ctx);
  const operator = await createOperatorAuthenticator(ctx)(operatorToken);
  if (operator === undefined) throw new Error(`the operator ${OPERATOR_EMAIL} cannot act`);
  return { accounts, operator, operatorToken };
}

async function operatorTokenOf(ctx: AppContext): Promise<string> {
  const password = randomBytes(24).toString('hex');
  try {
    return (await createOperator(ctx, { email: OPERATOR_EMAIL, password, role: 'admin' })).token;
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'conflict') throw error;
    return (await mintOperatorToken(ctx, OPERATOR_EMAIL)).token;
  }
}

type Result = {
  readonly url: string;
  readonly speed: number;
  readonly data_dir: string;
  readonly accounts: readonly Account[];
  readonly operator_token: string;
};

function describe(result: Result, windowSeconds: number): string[] {
  const { url, speed, accounts } = result;
  const [paying] = accounts;
  const seconds = (hours: number): string => `${Math.round((hours * 36_000) / speed) / 10} s`;
  return [
    '',
    'This is a SANDBOX: nothing is made, shipped or charged. Stop it with Ctrl-C.',
    '',
    `  API        ${url}/api/v1`,
    `  Docs       ${url}/docs`,
    `  Data       ${result.data_dir}`,
    `  Speed      ${speed}: promoted after ${windowSeconds} s, started ${seconds(HOURS.untilStart)} later,` +
      ` finished ${seconds(HOURS.untilFinish)} later, shipped ${seconds(HOURS.untilShipped)} later`,
    `  Operator   ${result.operator_token}`,
    ...accounts.flatMap(({ paid_by: paidBy, account_id: id, token, products }) => [
      '',
      `  Account    ${id}, paid by ${paidBy}`,
      `  Product    ${products.fixed}`,
      `  Token      ${token}`,
    ]),
    '',
    ...(paying === undefined ? [] : ['Place an order:', '', ...orderCommand(url, paying)]),
    '',
  ];
}
