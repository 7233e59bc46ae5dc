import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId, publicId } from '../lib/ids.ts';
import { envelope } from './envelope.ts';

test('the body of a delivery is id, event, created_at, data and sequence, with the data byte for byte as recorded (6.2 id, 6.2 event, 6.2 created_at, 6.2 data)', () => {
  const id = newId();
  const data = '{ "total":15.980, "reference":"PF-\\u00e9é" }';
  const body = envelope({ id, event: 'order.created', createdAt: new Date(1_790_000_000_123), data, sequence: 3 });
  assert.equal(
    body.toString(),
    `{"id":"${publicId('evt', id)}","event":"order.created","created_at":"2026-09-21T14:13:20.123Z","data":${data},"sequence":3}`,
  );
  assert.deepEqual(Object.keys(JSON.parse(body.toString())), ['id', 'event', 'created_at', 'data', 'sequence']);
});
