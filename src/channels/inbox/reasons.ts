/** What became of an order of a shop. */
export const INBOX_STATES = ['new', 'waiting', 'placed', 'ignored', 'failed'] as const;
export type InboxState = (typeof INBOX_STATES)[number];

/** Why an order of a shop waits; each says who can end it. */
export const WAIT_REASONS = [
  'paused',
  'earlier',
  'unpaid',
  'on_hold',
  'high_risk',
  'scheduled',
  'delayed',
  'needs_mapping',
  'approval',
  'supplement',
  'address_refused',
  'needs_personalisation',
  'out_of_stock',
  'refused',
  'suspended',
] as const;
export type WaitReason = (typeof WAIT_REASONS)[number];

/** Why an order of a shop was never placed. */
export const IGNORE_REASONS = [
  'test',
  'cancelled_in_shop',
  'fulfilled_in_shop',
  'nothing_ours',
  'by_person',
  'disconnected',
  'too_old',
] as const;
export type IgnoreReason = (typeof IGNORE_REASONS)[number];

/** What came after an order was placed. */
export const PLACED_REASONS = [
  'cancelled',
  'cancel_asked',
  'asked_to_cancel',
  'cancel_refused',
  'change_asked',
  'changed_in_shop',
] as const;
export type PlacedReason = (typeof PLACED_REASONS)[number];

/** Empty where there is nothing to say; `gave_up` is that of a failure. */
export type InboxReason = '' | 'gave_up' | WaitReason | IgnoreReason | PlacedReason;

export const INBOX_REASONS = ['', 'gave_up', ...WAIT_REASONS, ...IGNORE_REASONS, ...PLACED_REASONS] as const;
