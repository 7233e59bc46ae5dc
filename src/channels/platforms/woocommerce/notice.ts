import { createHmac, timingSafeEqual } from 'node:crypto';
import type { NoticeRequest, ShopNotice } from '../port.ts';

/**
 * Reads a webhook of WooCommerce: base64 of HMAC-SHA256 over the raw body in `X-WC-Webhook-Signature`.
 * It has no time, so that one that is replayed is a reason to read its order again, and no more. When a webhook is
 * made, WooCommerce first sends `webhook_id=1` without a signature, and wants 200: that says nothing of an order.
 */
export function readNotice({ header, body, secrets }: NoticeRequest): ShopNotice | undefined {
  if (/^webhook_id=\d{1,20}$/.test(body.subarray(0, PING_BYTES_MAX).toString('latin1'))) return { orderId: undefined };
  const given = Buffer.from(header('x-wc-webhook-signature') ?? '', 'base64');
  const isSigned = secrets.some((secret) => {
    const expected = createHmac('sha256', secret).update(body).digest();
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
  if (!isSigned) return undefined;
  if (header('x-wc-webhook-resource') !== 'order') return { orderId: undefined };
  return { orderId: idOf(body) };
}

const PING_BYTES_MAX = 40;

/** An order is named by its id, however much of its body a plug-in has broken. */
function idOf(body: Buffer): string | undefined {
  return /"id"\s*:\s*(\d{1,19})/.exec(body.toString('utf8'))?.[1];
}
