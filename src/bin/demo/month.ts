import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { disableOperator } from '../../accounts/access/disable-operator.ts';
import { createOperatorAuthenticator } from '../../accounts/authenticate.ts';
import { createOperator } from '../../accounts/create-operator.ts';
import { mintOperatorToken } from '../../accounts/mint-operator-token.ts';
import { findOperatorByEmail, isEnabledOperator } from '../../accounts/operator-sql.ts';
import type { AppContext } from '../../app/context.ts';
import { NORMALISE_JOB } from '../../artwork/sql.ts';
import { holdClosing } from '../../billing/hold-closing.ts';
import { agreeOnTimeZone } from '../../billing/seller-days.ts';
import { countStock, receiveStock } from '../../catalogue/change-stock.ts';
import { placeOrder } from '../../checkout/place-order.ts';
import { issueForOrders } from '../../invoices/issue-due.ts';
import { SCOPES } from '../../lib/caller.ts';
import { ApiError } from '../../lib/errors.ts';
import { publicId, type Uuid } from '../../lib/ids.ts';
import type { Operator, OperatorRole } from '../../lib/operator.ts';
import type { PlaceOrderBody } from '../../orders/schema.ts';
import { creditByOps } from '../../payments/credit-by-ops.ts';
import { commandLineActor } from '../access-commands.ts';
import type { Cast, PlacedOrder } from './cast.ts';
import { at, type DemoCustomer } from './customer.ts';
import { type ADay, type MonthStep, type PlannedOrder, planMonth } from './plan.ts';
import { makeFindable, onceFor, workOrder } from './work-order.ts';

/**
 * The operators who work in the month.
 * They are disabled at its end, and their passwords are kept nowhere.
 */
const PRESS = 'maya.okafor@demo-print-shop.example';
const OFFICE = 'tom.hardcastle@demo-print-shop.example';

/** A print file takes a second or two, and another order's may come first. */
const PRINT_FILES_WITHIN_MS = 120_000;
const PRINT_FILES_POLL_MS = 100;

export type MonthEnd =
  /** `leftOut`: orders that something else has changed meanwhile stay as they are. */
  | { readonly kind: 'done'; readonly orders: number; readonly leftOut: number }
  | { readonly kind: 'stopped' }
  /** It is there already. */
  | { readonly kind: 'there' }
  /** Another process is at it, or closes the days of the books at this moment. */
  | { readonly kind: 'elsewhere' };

/**
 * Lives the month of the demo customer: some 200 orders, in the past, up to now.
 *
 * Each step is a use case with a clock that shows the past, so history, events, postings and invoices are what the
 * service would have written then. Every step is harmless when it is done again: an order has its own reference, an act
 * of an operator its Idempotency-Key. A month that was stopped or killed begins anew and does what is left.
 *
 * Postings of the past need days that are open. None can be closed meanwhile; where some are closed already the month
 * happens after them, in few moments. Needs a worker that makes print files.
 */
export async function liveMonth(
  ctx: AppContext,
  options: {
    readonly customer: DemoCustomer;
    readonly stopping: AbortSignal;
    readonly onStep: (done: number, of: number) => void;
    /** Between two steps: leaves the machine to others. */
    readonly rest: (stepMs: number) => Promise<void>;
    readonly aDay?: ADay | undefined;
  },
): Promise<MonthEnd> {
  const { customer, stopping } = options;
  if (await isMonthThere(ctx)) return { kind: 'there' };
  await agreeOnTimeZone(ctx);
  const hold = await holdClosing(ctx);
  if (hold === undefined) return { kind: 'elsewhere' };
  try {
    const cast = { customer: callerOf(customer.accountId), ...(await openOperators(ctx)) };
    const beganMs = customer.monthBegins.getTime();
    const steps = planMonth(customer.products, customer.people, ctx.clock.now().getTime() - beganMs, options.aDay);
    const month: Month = { customer, cast, placed: new Map(), stopping };
    const leftOut = new Set<PlannedOrder>();
    let lastMs = Math.max(hold.closedUntil.getTime(), 0);
    for (const [index, step] of steps.entries()) {
      if (stopping.aborted) return { kind: 'stopped' };
      if (!hold.isHeld()) throw new Error('the days of the books could be closed: the demo month begins anew');
      lastMs = Math.max(beganMs + step.atMs, lastMs + 1);
      const startedMs = performance.now();
      const past = at(ctx, new Date(lastMs));
      if (!('order' in step)) await keepHouse(past, month, step);
      else if (!leftOut.has(step.order) && !(await tryStep(past, month, step))) leftOut.add(step.order);
      options.onStep(index + 1, steps.length);
      await options.rest(performance.now() - startedMs);
    }
    await disableOperator(ctx, commandLineActor(), OFFICE, MONTH_OVER);
    await disableOperator(ctx, commandLineActor(), PRESS, MONTH_OVER);
    return { kind: 'done', orders: month.placed.size, leftOut: leftOut.size };
  } catch (error) {
    if (stopping.aborted) return { kind: 'stopped' };
    throw error;
  } finally {
    await hold.release();
  }
}

const MONTH_OVER = 'The demo month is over.';

/** Whether the month has been lived to its end: the last act disables the operator who worked in it. */
export async function isMonthThere(ctx: AppContext): Promise<boolean> {
  const press = await findOperatorByEmail(ctx.database, PRESS);
  return press !== undefined && !(await isEnabledOperator(ctx.database, press));
}

