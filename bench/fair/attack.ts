import { setTimeout as delay } from 'node:timers/promises';
import { Pool } from 'undici';
import { answer } from '../service-process.ts';
import { ATTACKS, type Attacker } from './attacks.ts';
import type { Request } from './requests.ts';

/** A process that attacks: what to do, with what, and for how long. */
export type AttackOrder = { readonly names: readonly string[]; readonly attacker: Attacker; readonly seconds: number };

export type AttackReport = { readonly sent: number; readonly refused: number };

/** Four tokens at 600 requests a minute, from as many addresses. */
const REQUESTS_A_SECOND = 40;

const pool = new Pool(process.env.BENCH_ORIGIN ?? '', { connections: 128, pipelining: 1 });

answer(run);
process.send?.({});

async function run({ names, attacker, seconds }: AttackOrder): Promise<AttackReport> {
  const attacks = ATTACKS.filter(({ name }) => names.includes(name));
  const endsAt = performance.now() + seconds * 1_000;
  const report = { sent: 0, refused: 0 };
  let allowedAt = performance.now();
  /** Waits until the limits let another request through. */
  const pace = async (): Promise<void> => {
    allowedAt = Math.max(allowedAt + 1_000 / REQUESTS_A_SECOND, performance.now() - 1_000);
    await delay(Math.max(0, allowedAt - performance.now()));
  };
  await Promise.all(
    attacks.flatMap(({ atOnce, request }) =>
      Array.from({ length: atOnce }, async () => {
        while (performance.now() < endsAt) {
          await pace();
          report.sent += 1;
          const status = await send(request(attacker, report.sent), endsAt);
          if (status === 503) report.refused += 1;
        }
      }),
    ),
  );
  return report;
}

async function send(request: Request, endsAt: number): Promise<number | undefined> {
  const { method, path, token, body, accept, leavesAfterMs } = request;
  const leaves = AbortSignal.timeout(leavesAfterMs ?? Math.ceil(Math.max(1, endsAt - performance.now())));
  try {
    const reply = await pool.request({
      method,
      path,
      headers: {
        authorization: `Bearer ${token}`,
        ...(accept === undefined ? {} : { accept }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      body: body === undefined ? null : JSON.stringify(body),
      signal: leaves,
      headersTimeout: 0,
    });
    await reply.body.dump({ limit: Number.POSITIVE_INFINITY, signal: leaves });
    return reply.statusCode;
  } catch {
    return undefined;
  }
}
