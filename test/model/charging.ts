import type { Call, Verdict } from '../harness/provider.ts';
import type { Model, ModelAttempt, ModelOrder } from './model.ts';
import { waitingOf } from './model.ts';
import type { Random } from './random.ts';
import { endAttempt, payWaiting, shareAll } from './settling.ts';
import type { Trouble, World } from './world.ts';

// What comes of a charge at a provider that may be troubled (domain, "Payment": the intent is made, its id is kept,
// and then it is confirmed; what is not known is read by the sweep; a cancel stops what has taken nothing; after
// twenty hours it is only read).

/** What the provider does in a step. */
export type Fortune = { readonly verdict: Verdict; readonly trouble: { call: Call; fault: Trouble } | undefined };

export const GOOD_FORTUNE: Fortune = { verdict: 'accept', trouble: undefined };

const FAULTS: readonly Trouble[] = ['500', '500 after', '401', 'refuse', 'drop', 'drop after'];
const CALLS: readonly Call[] = ['create', 'confirm', 'confirm', 'confirm', 'read', 'cancel'];

/** Draws how the provider feels: mostly well. */
export function fortuneOf(random: Random): Fortune {
  const verdict = random.chance(0.7) ? 'accept' : random.pick(['decline', 'process', 'require action'] as const);
  const trouble = random.chance(0.45) ? { call: random.pick(CALLS), fault: random.pick(FAULTS) } : undefined;
  return { verdict, trouble };
}

export function toldFortune({ verdict, trouble }: Fortune): string {
  return trouble === undefined ? verdict : `${verdict}, ${trouble.call}: ${trouble.fault}`;
}

/** Does some work while the provider feels so. */
export function feeling<T>(world: World, fortune: Fortune, work: () => Promise<T>): Promise<T> {
  world.provider.decide(fortune.verdict);
  return world.during(fortune.trouble, work);
}

export type Aim = 'charge' | 'read' | 'stop';

/** The provider forgets what was asked of it: an attempt that is older is only read. */
export const DRIVEN_FOR_MS = 20 * 3_600_000;

/** Leads an attempt on, as far as the provider lets it, and books its end. */
export function drive(
  model: Model,
  order: ModelOrder,
  attempt: ModelAttempt,
  { aim, fortune }: { aim: Aim; fortune: Fortune },
): 'paid' | 'failed' | 'unresolved' {
  const end = endOf(attempt, aim, model.now, fortuneOnce(fortune), fortune.verdict);
  if (end !== 'unresolved') endAttempt(model, order, attempt, end);
  if (end === 'failed' && aim !== 'stop') tryBalance(model, order);
  model.touched.add(order);
  return end;
}

/** What came onto the balance while a charge was under way pays the order after all, should the charge have failed. */
export function tryBalance(model: Model, order: ModelOrder): void {
  shareAll(model, order.account);
  if (waitingOf(model, order.account).includes(order)) payWaiting(model, order, false);
}

/** A trouble befalls the first call of its kind alone. */
function fortuneOnce({ trouble }: Fortune): (call: Call) => 'before' | 'after' | 'refuse' | undefined {
  let isOver = false;
  return (call) => {
    if (isOver || trouble?.call !== call) return undefined;
    isOver = true;
    if (trouble.fault === 'refuse') return 'refuse';
    return trouble.fault.endsWith('after') ? 'after' : 'before';
  };
}

type Befalls = ReturnType<typeof fortuneOnce>;
type End = 'paid' | 'failed' | 'unresolved';

function endOf(attempt: ModelAttempt, aim: Aim, now: number, befalls: Befalls, verdict: Verdict): End {
  const isOld = now - attempt.createdAt >= DRIVEN_FOR_MS;
  if (attempt.intent?.isHeard !== true) {
    if (isOld) return 'failed';
    if (aim === 'read') return 'unresolved';
    const trouble = befalls('create');
    if (trouble === 'refuse') return 'failed';
    if (trouble === 'before') return 'unresolved';
    attempt.intent ??= { isHeard: false, status: 'unconfirmed' };
    if (trouble === 'after') return 'unresolved';
    attempt.intent.isHeard = true;
  } else if (befalls('read') !== undefined) return 'unresolved';
  const { intent } = attempt;
  if (intent.status !== 'unconfirmed') return intent.status === 'accepted' ? 'paid' : 'failed';
  if (aim === 'read') return 'unresolved';
  if (isOld) return 'failed';
  if (aim === 'stop') return stop(intent, befalls);
  const trouble = befalls('confirm');
  if (trouble === 'before') return 'unresolved';
  if (trouble === 'refuse') return stop(intent, befalls);
  intent.status = verdict === 'accept' || verdict === 'process' ? 'accepted' : 'declined';
  if (trouble === 'after') return 'unresolved';
  return intent.status === 'accepted' ? 'paid' : 'failed';
}

/** Ends an intent that has taken nothing. When that is not heard, it is read how it stands. */
function stop(intent: NonNullable<ModelAttempt['intent']>, befalls: Befalls): End {
  const trouble = befalls('cancel');
  if (trouble !== 'before' && trouble !== 'refuse') intent.status = 'cancelled';
  return intent.status === 'cancelled' ? 'failed' : 'unresolved';
}
