import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Hit, Stranger } from '../test/harness/stranger.ts';

/** A webhook that arrived and was found to be genuine. */
export type Delivery = { readonly event: string; readonly reference: string; readonly hit: Hit };

const PATH = '/webhooks';
/** Spec 6.5 rule 3. */
const TOLERANCE_SECONDS = 300;

/** Where the receiver listens. */
export function receiverUrl(host: Stranger): string {
  return host.url(PATH);
}

/**
 * Takes genuine deliveries in from now on, answering 204, and refuses all others with 400. The list that it returns
 * grows.
 */
export function receiveWebhooks(host: Stranger, secret: string): readonly Delivery[] {
  const deliveries: Delivery[] = [];
  host.serve(PATH, (hit, response) => {
    const isGenuine = isGenuineDelivery(hit, secret);
    if (isGenuine) {
      const { event, data } = JSON.parse(hit.body.toString()) as { event: string; data: { reference: string } };
      deliveries.push({ event, reference: data.reference, hit });
    }
    response.writeHead(isGenuine ? 204 : 400).end();
  });
  return deliveries;
}

/**
 * Whether a delivery is from the service and fresh, as any receiver would check it (spec 6.5): an HMAC over the
 * timestamp and the raw bytes, compared in constant time, and a timestamp within the tolerance.
 */
export function isGenuineDelivery(delivery: Pick<Hit, 'headers' | 'body'>, secret: string): boolean {
  const timestamp = String(delivery.headers['svc-timestamp']);
  const expected = createHmac('sha256', secret).update(`${timestamp}.`).update(delivery.body).digest();
  const given = Buffer.from(String(delivery.headers['svc-signature']), 'hex');
  const ageSeconds = Math.abs(Date.now() / 1_000 - Number(timestamp));
  return given.length === expected.length && timingSafeEqual(given, expected) && ageSeconds <= TOLERANCE_SECONDS;
}
