import { Pool } from 'undici';
import { newId, publicId } from '../../src/lib/ids.ts';
import { envelope } from '../../src/webhooks/envelope.ts';
import { newSigningSecret, signedHeaders } from '../../src/webhooks/sign.ts';
import { answer } from '../service-process.ts';
import type { ReceiverReady } from './receiver.ts';

/**
 * The bare signed sender: the same body and signatures in a loop over undici, to the same receiver, with nothing
 * written down.
 */
const CONNECTIONS = 128;
const receiver = JSON.parse(process.env.BENCH_RECEIVER ?? '{}') as ReceiverReady;
const pool = new Pool(`https://${receiver.hostPort}`, {
  connections: CONNECTIONS,
  pipelining: 1,
  connect: { ca: receiver.authorityPem },
});
const secret = newSigningSecret();
const DATA = JSON.stringify({
  order_id: 'ord_00000000000000000000000000',
  reference: 'PF-7KQ2M9XA',
  external_reference: '00000000-0000-4000-8000-000000000000',
  status: 'confirmed',
  total: 61.84,
  currency: 'GBP',
  item_count: 5,
});

answer(async ({ count }: { count: number }) => {
  const startedAt = performance.now();
  let left = count;
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      while (left > 0) {
        left -= 1;
        await sendOne();
      }
    }),
  );
  return { perSecond: (count * 1_000) / (performance.now() - startedAt) };
});
process.send?.({});
process.on('SIGTERM', () => process.exit(0));

async function sendOne(): Promise<void> {
  const id = newId();
  const at = new Date();
  const body = envelope({ id, event: 'order.created', createdAt: at, data: DATA, sequence: 1 });
  const headers = signedHeaders(secret, {
    event: 'order.created',
    eventId: publicId('evt', id),
    subscriptionId: publicId('whk', id),
    deliveryId: publicId('dlv', id),
    at,
    body,
  });
  const answered = await pool.request({ path: '/answers', method: 'POST', headers, body });
  await answered.body.dump();
  if (answered.statusCode !== 200) throw new Error(`the receiver answered ${answered.statusCode}`);
}
