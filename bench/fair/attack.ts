import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { Pool } from 'undici';
import { answer, cpuSecondsSince } from '../service-process.ts';
import { ATTACKS, type Attacker, type Send } from './attacks.ts';
import type { Request } from './requests.ts';

/** A process that attacks: what to do, with what, and for how long. */
export type AttackOrder = { readonly names: readonly string[]; readonly attacker: Attacker; readonly seconds: number };

/** What was sent, and how often each status was the answer; `none` where the attacker had left. */
export type AttackReport = {
  sent: number;
  readonly statuses: Record<string, number>;
  /** Processor time of the attacker, in seconds. */
  cpuSeconds: number;
};

/** Four tokens at 600 requests a minute, from as many addresses. */
const REQUESTS_A_SECOND = 40;

const pool = new Pool(process.env.BENCH_ORIGIN ?? '', { connections: 128, pipelining: 1 });

answer(run);
process.send?.({});

/** Bits in which a slow body arrives. */
const BITS = 50;

async function run({ names, attacker, seconds }: AttackOrder): Promise<AttackReport> {
  const attacks = ATTACKS.filter(({ name }) => names.includes(name));
  const tearDowns: (() => Promise<void>)[] = [];
  for (const { setUp } of attacks) if (setUp !== undefined) tearDowns.push(await setUp(attacker, prepare));
  // What is measured begins now.
  process.send?.({ begun: true });
  const endsAt = performance.now() + seconds * 1_000;
  const before = process.cpuUsage();
  const report: AttackReport = { sent: 0, statuses: {}, cpuSeconds: 0 };
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
          const status = (await send(request(attacker, report.sent), endsAt)) ?? 'none';
          report.statuses[status] = (report.statuses[status] ?? 0) + 1;
        }
      }),
    ),
  );
  report.cpuSeconds = cpuSecondsSince(before);
  for (const tearDown of tearDowns) await tearDown();
  return report;
}

const prepare: Send = async (request) => {
  const reply = await pool.request(messageOf(request));
  const text = await reply.body.text();
  if (reply.statusCode >= 300) throw new Error(`a set-up was refused: ${reply.statusCode} ${text}`);
  return text === '' ? {} : (JSON.parse(text) as { id?: string });
};

async function send(request: Request, endsAt: number): Promise<number | undefined> {
  const leaves = AbortSignal.timeout(request.leavesAfterMs ?? Math.ceil(Math.max(1, endsAt - performance.now())));
  try {
    const reply = await pool.request({ ...messageOf(request), signal: leaves, headersTimeout: 0 });
    await reply.body.dump({ limit: Number.POSITIVE_INFINITY, signal: leaves });
    return reply.statusCode;
  } catch {
    return undefined;
  }
}

function messageOf({ method, path, token, body, accept, arrivesInMs }: Request) {
  const text = body === undefined ? null : JSON.stringify(body);
  return {
    method,
    path,
    headers: {
      authorization: `Bearer ${token}`,
      ...(accept === undefined ? {} : { accept }),
      ...(text === null ? {} : { 'content-type': 'application/json' }),
    },
    body: text === null || arrivesInMs === undefined ? text : Readable.from(bitsOf(text, arrivesInMs)),
  };
}

async function* bitsOf(text: string, withinMs: number): AsyncGenerator<string> {
  const length = Math.ceil(text.length / BITS);
  for (let at = 0; at < text.length; at += length) {
    yield text.slice(at, at + length);
    await delay(withinMs / BITS);
  }
}
