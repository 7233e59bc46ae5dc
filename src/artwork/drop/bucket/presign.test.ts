import assert from 'node:assert/strict';
import { test } from 'node:test';
import { presign } from './presign.ts';

test('an address is signed as the example of the store’s maker says', () => {
  // "Authenticating Requests: Using Query Parameters", Amazon S3 API Reference.
  const bucket = {
    url: 'https://examplebucket.s3.amazonaws.com',
    region: 'us-east-1',
    prefix: 'drop/',
    keyId: 'AKIAIOSFODNN7EXAMPLE',
    secret: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  };
  const now = new Date('2013-05-24T00:00:00.000Z');
  assert.equal(
    presign(bucket, { method: 'GET', key: 'test.txt', seconds: 86_400, now }),
    'https://examplebucket.s3.amazonaws.com/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404',
  );
});

test('a bucket in the path, its port and the headers of the request are part of what is signed', () => {
  const bucket = { url: 'https://store.example:8443/prints', region: 'auto', prefix: 'drop/', keyId: 'k', secret: 's' };
  const now = new Date('2026-01-02T03:04:05.678Z');
  const at = (headers: Record<string, string>): string =>
    presign(bucket, { method: 'PUT', key: 'drop/a b(1).png', headers, seconds: 60, now });
  const url = new URL(at({ 'content-type': 'image/png', 'content-length': '7' }));
  assert.equal(url.origin + url.pathname, 'https://store.example:8443/prints/drop/a%20b%281%29.png');
  assert.equal(url.searchParams.get('X-Amz-SignedHeaders'), 'content-length;content-type;host');
  assert.equal(url.searchParams.get('X-Amz-Date'), '20260102T030405Z');
  const signature = (headers: Record<string, string>): string | null =>
    new URL(at(headers)).searchParams.get('X-Amz-Signature');
  assert.notEqual(
    signature({ 'content-type': 'image/png', 'content-length': '7' }),
    signature({ 'content-type': 'image/png', 'content-length': '8' }),
  );
});
