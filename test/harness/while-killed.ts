import assert from 'node:assert/strict';
import type { TestService } from './service.ts';

/**
 * While `work` runs, each image child is killed as soon as it is there, as the system does with the largest process
 * when memory runs out: the first `count` of them, or all. Fails when none was killed.
 */
export async function whileKilled<T>(
  service: TestService,
  work: () => Promise<T>,
  count = Number.POSITIVE_INFINITY,
): Promise<T> {
  const killed = new Set<number>();
  const watch = setInterval(() => {
    for (const pid of service.ctx.images.pids()) {
      if (killed.has(pid) || killed.size === count) continue;
      killed.add(pid);
      process.kill(pid, 'SIGKILL');
    }
  }, 5);
  try {
    return await work();
  } finally {
    clearInterval(watch);
    assert.ok(killed.size > 0, 'a child was killed');
  }
}
