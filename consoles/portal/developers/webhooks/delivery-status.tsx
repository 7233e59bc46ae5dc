import { type Reply, serviceNowMs } from '../../../shared/api/client.ts';

export type Delivery = Reply<'listWebhookDeliveries'>['data'][number];

const STATUSES: Readonly<Record<string, readonly [label: string, tone: string]>> = {
  pending: ['Waiting', 'still'],
  retrying: ['Failed, is retried', 'wait'],
  succeeded: ['Succeeded', 'good'],
  abandoned: ['Failed, given up', 'bad'],
  cancelled: ['Cancelled', 'still'],
};

export const DELIVERY_STATUSES = ['pending', 'retrying', 'succeeded', 'abandoned', 'cancelled'] as const;

/** A status of deliveries as a person says it. */
export function deliveryStatusLabel(status: string): string {
  return STATUSES[status]?.[0] ?? status;
}

/** What became of a delivery. */
export function DeliveryStatus({ status }: { status: string }) {
  return (
    <span className="platen-status" data-tone={STATUSES[status]?.[1] ?? 'still'}>
      {deliveryStatusLabel(status)}
    </span>
  );
}

const KINDS: Readonly<Record<string, string>> = {
  event: 'by its event',
  redelivery: 'sent again by hand',
  replay: 'by a replay',
};

/** Why a delivery was made. */
export function deliveryKindLabel(kind: string): string {
  return KINDS[kind] ?? kind;
}

/** Whether an attempt is under way, or so near that it is worth looking again soon. */
export function isUnderWay({ status, next_attempt_at: at }: Pick<Delivery, 'status' | 'next_attempt_at'>): boolean {
  if (status !== 'pending' && status !== 'retrying') return false;
  return at === null || Date.parse(at) < serviceNowMs() + LOOK_AGAIN_MS;
}

/** Soon enough to see what was just sent again. */
export const LOOK_AGAIN_MS = 2_000;

/** What a receiver answered, shortly. */
export function answerOf({ attempts, response_code: code }: Delivery): string {
  if (attempts === 0) return 'not sent yet';
  return code === null ? 'no answer' : String(code);
}
