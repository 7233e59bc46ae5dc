import assert from 'node:assert/strict';
import type { PersonalisationTemplate } from '../../../src/products/personalisation-template.ts';
import type { Template } from '../../../src/products/template/template-schema.ts';
import type { PortalClient } from '../../harness/portal.ts';
import type { Answer, ErrorReply } from '../../harness/service.ts';

/** An answer about a template, or a refusal. */
export type TemplateReply = Template & Partial<Pick<ErrorReply, 'code' | 'detail' | 'errors'>>;

/** A text on the front of the demo's cap. */
export const LINE = {
  id: 'line',
  name: 'Your line',
  type: 'text',
  required: true,
  print_area: 'front',
  z_order: 1,
  box: { x_px: 10, y_px: 10, width_px: 200, height_px: 60 },
  length_max: 40,
  align: 'centre',
  size_px: { min: 8, max: 50 },
  font: { default: 'Pacifico' },
  color: { default: '#5e1a2b' },
} as const satisfies PersonalisationTemplate['layers'][number];

/** A template of some layers on the front of the cap. */
export const onFront = (...layers: readonly object[]): object => ({
  areas: [{ print_area: 'front', method: 'embroidery' }],
  layers,
});

/** A layer whose buyers choose from pictures, by their keys. */
export const motifOf = (...designs: readonly string[]): object => ({
  ...{ id: 'motif', name: 'Motif', type: 'image_select', required: false, print_area: 'front', z_order: 2 },
  box: { x_px: 5, y_px: 5, width_px: 50, height_px: 50 },
  options: designs.map((design, index) => ({ id: `option_${index + 1}`, name: `Option ${index + 1}`, design })),
});

/** Creates a personalised cap and checks that it was. */
export async function createCap(author: PortalClient, name = 'Name cap'): Promise<Template> {
  const { body: page } = await author.api<{ data: { id: string; master_sku: string; variants: { sku: string }[] }[] }>(
    'GET',
    '/catalog/products?limit=100',
  );
  const cap = page.data.find(({ master_sku: sku }) => sku === 'CAP-TWILL') ?? assert.fail('the demo has a cap');
  const skus = cap.variants.map(({ sku }) => sku);
  const body = { base_product_id: cap.id, name, variant_skus: skus };
  const answer = await author.request<TemplateReply>('POST', '/templates', { body });
  assert.equal(answer.status, 201, answer.text);
  return answer.body;
}

/** Saves a draft, from the version given. */
export function save(
  author: PortalClient,
  { id, version }: Pick<Template, 'id' | 'version'>,
  template: object,
): Promise<Answer<TemplateReply>> {
  return author.request<TemplateReply>('PATCH', `/templates/${id}`, { body: { version, template } });
}

/** Publishes a draft, from the version given. */
export function publish(
  author: PortalClient,
  { id, version }: Pick<Template, 'id' | 'version'>,
): Promise<Answer<TemplateReply>> {
  return author.request<TemplateReply>('POST', `/templates/${id}/publish`, { body: { version } });
}

/** The problems of a refusal as `path code`, in order. */
export const problemsIn = ({ body: { errors = [] } }: Answer<Pick<TemplateReply, 'errors'>>): readonly string[] =>
  errors.map(({ path, code }) => `${path} ${code}`);
