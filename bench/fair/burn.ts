import { setTimeout as delay } from 'node:timers/promises';
import { answer, cpuSecondsSince } from '../service-process.ts';

/** A null attack: a process that asks nothing of the service and burns a share of one processor. */
export type BurnOrder = { readonly share: number; readonly seconds: number };

/** It burns in bits as long as the steps of a busy event loop. */
const BIT_MS = 2;

answer(async ({ share, seconds }: BurnOrder): Promise<object> => {
  const before = process.cpuUsage();
  const beganAt = performance.now();
  const elapsed = (): number => (performance.now() - beganAt) / 1_000;
  while (elapsed() < seconds) {
    if (cpuSecondsSince(before) < share * elapsed()) burn();
    else await delay(1);
  }
  return {};
});
process.send?.({});

function burn(): void {
  const endsAt = performance.now() + BIT_MS;
  while (performance.now() < endsAt);
}
