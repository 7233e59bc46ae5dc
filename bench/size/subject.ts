import { createOauthClient } from '../../src/accounts/create-oauth-client.ts';
import { mintToken } from '../../src/accounts/mint-token.ts';
import { closeDays } from '../../src/billing/close-days.ts';
import { SCOPES } from '../../src/lib/caller.ts';
import { newId, parseId, publicId, type Uuid } from '../../src/lib/ids.ts';
import type { TestDatabase } from '../../test/harness/database.ts';
import type { TestService } from '../../test/harness/service.ts';
import { HOME } from '../../test/harness/shop.ts';
import { untilDone } from './model.ts';
import { type Api, type ReadyRead, readsOf, type Samples, samplesOf } from './reads.ts';
import type { SizedServer } from './server.ts';

/** A service on a database of one size, and what is asked of it. */
export type Subject = {
  readonly orders: number;
  readonly service: TestService;
  readonly reads: readonly ReadyRead[];
  /** Sends a request; throws unless it is answered with 200 or 201. */
  readonly send: (api: Api, method: string, path: string, body?: object) => Promise<Sent>;
  /** The body of an order of the largest account. */
  readonly basket: () => object;
  readonly close: () => Promise<void>;
};

type Sent = {
  readonly ms: number;
  readonly bytes: number;
  readonly records: number | undefined;
  readonly text: string;
};

/** Opens a service on a database, with a few rows of what no order brings: an entry, a journal, an app, an erasure. */
export async function openSubject(server: SizedServer, orders: number, database: TestDatabase): Promise<Subject> {
  const service = await server.serve(database);
  const client = await server.connect(database.address.database);
  try {
    const samples = await samplesOf(client);
    const accountId = parseId('acct', samples.account ?? '') as Uuid;
    const { token } = await mintToken(service.ctx, { accountId, scopes: SCOPES });
    const operator = await service.openOperator('admin');
    const send: Subject['send'] = async (api, method, path, body) => {
      const [origin, bearer] =
        api === 'api' ? [`${service.url}/api/v1`, token] : [`${service.url}/ops/v1`, operator.token];
      const startedAt = performance.now();
      const response = await fetch(origin + path, {
        method,
        headers: {
          authorization: `Bearer ${bearer}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...(api === 'ops' && method !== 'GET' ? { 'idempotency-key': newId() } : {}),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      const ms = performance.now() - startedAt;
      if (![200, 201].includes(response.status)) {
        throw new Error(
          `${method} ${path} at ${orders} orders was answered with ${response.status}: ${text.slice(0, 300)}`,
        );
      }
      return { ms, bytes: text.length, records: recordsOf(text), text };
    };
    await untilDone(async () => (await closeDays(service.ctx)) > 0);
    const more = await addWhatOrdersDoNot(service, accountId, samples, send);
    const basket = (): object => ({
      items: [{ product_id: samples.product, variant_sku: samples.sku, quantity: 1, print_jobs: [] }],
      shipping_address: HOME,
      external_reference: `MEASURED-${newId()}`,
    });
    return { orders, service, reads: readsOf({ ...samples, ...more }), send, basket, close: () => service.stop() };
  } finally {
    await client.end();
  }
}

function recordsOf(text: string): number | undefined {
  if (!text.startsWith('{"data":[')) return undefined;
  return (JSON.parse(text) as { data: unknown[] }).data.length;
}

async function addWhatOrdersDoNot(
  service: TestService,
  accountId: Uuid,
  samples: Samples,
  send: Subject['send'],
): Promise<Samples> {
  const bodyOf = async <Body>(path: string, body: object): Promise<Body> =>
    JSON.parse((await send('ops', 'POST', path, body)).text) as Body;
  const entry = await bodyOf<{ id: string }>('/books/entries', {
    kind: 'payout',
    method: 'card',
    amount_gbp: 100,
    fees_gbp: 1.7,
    reference: newId(),
    reason: 'as on the statement',
  });
  const journals = JSON.parse((await send('ops', 'GET', '/books/journals')).text) as { data: { to: string }[] };
  const from = samples.day ?? '';
  if (journals.data.length === 0) await bodyOf('/books/journals', { from, to: from });
  const { id: client } = await createOauthClient(service.ctx, {
    accountId,
    name: 'Measured',
    redirectUris: ['https://app.example.test/back'],
    isConfidential: true,
  });
  await send('ops', 'PATCH', `/accounts/${samples.account}/billing`, {
    legal_name: 'Shop 1 Ltd',
    address: { line1: '1 High Street', city: 'Leeds', postcode: 'LS1 1AA', country_code: 'GB' },
  });
  const erasure = await bodyOf<{ id: string }>(`/accounts/${samples.account}/erase`, {
    order: samples.toErase,
    reason: 'asked',
  });
  const since = new Date(Date.now() - 3_600_000).toISOString();
  const replays = `/webhooks/${samples.webhook}/replays`;
  const { data } = JSON.parse((await send('api', 'GET', replays)).text) as { data: { id: string; status: string }[] };
  // A database that is kept has the one of before.
  let replay = data.find(({ status }) => status === 'paused');
  if (replay === undefined) {
    const begun = await send('api', 'POST', `/webhooks/${samples.webhook}/replay`, { since });
    ({ replay } = JSON.parse(begun.text) as { replay: { id: string; status: string } });
    await send('api', 'PATCH', `${replays}/${replay.id}`, { status: 'paused' });
  }
  return {
    replay: replay.id,
    entry: entry.id,
    journal: journals.data[0]?.to ?? from,
    client: publicId('client', client),
    erasure: erasure.id,
  };
}
