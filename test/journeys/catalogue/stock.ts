import assert from 'node:assert/strict';
import type { StockMovement } from '../../../src/catalogue/ops-schema.ts';
import type { Page } from '../../../src/lib/paging.ts';
import type { StockOverview } from '../../../src/production/schema.ts';
import { type Floor, openFloor } from '../../harness/floor.ts';
import { startTestService, type TestService } from '../../harness/service.ts';
import { assertSound } from '../../harness/written.ts';

/** The service, once it is open. */
export let service: TestService;

/** An operator at work. */
export let floor: Floor;

/** The variant that is counted. */
export const SKU = 'TEE-CLASSIC-BLK-L';

/** A variant as operators see it. */
export const overview = async (sku: string): Promise<StockOverview> => {
  const { body } = await floor.request<Page<StockOverview>>('GET', `/stock?sku=${sku}`);
  const [level] = body.data;
  assert.ok(level);
  return level;
};

/** The movements of a variant, the newest first. */
export const movementsOf = async (query: string): Promise<Page<StockMovement>> => {
  const { status, body, text } = await floor.request<Page<StockMovement>>('GET', `/stock/movements?${query}`);
  assert.equal(status, 200, text);
  return body;
};

/** Opens what these journeys share; for `before`. */
export async function openStock(): Promise<void> {
  service = await startTestService();
  floor = await openFloor(service);
}

/** Closes it again; for `after`. */
export async function closeStock(): Promise<void> {
  try {
    await assertSound(service);
  } finally {
    await service.stop();
  }
}
