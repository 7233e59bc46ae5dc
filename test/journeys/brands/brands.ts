import assert from 'node:assert/strict';
import type { Brand, WrittenBrand } from '../../../src/brands/schema.ts';
import type { Customer, TestService } from '../../harness/service.ts';
import { rows } from '../../harness/written.ts';

// Shop names of a customer.

/** Creates a brand; it must succeed. */
export async function createBrand(by: Customer, body: object): Promise<WrittenBrand> {
  const answer = await by.request<WrittenBrand>('POST', '/brands', body);
  assert.equal(answer.status, 201, answer.text);
  return answer.body;
}

/** A brand as its account sees it. */
export async function getBrand(by: Customer, id: string): Promise<Brand> {
  const answer = await by.request<Brand>('GET', `/brands/${id}`);
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
}

/** All that is written of brands. */
export async function brandsWritten(service: TestService): Promise<readonly object[]> {
  return rows(
    service,
    `select b.id, b.name_key, b.archived_at, r.id as revision, r.name, r.superseded_at, a.default_brand_id
     from brand b join brand_revision r on r.account_id = b.account_id and r.brand_id = b.id
     join account a on a.id = b.account_id order by b.id, r.id`,
  );
}

/** A text of one code point more than fits, and one that just fits; an emoji is two UTF-16 units. */
export const longBy = (max: number, more = 0): string => '\u{1f9f5}'.repeat(max + more);
