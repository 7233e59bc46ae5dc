import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { CreatedOrder } from '../../../../src/orders/schema.ts';
import { testRefusals } from '../../../harness/refusals.ts';
import { startTestService, type TestService } from '../../../harness/service.ts';
import { basket, HOME, newReference } from '../../../harness/shop.ts';

let service: TestService;
before(async () => {
  service = await startTestService();
});
after(() => service.stop());

const withEmail = (email: unknown) => ({ ...basket(service), shipping_address: { ...HOME, email } });

describe('the e-mail address of a recipient', () => {
  const problem = ['shipping_address.email pattern'];
  testRefusals(
    [
      ...[
        'ada',
        'ada@',
        '@example.com',
        'a b@example.com',
        'ada@example',
        'ada@@example.com',
        `${'a'.repeat(65)}@b.example`,
      ].map((email) => ({ what: `the e-mail ${email.slice(0, 20)}`, body: () => withEmail(email), problems: problem })),
      { what: 'an e-mail with a line break', body: () => withEmail('ada@exa\nmple.com'), problems: problem },
      {
        what: 'an e-mail that is too long',
        body: () => withEmail(`a@${'b'.repeat(300)}.example`),
        problems: ['shipping_address.email out_of_bounds'],
      },
      { what: 'an e-mail that is no text', body: () => withEmail(7), problems: ['shipping_address.email type'] },
    ],
    () => service.customer,
  );

  test('is taken, shown, and "" where there is none; a repeat without it is another body', async () => {
    const external_reference = newReference();
    const send = (body: object) =>
      service.customer.request<CreatedOrder>('POST', '/orders', { ...body, external_reference });
    const first = await send(withEmail('Ada+tag@mail.example'));
    assert.equal(first.status, 201, first.text);
    assert.equal(first.body.items.shippingAddress.email, 'Ada+tag@mail.example');
    const codes = (answer: typeof first) => answer.body.warnings.map(({ code }) => code);
    const same = await send(withEmail('Ada+tag@mail.example'));
    assert.deepEqual([same.status, codes(same).includes('replayed_with_different_body')], [200, false]);
    const without = await send(basket(service));
    assert.deepEqual([without.status, codes(without).includes('replayed_with_different_body')], [200, true]);
    const none = await service.customer.request<CreatedOrder>('POST', '/orders', withEmail(''));
    assert.deepEqual([none.status, none.body.items.shippingAddress.email], [201, '']);
  });
});
