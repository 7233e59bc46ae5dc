import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import type { CreatedOrder } from '../../../src/orders/schema.ts';
import { signedHeaders } from '../../../src/webhooks/sign.ts';
import { eventually } from '../../harness/context.ts';
import { startTestService, type TestService } from '../../harness/service.ts';
import { openReceiver } from '../../sdk/listening.ts';
import { filled, snippetsOf } from './documents.ts';
import { toolsToTry } from './shell.ts';
import { memberAt, openStage, type Stage } from './stage.ts';

const SERVICE = 'http://127.0.0.1:8080';
const TOKEN = 'pat_live_…';

const examples = snippetsOf('README.md');
const toolsTried = await toolsToTry();

let service: TestService;
let receiver: Awaited<ReturnType<typeof openReceiver>>;
before(async () => {
  service = await startTestService();
  receiver = await openReceiver();
});
after(async () => {
  await receiver?.close();
  await service?.stop();
});

test('README has no other example than those that are run here', () => {
  assert.deepEqual(
    examples.map(({ language }) => language),
    ['sh', 'sh', 'sh', 'js'],
  );
});

for (const tools of toolsTried) {
  describe(`README with curl and jq: ${tools}`, () => {
    let stage: Stage;
    before(async () => {
      stage = await openStage(service, tools);
      receiver.hits.length = 0;
    });
    after(() => stage.close());

    test('the order is placed and read, and its event arrives at the server on this machine', async () => {
      const [place, read, listen] = examples;
      assert.ok(place !== undefined && read !== undefined && listen !== undefined);
      const values = { [SERVICE]: service.url, [TOKEN]: service.customer.token, 'prod_…': service.demo.products.fixed };
      const forwardTo = { 'http://127.0.0.1:3000/hooks': receiver.url() };
      const listening = await stage.runBeside(
        filled(listen, { ...values, ...forwardTo }),
        /Signing secret whsec_\S+\n/,
      );

      const order = JSON.parse(await stage.run(filled(place, values))) as CreatedOrder;
      for (const member of membersNamed('Place an order')) {
        assert.notEqual(memberAt(order, member), undefined, `${member} of the reply`);
      }
      assert.equal(order.payment_status, 'paid');
      assert.match(order.reference, /^PF-/);
      const again = filled(read, { ...values, 'PF-…': order.reference });
      await eventually('the print files are made', async () => {
        const found: unknown = JSON.parse(await stage.run(again));
        assert.equal(memberAt(found, 'reference'), order.reference);
        return memberAt(found, 'items[].artwork_ready') === true;
      });

      const hit = await eventually('the event is forwarded', () => receiver.hits[0]);
      const secret = /whsec_\S+/.exec(listening)?.[0] ?? '';
      const { isGenuine } = await receiverOfReadme();
      assert.equal(isGenuine(secret, hit.headers, hit.body), true);
      assert.equal(memberAt(JSON.parse(hit.body.toString()), 'data.reference'), order.reference);
    });
  });
}

test('the receiver of README takes what is signed now with its secret, and nothing else', async () => {
  const { isGenuine } = await receiverOfReadme();
  const body = Buffer.from('{"event":"order.created","note":"é"}');
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
  const about = { event: 'order.created', eventId: 'evt_1', subscriptionId: 'whk_1', deliveryId: 'dlv_1', body };
  const headers = signedHeaders(secret, { ...about, at: new Date() });
  assert.equal(isGenuine(secret, headers, body), true);
  assert.equal(isGenuine('whsec_b3RoZXI=', headers, body), false);
  assert.equal(isGenuine(secret, headers, Buffer.from('{}')), false);
  assert.equal(isGenuine(secret, {}, body), false);
  const old = signedHeaders(secret, { ...about, at: new Date(Date.now() - 310_000) });
  assert.equal(isGenuine(secret, old, body), false);
});

type Receiver = {
  readonly isGenuine: (secret: string, headers: Readonly<Record<string, unknown>>, rawBody: Buffer) => boolean;
};

async function receiverOfReadme(): Promise<Receiver> {
  const code = examples.find(({ language }) => language === 'js')?.code ?? '';
  return (await import(`data:text/javascript,${encodeURIComponent(code)}`)) as Receiver;
}

/** The members that the list below an example names: each item begins with one. */
function membersNamed(section: string): readonly string[] {
  const text = readFileSync('README.md', 'utf8').split(`## ${section}\n`)[1]?.split('\n## ')[0] ?? '';
  const members = [...text.matchAll(/^- `([\w.[\]]+)`/gm)].map(([, member]) => member ?? '');
  assert.ok(members.length >= 4, 'the members were found');
  return members;
}
