import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { OPS_ROUTES } from '../../../src/app/ops-routes.ts';
import { publicId } from '../../../src/lib/ids.ts';
import { compileShape, listUnknownFields } from '../../../src/lib/validation/validate.ts';
import type { CreatedOrder } from '../../../src/orders/schema.ts';
import { eventually } from '../../harness/context.ts';
import { startTestService, type TestService } from '../../harness/service.ts';
import { basket } from '../../harness/shop.ts';
import { rows } from '../../harness/written.ts';
import { filled, snippetsOf } from './documents.ts';
import { toolsToTry } from './shell.ts';
import { memberAt, openStage } from './stage.ts';

const RUNBOOK = 'docs/runbook.md';
const examples = snippetsOf(RUNBOOK);
const toolsTried = await toolsToTry();

let service: TestService;
before(async () => {
  service = await startTestService();
});
after(() => service?.stop());

test('the runbook has no other example than those that are run here', () => {
  assert.deepEqual(
    examples.map(({ language }) => language),
    ['sh', 'sql', 'sql', 'sh', 'sh', 'sh'],
  );
});

for (const tools of toolsTried) {
  test(`an operator is created and calls the operations API, with curl and jq: ${tools}`, async () => {
    const [open, disclose, erase, retry] = examples.filter(({ language }) => language === 'sh');
    assert.ok(open !== undefined && retry !== undefined);
    assert.ok(disclose !== undefined && erase !== undefined);
    const stage = await openStage(service, tools);
    try {
      const email = `ada-${tools.length}@shop.example`;
      await stage.run(filled(open, { 'http://127.0.0.1:8080': service.url, 'ada@shop.example': email }));
      const orders: unknown = JSON.parse(await stage.run("ops GET '/orders?state=placed'"));
      assert.ok(Array.isArray(memberAt(orders, 'data')));
      const { body: order } = await service.customer.request<CreatedOrder>('POST', '/orders', basket(service));
      await losePrintFile(order.reference);
      const retried: unknown = JSON.parse(await stage.run(filled(retry, { 'PF-…': order.reference })));
      assert.equal(memberAt(retried, 'reference'), order.reference);

      const theirs = basket(service);
      const { body: byron } = await service.customer.request<CreatedOrder>('POST', '/orders', theirs);
      const account = { 'acct_…': publicId('acct', service.customer.accountId) };
      await stage.run(filled(disclose, account));
      assert.match(await stage.run('cat person.json'), new RegExp(byron.id));
      assert.match(await stage.run(filled(erase, account)), new RegExp(byron.reference));
    } finally {
      await stage.close();
    }
  });
}

test('the statements of the runbook run on the database as it is', async () => {
  const sql = examples.filter(({ language }) => language === 'sql').map(({ code }) => code);
  for (const statement of sql.flatMap((code) => code.split(';')).filter((part) => part.trim() !== '')) {
    await rows(service, `explain ${statement}`);
  }
});

describe('every call of the operations API that the runbook names is one that it has', () => {
  const calls = [
    ...readFileSync(RUNBOOK, 'utf8').matchAll(/`ops ([A-Z]+) ('[^']+'|[^\s`]+)(?: '(\{[^`]*\})')?[^`]*`/g),
  ];
  assert.ok(calls.length > 40, 'the calls were found');
  for (const [, method, address = '', body] of calls) {
    test(`${method} ${address} ${body ?? ''}`, () => {
      const { pathname, searchParams } = new URL(address.replaceAll("'", ''), 'http://shop.example');
      const route = OPS_ROUTES.find((one) => one.method === method && patternOf(one.path).test(pathname));
      assert.ok(route !== undefined, 'there is no such operation');
      const { properties = {} }: { properties?: object } = route.query ?? {};
      const known = Object.keys(properties);
      for (const name of searchParams.keys()) assert.ok(known.includes(name), `the parameter ${name}`);
      if (body === undefined || body.includes('{…}')) return;
      assert.ok(route.body !== undefined, 'it takes no body');
      // An id of the reader stands as `ord_…`: any text has its place.
      assert.deepEqual(compileShape(route.body)(JSON.parse(body)), []);
      assert.deepEqual(listUnknownFields(route.body, JSON.parse(body)), []);
    });
  }
});

/** Waits until the print file of an order is made, and records that it failed. */
async function losePrintFile(reference: string): Promise<void> {
  const lose = `update print_file set state = 'failed', output_hash = null, ready_at = null, failure = 'lost'
    where state = 'ready' and key = (
      select j.print_file_key from print_job j join orders o on o.id = j.order_id where o.reference = $1) returning 1`;
  await eventually('the print file is made', async () => (await rows(service, lose, [reference])).length > 0);
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(/:[^/]+/g, '[^/]+')}$`);
}
