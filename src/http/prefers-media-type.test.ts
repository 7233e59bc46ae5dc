import assert from 'node:assert/strict';
import { test } from 'node:test';
import { prefersMediaType } from './prefers-media-type.ts';

const CASES: readonly (readonly [string | undefined, boolean])[] = [
  [undefined, false],
  ['', false],
  ['*/*', false],
  ['application/*', false],
  ['application/json', false],
  ['application/pdf', true],
  ['Application/PDF', true],
  ['application/pdf, */*', true],
  ['text/html, application/pdf;q=0.5', true],
  ['application/pdf;q=0', false],
  ['application/pdf;q=nonsense', false],
  ['application/json, application/pdf', false],
  ['application/pdf, application/json', true],
  ['application/json;q=0.5, application/pdf', true],
  ['application/pdf;q=0.5, application/json', false],
  ['application/pdf;q=0.5, */*', false],
  ['application/pdf;level=1', false],
  ['application/json;q=0.9, */*', false],
  ['application/json;q=0.5, application/*', false],
  ['application/json;q=0, */*', false],
];

test('an Accept header gets a PDF when it names it and does not rather want JSON', () => {
  for (const [accept, expected] of CASES) assert.equal(prefersMediaType(accept, 'application/pdf'), expected, accept);
});
