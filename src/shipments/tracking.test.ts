import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inOneLine, trackingNumberProblems, trackingUrlProblems } from './tracking.ts';

const URLS: readonly (readonly [url: string | null | undefined, isTaken: boolean])[] = [
  [undefined, true],
  [null, true],
  ['https://track.example/RM123', true],
  ['http://track.example/RM123?lang=en#last', true],
  ['HTTPS://TRACK.EXAMPLE/', true],
  ['', false],
  ['track.example/RM123', false],
  ['https://', false],
  ['ftp://track.example/RM123', false],
  ['javascript:alert(1)', false],
  ['xhttps://track.example/', false],
  ['https://user@track.example/', false],
  ['https://:secret@track.example/', false],
];
for (const [url, isTaken] of URLS) {
  test(`a tracking address of ${JSON.stringify(url) ?? 'none'} is ${isTaken ? 'taken' : 'refused'}`, () => {
    const problems = trackingUrlProblems(url === undefined ? {} : { tracking_url: url });
    assert.deepEqual(
      problems.map(({ path, code }) => [path, code]),
      isTaken ? [] : [['tracking_url', 'url']],
    );
  });
}

const NUMBERS: readonly (readonly [number: string, tracked: boolean, isTaken: boolean])[] = [
  ['RM123', true, true],
  ['RM123', false, true],
  ['', false, true],
  ['', true, false],
];
for (const [number, tracked, isTaken] of NUMBERS) {
  const service = tracked ? 'a tracked service' : 'a service without tracking';
  test(`a parcel by ${service} with the number "${number}" is ${isTaken ? 'taken' : 'refused'}`, () => {
    const problems = trackingNumberProblems(number, { service: 'Tracked 48', tracked });
    assert.deepEqual(
      problems.map(({ path, code }) => [path, code]),
      isTaken ? [] : [['tracking_number', 'required']],
    );
    for (const { message } of problems) assert.match(message, /Tracked 48/);
  });
}

test('a parcel stands in one line with its number, or with its carrier alone', () => {
  assert.equal(inOneLine({ carrier: 'Royal Mail', tracking_number: 'RM123' }), 'Royal Mail RM123');
  assert.equal(inOneLine({ carrier: 'Royal Mail', tracking_number: '' }), 'Royal Mail');
  assert.equal(inOneLine({ carrier: 'Royal Mail' }), 'Royal Mail');
});
