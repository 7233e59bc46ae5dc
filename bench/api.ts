import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAccount } from '../src/accounts/create-account.ts';
import { createOperator } from '../src/accounts/create-operator.ts';
import { mintToken } from '../src/accounts/mint-token.ts';
import { startService } from '../src/app/service.ts';
import { creditAccount } from '../src/billing/credit-account.ts';
import { seedDemo } from '../src/bin/seed-demo.ts';
import { setStock } from '../src/catalogue/set-stock.ts';
import type { NewOrder } from '../src/checkout/place-sql.ts';
import { readConfig } from '../src/lib/config.ts';
import type { DatabaseAddress } from '../src/lib/db.ts';
import type { Uuid } from '../src/lib/ids.ts';
import { newId, parseId, publicId } from '../src/lib/ids.ts';
import { createLog } from '../src/lib/log.ts';
import { migrate } from '../src/lib/migrations/migrate.ts';
import { pence } from '../src/lib/money.ts';
import type { PlaceOrderBody } from '../src/orders/schema.ts';
import { findProduct, insertProduct } from '../src/products/sql.ts';
import { verify } from '../src/verify/verify.ts';
import { newOrderOf } from '../test/harness/new-order.ts';
import type { Outside } from './fair/outside.ts';
import { orderOf } from './fair/requests.ts';
import { answer } from './service-process.ts';

/** What the load and the ceiling need to know of the service under measurement. */
export type ApiReady = {
  readonly url: string;
  readonly customers: readonly { readonly accountId: Uuid; readonly token: string; readonly productId: string }[];
  /** An account with a personalised product. */
  readonly personalised: { readonly token: string; readonly productId: string };
  readonly operatorToken: string;
};

/** `drafts`: an order for each account, as the placing function gets it; nothing is written. */
export type ApiQuestion = { readonly kind: 'verify' } | { readonly kind: 'drafts'; readonly lines: number };

/** What `platen verify` found. */
export type Verified = { readonly violations: readonly string[] };

const ACCOUNTS = 32;
const BALANCE = pence(50_000_000_00);
const STOCK = 2_000_000_000;

const address = JSON.parse(process.env.BENCH_DATABASE ?? '{}') as DatabaseAddress;
/** The remote hosts of a campaign; none in other measurements. */
const outside = JSON.parse(process.env.BENCH_OUTSIDE ?? 'null') as Outside | null;
const dataDir = await mkdtemp(join(tmpdir(), 'platen-bench-'));
const config = readConfig({
  PORT: '0',
  DATA_DIR: dataDir,
  RATE_LIMIT_TOKEN_PER_MINUTE: '0',
  RATE_LIMIT_IP_PER_MINUTE: '0',
  SECRET_KEY: 'a secret key of the benchmark, long enough',
  ...(outside === null ? {} : { TRUSTED_PRIVATE_HOSTS: outside.hostPort }),
});
const customers: ApiReady['customers'][number][] = [];
let personalised = { token: '', productId: '' };
let operatorToken = '';
const service = await startService({
  config,
  address,
  secretKey: config.secretKey ?? '',
  log: createLog('error'),
  role: 'all',
  ...(outside === null
    ? {}
    : { outside: { outbound: { nameServers: [outside.nameServer], extraAuthority: outside.authorityPem } } }),
  prepare: async (ctx) => {
    await migrate(ctx.database);
    const demo = await seedDemo(ctx);
    personalised = { token: demo.token, productId: demo.products.personalised };
    const operator = { email: 'bench@example.test', password: 'a password of the benchmark', role: 'admin' } as const;
    operatorToken = (await createOperator(ctx, operator)).token;
    // More than any round orders, of the variants that it does order.
    for (const sku of ['TEE-CLASSIC-BLK-M', 'TEE-CLASSIC-WHT-L', 'TEE-ORGANIC-ECR-M']) {
      await setStock(ctx, { sku, onHand: STOCK, reason: 'benchmark', actor: 'benchmark' });
    }
    const accounts = await ctx.database.all<{ account_id: Uuid }>(
      { name: '', text: "select account_id from product where name = 'Fern and Tide tee'" },
      [],
    );
    const demoAccount = accounts[0]?.account_id;
    if (demoAccount !== undefined) {
      await creditAccount(ctx, { accountId: demoAccount, amountPence: BALANCE, reference: 'bench' });
    }
    const productId = parseId('prod', demo.products.fixed);
    const product =
      demoAccount === undefined || productId === undefined
        ? undefined
        : await findProduct(ctx.database, demoAccount, productId);
    if (product === undefined) throw new Error('the demo product is not there');
    for (let index = 0; index < ACCOUNTS; index += 1) {
      const accountId = await createAccount(ctx, { name: `Bench ${index}` });
      await creditAccount(ctx, { accountId, amountPence: BALANCE, reference: 'bench' });
      const { token } = await mintToken(ctx, { accountId });
      const id = newId();
      await insertProduct(ctx.database, {
        id,
        accountId,
        baseProductId: product.base_product_id,
        name: product.name,
        description: product.description,
        status: 'active',
        tags: product.tags,
        retailPricePence: product.retail_price_pence,
        mockupHash: product.mockup_hash,
        personalisation: null,
        areas: product.areas,
        variants: product.variants.map(({ sku }) => ({ id: newId(), sku })),
        now: ctx.clock.now(),
      });
      customers.push({ accountId, token, productId: publicId('prod', id) });
    }
  },
});
const url = `http://127.0.0.1:${service.port}/api/v1`;
process.send?.({ url, customers, personalised, operatorToken } satisfies ApiReady);

answer<ApiQuestion, NewOrder[] | Verified>((question) =>
  question.kind === 'drafts' ? draftOrders(question.lines) : verifyAll(),
);
process.on('SIGTERM', () => void end());

async function draftOrders(lines: number): Promise<NewOrder[]> {
  return Promise.all(
    customers.map((customer) => newOrderOf(service, customer, orderOf(customer.productId, lines) as PlaceOrderBody)),
  );
}

async function verifyAll(): Promise<Verified> {
  const { checks } = await verify(service.ctx);
  return { violations: checks.flatMap(({ name, violations }) => violations.map((text) => `${name}: ${text}`)) };
}

async function end(): Promise<void> {
  await service.stop();
  await rm(dataDir, { recursive: true, force: true });
  process.exit(0);
}
