import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import { test } from 'node:test';
import { eventually } from '../../../test/harness/context.ts';
import type { Uuid } from '../../lib/ids.ts';
import type { Asker } from '../../lib/turns/owner.ts';
import { createAdmission } from './admission.ts';
import { createPlace } from './place.ts';

test('a request whose client has gone says so, whichever way it is asked', async () => {
  const askers: Asker[] = [];
  const admission = createAdmission();
  const server = createServer((_request, response) => {
    const kind = { owner: 'account' as Uuid, route: {}, isRead: true, urgent: false };
    askers.push(createPlace(admission, kind, response).asker);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.write('GET / HTTP/1.1\r\nhost: test\r\n\r\n');
  await eventually('the request is there', () => askers.length === 1);
  const [asker] = askers;
  assert.deepEqual([asker?.hasGone?.(), asker?.signal?.aborted], [false, false]);
  client.destroy();
  await eventually('the client is missed', () => asker?.hasGone?.() === true);
  await eventually('the signal aborts', () => asker?.signal?.aborted === true);
  server.close();
});
