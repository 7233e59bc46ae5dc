import { randomBytes } from 'node:crypto';
import { changeBillingIdentity } from '../../accounts/billing-identity/change-billing.ts';
import { findBilling } from '../../accounts/billing-identity/sql.ts';
import { createAccount } from '../../accounts/create-account.ts';
import { createUser } from '../../accounts/create-user.ts';
import { getOpsAccount } from '../../accounts/read-for-ops.ts';
import { findAccountByName } from '../../accounts/sql.ts';
import type { AppContext } from '../../app/context.ts';
import { ApiError } from '../../lib/errors.ts';
import { publicId, type Uuid } from '../../lib/ids.ts';
import { commandLineActor } from '../access-commands.ts';
import { type DemoProduct, readDemo, seedDemoProducts, seedProduct } from '../seed-demo.ts';
import { openDemoBrand } from './brand.ts';
import { type DemoPerson, MONTH_DAYS } from './plan.ts';

/** The customer with a past: a shop that sells its own designs, and a person who signs in for it. */
export const MONTH_ACCOUNT = 'Harbour & Pine';
export const DEMO_USER = 'demo@platen.example';

const BILLED_TO = {
  legal_name: 'Harbour & Pine Ltd',
  address: { line1: '3 Custom House Quay', city: 'Falmouth', postcode: 'TR11 3JT', country_code: 'GB' },
  contact: { name: 'Rosa Trevanion', email: DEMO_USER },
};

/** 96 random bits. */
const PASSWORD_BYTES = 12;

const DAY_MS = 86_400_000;
/** The account is opened at eight in the morning of its first day. */
const OPENS_AFTER_MS = 8 * 3_600_000;

export type DemoCustomer = {
  readonly accountId: Uuid;
  readonly monthBegins: Date;
  readonly products: readonly DemoProduct[];
  readonly people: readonly DemoPerson[];
  /** The public id of a product by its key in the file. */
  readonly productId: (key: string) => string;
};

/**
 * Opens the account of the demo customer, unless it is there.
 * A new one is opened in the past: its month begins at the midnight before.
 */
export async function openDemoAccount(ctx: AppContext): Promise<Uuid> {
  const opensAt = new Date(monthBefore(ctx.clock.now()).getTime() + OPENS_AFTER_MS);
  const known = await findAccountByName(ctx.database, MONTH_ACCOUNT);
  return known ?? (await createAccount(at(ctx, opensAt), { name: MONTH_ACCOUNT }));
}

/** Opens the demo customer with all that it orders by, and reads what its month is made of. */
export async function openDemoCustomer(ctx: AppContext): Promise<DemoCustomer> {
  const accountId = await openDemoAccount(ctx);
  const openedAt = new Date((await getOpsAccount(ctx, publicId('acct', accountId))).created_at);
  const past = at(ctx, openedAt);
  if ((await findBilling(ctx.database, accountId)) === undefined) {
    await changeBillingIdentity(past, commandLineActor(), accountId, BILLED_TO);
  }
  await openDemoBrand(past, accountId);
  const products = (await readDemo('month/products.json')) as DemoProduct[];
  const { personalised } = await seedDemoProducts(past, accountId);
  const ids = new Map([['personalised', personalised]]);
  for (const product of products) {
    const designs = new Map([[product.key, `month/${product.key}.png`]]);
    const pictures = { designs, mockup: `month/${product.key}-mockup.png` };
    ids.set(product.key, publicId('prod', await seedProduct(past, accountId, product, pictures)));
  }
  return {
    accountId,
    monthBegins: new Date(midnightBefore(openedAt)),
    products,
    people: (await readDemo('month/people.json')) as DemoPerson[],
    productId: (key) => {
      const id = ids.get(key);
      if (id === undefined) throw new Error(`the demo month orders "${key}", which is no product of it`);
      return id;
    },
  };
}

/** Whether the demo customer has been opened. */
export async function hasDemoCustomer(ctx: AppContext): Promise<boolean> {
  return (await findAccountByName(ctx.database, MONTH_ACCOUNT)) !== undefined;
}

/**
 * Adds the person who signs in for the demo customer.
 * The password is made anew for each installation, returned this once and kept as a hash alone: one that everyone knows
 * would be an open way in. Undefined when the person is there already.
 */
export async function addDemoUser(
  ctx: AppContext,
  accountId: Uuid,
): Promise<{ email: string; password: string } | undefined> {
  const password = randomBytes(PASSWORD_BYTES).toString('base64url');
  try {
    const { email } = await createUser(ctx, { accountId, email: DEMO_USER, password });
    return { email, password };
  } catch (error) {
    if (error instanceof ApiError && error.code === 'conflict') return undefined;
    throw error;
  }
}

/** As the context, at a moment of the past. */
export function at(ctx: AppContext, moment: Date): AppContext {
  return { ...ctx, clock: { now: () => moment } };
}

/** The first midnight of a month that ends now. */
export function monthBefore(now: Date): Date {
  return new Date(midnightBefore(now) - MONTH_DAYS * DAY_MS);
}

function midnightBefore(time: Date): number {
  return Math.floor(time.getTime() / DAY_MS) * DAY_MS;
}
