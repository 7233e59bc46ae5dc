import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { noise } from './pictures.ts';
import { startTestService, type TestService } from './service.ts';
import { openShop, type Shop } from './shop.ts';

/** A service without a worker, whose image children a test kills. */
export type Killable = {
  readonly service: TestService;
  readonly shop: Shop;
  /** The address of a picture that no child has seen. */
  readonly newPicture: () => Promise<string>;
  /** The files that wait to become artwork. */
  readonly staged: () => string[];
  readonly close: () => Promise<void>;
};

/** Opens a shop on a service in a folder of its own. */
export async function openKillable(): Promise<Killable> {
  const dataDir = await mkdtemp(join(tmpdir(), 'platen-killable-'));
  const service = await startTestService({ role: 'api', dataDir });
  let pictures = 0;
  return {
    service,
    shop: await openShop(service, 10),
    newPicture: async () => {
      pictures += 1;
      const path = `/picture-${pictures}.png`;
      const body = await noise(1_200 + pictures, 1_200)
        .png()
        .toBuffer();
      service.stranger.serve(path, { body });
      return service.stranger.url(path);
    },
    staged: () => readdirSync(join(dataDir, 'blobs', 'staging')),
    close: async () => {
      await service.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

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