function callerOf(accountId: Uuid): Cast['customer'] {
  return { accountId, limitedAs: 'demo month', scopes: new Set(SCOPES) };
}

async function openOperators(ctx: AppContext): Promise<Pick<Cast, 'press' | 'office'>> {
  return { press: await openOperator(ctx, PRESS, 'production'), office: await openOperator(ctx, OFFICE, 'finance') };
}

async function openOperator(ctx: AppContext, email: string, role: OperatorRole): Promise<Operator> {
  const known = await findOperatorByEmail(ctx.database, email);
  const password = randomBytes(24).toString('hex');
  const { token } =
    known === undefined ? await createOperator(ctx, { email, password, role }) : await mintOperatorToken(ctx, email);
  const operator = await createOperatorAuthenticator(ctx)(token);
  if (operator === undefined) throw new Error(`the operator ${email} cannot act`);
  return operator;
}

type Month = {
  readonly customer: DemoCustomer;
  readonly cast: Cast;
  readonly placed: Map<PlannedOrder, PlacedOrder>;
  readonly stopping: AbortSignal;
};

type MonthStepOf<Kind extends MonthStep['kind']> = Extract<MonthStep, { readonly kind: Kind }>;

async function keepHouse(
  ctx: AppContext,
  { customer, cast, placed }: Month,
  step: MonthStepOf<'credit' | 'count' | 'receive'>,
): Promise<void> {
  if (step.kind === 'credit') {
    const body = { amount_gbp: step.pounds, reference: step.reference };
    const once = onceFor(step.reference);
    await creditByOps(ctx, cast.office, publicId('acct', customer.accountId), { body, once });
    // It may have paid an order that waited.
    await issueForOrders(
      ctx,
      [...placed.values()].map(({ id }) => id),
    );
  } else if (step.kind === 'count') {
    await countStock(ctx, cast.press, { items: [...step.items], reason: step.reason, once: onceFor(step.reason) });
  } else {
    const { items, reference } = step;
    await receiveStock(ctx, cast.press, { items: [...items], reference, once: onceFor(reference) });
  }
}

/**
 * Does a step with an order.
 * False when a rule of the trade refuses it: something else has changed the order.
 */
async function tryStep(ctx: AppContext, month: Month, step: MonthStepOf<'place' | 'work'>): Promise<boolean> {
  try {
    if (step.kind === 'place') await place(ctx, month, step.order);
    else await work(ctx, month, step);
    return true;
  } catch (error) {
    if (!(error instanceof ApiError) || error.code === 'unavailable') throw error;
    const { reference } = step.order;
    const verb = step.kind === 'place' ? 'place' : step.verb;
    ctx.log.debug({ reference, verb, error: error.message }, 'an order of the demo month stays as it is');
    return false;
  }
}

async function place(ctx: AppContext, month: Month, order: PlannedOrder): Promise<void> {
  const { cast, stopping } = month;
  const body = bodyOf(month, order);
  const request = { body, unknownFields: [], source: 'api', signal: new AbortController().signal } as const;
  stopping.throwIfAborted();
  const result = await placeOrder(ctx, cast.customer, request);
  const { id, reference } = result.order;
  month.placed.set(order, { id, reference, number: order.reference, replacement: undefined });
  await makeFindable(ctx, cast.customer, id);
  await issueForOrders(ctx, [id]);
}

function bodyOf({ customer }: Month, order: PlannedOrder): PlaceOrderBody {
  return {
    type: order.type,
    external_reference: order.reference,
    shipping_address: order.person,
    // A sample goes to the shop itself; all others carry its brand, the default.
    ...(order.type === 'sample' ? { brand: null } : {}),
    notes: order.notes,
    // Express is a service of Great Britain's mainland.
    ...(order.service === undefined || !isMainland(order.person) ? {} : { shipping_service: order.service }),
    items: order.lines.map(({ product, sku, quantity, words }) => {
      const areas = customer.products.find(({ key }) => key === product)?.areas ?? [];
      return {
        product_id: customer.productId(product),
        variant_sku: sku,
        quantity,
        ...(words === undefined
          ? { print_jobs: areas.map(({ print_area: area, method }) => ({ area, method })) }
          : { decoration: { personalisation: { inputs: { line: words } } } }),
      };
    }),
  };
}

function isMainland({ country_code: country, postcode }: PlannedOrder['person']): boolean {
  return country === 'GB' && !/^(BT|IV|JE|GY|IM)/.test(postcode);
}

async function work(ctx: AppContext, month: Month, { order, verb }: MonthStepOf<'work'>): Promise<void> {
  const placed = month.placed.get(order);
  if (placed === undefined) throw new Error(`${order.reference} was not placed`);
  const untilReady: Parameters<typeof workOrder>[0]['untilReady'] = async (read) => {
    const endsAt = performance.now() + PRINT_FILES_WITHIN_MS;
    while ((await read()).some((line) => !line.artwork_ready)) {
      month.stopping.throwIfAborted();
      if (performance.now() > endsAt) throw new Error(`the print files of ${order.reference} were not made in time`);
      ctx.wake(NORMALISE_JOB);
      await delay(PRINT_FILES_POLL_MS);
    }
  };
  await workOrder({ ctx, cast: month.cast, placed, untilReady }, verb);
}
