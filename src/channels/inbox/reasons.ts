/** What became of an order of a shop. */
export const INBOX_STATES = ['new', 'waiting', 'placed', 'ignored', 'failed'] as const;
export type InboxState = (typeof INBOX_STATES)[number];

/** Why an order of a shop waits; each says who can end it. */
export const WAIT_REASONS = [
  'paused',
  'earlier',
  'unpaid',
  'on_hold',
  'unknown_status',
  'high_risk',
  'risk_pending',
  'scheduled',
  'delayed',
  'needs_mapping',
  'approval',
  'supplement',
  'address_refused',
  'needs_artwork',
  'needs_personalisation',
  'out_of_stock',
  'refused',
  'suspended',
  'unreadable',
] as const;
export type WaitReason = (typeof WAIT_REASONS)[number];

/** Why an order of a shop was never placed. */
export const IGNORE_REASONS = [
  'test',
  'cancelled_in_shop',
  'fulfilled_in_shop',
  'nothing_ours',
  'placed_before',
  'by_person',
  'erased',
  'disconnected',
  'too_old',
] as const;
export type IgnoreReason = (typeof IGNORE_REASONS)[number];

/** Why an order stays ignored, whatever its shop sends of it later. */
const FOR_GOOD: readonly string[] = ['by_person', 'erased', 'disconnected'] satisfies IgnoreReason[];

/** Whether an order is ignored for good. Pure. */
export function isForGood({ state, reason }: { readonly state: InboxState; readonly reason: InboxReason }): boolean {
  return state === 'ignored' && FOR_GOOD.includes(reason);
}

/** What came after an order was placed. */
export const PLACED_REASONS = [
  'cancelled',
  'cancel_asked',
  'asked_to_cancel',
  'cancel_refused',
  'change_asked',
  'changed_in_shop',
] as const;

/** The reasons by which orders can be looked for; `gave_up` is that of a failure. */
export const NAMED_REASONS = ['gave_up', ...WAIT_REASONS, ...IGNORE_REASONS, ...PLACED_REASONS] as const;

/** Empty where there is nothing to say. */
export const INBOX_REASONS = ['', ...NAMED_REASONS] as const;
export type InboxReason = (typeof INBOX_REASONS)[number];

/** What orders can be looked for by: a reason of theirs, or that their shop takes no more news of them. */
export const SOUGHT_REASONS = [...NAMED_REASONS, 'report_refused'] as const;
export type SoughtReason = (typeof SOUGHT_REASONS)[number];

const isAmong = (reasons: readonly SoughtReason[], reason: SoughtReason): boolean => reasons.includes(reason);

/** The one state that an order with a reason has. Pure. */
export function stateOfReason(reason: SoughtReason): InboxState {
  if (reason === 'gave_up') return 'failed';
  if (isAmong(WAIT_REASONS, reason)) return 'waiting';
  return isAmong(IGNORE_REASONS, reason) ? 'ignored' : 'placed';
}

/** Whether no order can have both: a reason is one of another state. Pure. */
export function isNever({
  state,
  reason,
}: {
  state?: InboxState | undefined;
  reason?: SoughtReason | undefined;
}): boolean {
  return state !== undefined && reason !== undefined && stateOfReason(reason) !== state;
}
