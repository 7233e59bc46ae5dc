import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId, publicId } from '../../lib/ids.ts';
import { countryOnly, eventWithoutPerson, warningsWithoutText, withoutText } from './scrub.ts';

test('the detail of an act keeps numbers, flags, ids and our own words, and no other text', () => {
  const line = publicId('line', newId());
  const cases: readonly (readonly [detail: unknown, left: unknown])[] = [
    [{ amount_gbp: 1.5, reason: 'sorry, Ada' }, { amount_gbp: 1.5 }],
    [{ items: [{ line_id: line, quantity: 2, note: 'Ada' }] }, { items: [{ line_id: line, quantity: 2 }] }],
    [{ contact_name: 'Ada', country_code: 'GB' }, {}],
    [
      { code: 'customer_request', refund: 'none', reason: 'x' },
      { code: 'customer_request', refund: 'none' },
    ],
    [{ code: 'Ada Byron' }, {}],
    [
      { ids: ['PF-7KQ2M9XA', 'Ada'], done: true, left: null },
      { ids: ['PF-7KQ2M9XA'], done: true, left: null },
    ],
    ['Ada', undefined],
  ];
  for (const [detail, left] of cases) assert.deepEqual(withoutText(detail), left);
});

test('the data of an event keeps its members in their order, and loses what leads to a person', () => {
  const shipment = { tracking_number: 'A1', carrier: 'RM', tracking_url: 'https://x', items: [{ name: 'Tee' }] };
  const left = eventWithoutPerson({ reference: 'PF-1', status: 'pending', shipment });
  assert.equal(
    JSON.stringify(left),
    '{"reference":"PF-1","status":"pending","shipment":{"tracking_number":"","carrier":"RM","tracking_url":null,"items":[{"name":"Tee"}]}}',
  );
  assert.deepEqual(eventWithoutPerson({ status: 'pending', reason: 'Ada' }), { status: 'pending', reason: '' });
  assert.deepEqual(eventWithoutPerson({ carrier: 'RM', tracking_numbers: ['A1'] }), {
    carrier: 'RM',
    tracking_numbers: [],
  });
  const created = { order_id: 'ord_1', total: 3 };
  assert.deepEqual(eventWithoutPerson(created), created);
});

test('of an address the country is left, and of warnings those that do not repeat the request', () => {
  const { country_code: country, ...rest } = countryOnly({ country_code: 'FR' });
  assert.equal(country, 'FR');
  assert.deepEqual([...new Set(Object.values(rest))], ['']);
  const warnings = [{ code: 'unknown_field' }, { code: 'duties_on_delivery' }];
  assert.deepEqual(warningsWithoutText(warnings), [{ code: 'duties_on_delivery' }]);
});
