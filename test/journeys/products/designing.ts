import assert from 'node:assert/strict';
import type { DesignedProduct, TakenDesign } from '../../../src/products/designer/designer-schema.ts';
import type { PortalClient } from '../../harness/portal.ts';
import { baseProductId } from '../../harness/products.ts';
import type { TestService } from '../../harness/service.ts';
import { servePicture } from '../../harness/shop.ts';

/** Takes a flat picture in, as a person does before placing it. */
export async function take(
  person: PortalClient,
  path: string,
  picture: { widthPx?: number; heightPx?: number; colour: string },
): Promise<TakenDesign> {
  const artwork_url = await servePicture(person.service, path, picture);
  const answer = await person.request<TakenDesign>('POST', '/designs', { body: { artwork_url } });
  assert.equal(answer.status, 201, answer.text);
  return answer.body;
}

/** The body of a tee with a design on its front, and these changes. */
export async function teeOf(service: TestService, design: string, changes: object = {}): Promise<object> {
  return {
    base_product_id: await baseProductId(service),
    name: 'A designed tee',
    variant_skus: ['TEE-CLASSIC-WHT-S', 'TEE-CLASSIC-NVY-M', 'TEE-CLASSIC-WHT-3XL'],
    decoration: { areas: [{ print_area: 'front', method: 'dtg', design }] },
    ...changes,
  };
}

/** Creates one, which must succeed. */
export async function designTee(person: PortalClient, design: string, changes: object = {}): Promise<DesignedProduct> {
  const body = await teeOf(person.service, design, changes);
  const answer = await person.request<DesignedProduct>('POST', '/products', { body });
  assert.equal(answer.status, 201, answer.text);
  return answer.body;
}
