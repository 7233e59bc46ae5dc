import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { call } from '../../harness/portal.ts';
import { type Entrance, openEntrance } from './sign-ups.ts';

let entrance: Entrance;
before(async () => {
  entrance = await openEntrance('approval');
});
after(() => entrance.close());

test('a link says what it is for, any number of times; one that there is not is 404', async () => {
  const token = await entrance.tokenFor('a@shop.example');
  const headers = { origin: entrance.service.url };
  const read = (text: string) =>
    call<object>(entrance.service, 'POST', '/portal/api/v1/sign-ups/read', { body: { token: text }, headers });
  for (let time = 0; time < 2; time += 1) {
    assert.deepEqual((await read(token)).body, {
      email: 'a@shop.example',
      name: 'Ada',
      company: 'Byron Ltd',
      needs_approval: true,
    });
  }
  for (const wrong of ['x', 'x'.repeat(43)]) assert.equal((await read(wrong)).status, 404);
});
