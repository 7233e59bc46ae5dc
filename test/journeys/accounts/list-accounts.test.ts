import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { createAccount } from '../../../src/accounts/create-account.ts';
import type { OpsAccount } from '../../../src/accounts/ops-schema.ts';
import { parseId } from '../../../src/lib/ids.ts';
import type { Page } from '../../../src/lib/paging.ts';
import { openShop, problemsOf } from '../../harness/shop.ts';
import { assertSound, rows } from '../../harness/written.ts';
import { accountOf, closeCredits, creditByCommand, finance, openCredits, service } from '../payments/credits.ts';

before(openCredits);
after(closeCredits);
afterEach(() => assertSound(service));

describe('the list of accounts', () => {
  const list = async (query: string): Promise<Page<OpsAccount>> => {
    const answer = await finance.request<Page<OpsAccount>>('GET', `/accounts${query}`);
    assert.equal(answer.status, 200, answer.text);
    return answer.body;
  };
  const names = async (query: string): Promise<string[]> => (await list(query)).data.map(({ name }) => name);

  before(async () => {
    for (const name of ['Zebra Prints', 'zebra crossing', 'ZEBU', 'Zeb_ra%', 'Éclair', 'éclat', 'Zebra Prints']) {
      await createAccount(service.ctx, { name });
    }
  });

  test('by the beginning of the name, in any case, in the order of names; what stands for anything elsewhere stands for itself', async () => {
    const three = ['zebra crossing', 'Zebra Prints', 'Zebra Prints'];
    assert.deepEqual(await names('?name=zebra'), three);
    assert.deepEqual(await names('?name=ZEBRA'), three);
    assert.deepEqual(await names('?name=zebra%20p'), ['Zebra Prints', 'Zebra Prints']);
    assert.deepEqual(await names('?name=zeb'), ['Zeb_ra%', ...three, 'ZEBU']);
    assert.deepEqual(await names('?name=%C3%89CLA'), ['Éclair', 'éclat']);
    for (const name of ['zeb%25', 'zeb_', 'rints', 'zebra%20prints%20']) {
      assert.deepEqual(await names(`?name=${name}`), name === 'zeb_' ? ['Zeb_ra%'] : [], name);
    }
  });

  test('page by page, each account once, with its balance', async () => {
    const everyone = await rows<{ id: string }>(service, 'select id from account');
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const page: Page<OpsAccount> = await list(`?limit=2${cursor === null ? '' : `&cursor=${cursor}`}`);
      assert.ok(page.data.length <= 2);
      seen.push(...page.data.map(({ id }) => parseId('acct', id) ?? ''));
      cursor = page.next_cursor;
    } while (cursor !== null);
    assert.deepEqual(seen.toSorted(), everyone.map(({ id }) => id).toSorted());
    const shop = await openShop(service, 0);
    await creditByCommand(shop, 1_999, '');
    const { data } = await list('?name=another&limit=100');
    assert.equal(data.find(({ id }) => id === accountOf(shop))?.balance_gbp, 19.99);
  });

  test('every role may read it; a cursor that is none is 422', async () => {
    const viewer = await service.openOperator('viewer');
    assert.equal((await viewer.request('GET', '/accounts?limit=1')).status, 200);
    for (const query of ['cursor=ord_01h455vb4pex5vsknk084sn02q', 'limit=0', `name=${'x'.repeat(201)}`]) {
      const answer = await viewer.request('GET', `/accounts?${query}`);
      assert.deepEqual([answer.status, problemsOf(answer).length], [422, 1], answer.text);
    }
  });
});
