import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { eventually } from '../../test/harness/context.ts';
import { startDoors } from '../../test/harness/server-fixture.ts';
import { beginSpan, traceparentOf } from './trace-context.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = '00f067aa0ba902b7';
const GIVEN = `00-${TRACE}-${PARENT}-01`;

describe('a traceparent that is taken over', () => {
  const cases: readonly (readonly [what: string, header: string, flags: string])[] = [
    ['sampled', GIVEN, '01'],
    ['not sampled', `00-${TRACE}-${PARENT}-00`, '00'],
    ['sampled, with a random trace id', `00-${TRACE}-${PARENT}-03`, '03'],
    ['flags that the standard has set to zero', `00-${TRACE}-${PARENT}-fd`, '01'],
    ['a later version', `01-${TRACE}-${PARENT}-03`, '01'],
    ['a later version with more members', `cc-${TRACE}-${PARENT}-02-what-comes`, '00'],
  ];
  for (const [what, header, flags] of cases) {
    test(what, () => {
      const span = beginSpan(header);
      assert.deepEqual([span?.traceId, span?.flags], [TRACE, flags]);
      assert.match(span?.spanId ?? '', /^[0-9a-f]{16}$/);
      assert.notEqual(span?.spanId, PARENT);
      assert.equal(span && traceparentOf(span), `00-${TRACE}-${span?.spanId}-${flags}`);
    });
  }
});

describe('a traceparent that is ignored', () => {
  const cases: readonly (readonly [what: string, header: string | string[] | undefined])[] = [
    ['none', undefined],
    ['empty', ''],
    ['capitals', GIVEN.toUpperCase()],
    ['no such version', `ff-${TRACE}-${PARENT}-01`],
    ['a trace of zeros', `00-${'0'.repeat(32)}-${PARENT}-01`],
    ['a parent of zeros', `00-${TRACE}-${'0'.repeat(16)}-01`],
    ['more members than version 00 has', `${GIVEN}-more`],
    ['a later version without a hyphen before more', `01-${TRACE}-${PARENT}-01more`],
    ['too short', GIVEN.slice(0, -1)],
    ['a blank before it', ` ${GIVEN}`],
    ['two of them', `${GIVEN}, ${GIVEN}`],
    ['two of them, as a list', [GIVEN, GIVEN]],
    ['a text of 16 KiB', 'a'.repeat(16_000)],
  ];
  for (const [what, header] of cases) {
    test(what, () => {
      assert.equal(beginSpan(header), undefined);
    });
  }
});

test('a request in a trace is answered in it and logged with it; one without is answered as ever', async () => {
  const doors = await startDoors();
  try {
    // The line of a request is written once its response has gone.
    const ask = async (headers: Record<string, string>, path = '/orders') => {
      const before = countRequests();
      const reply = await fetch(doors.url + path, { headers });
      await reply.text();
      await eventually('its line in the log', () => countRequests() > before);
      return reply;
    };
    const countRequests = () => doors.log.filter(({ message }) => message === 'request').length;
    const reply = await ask({ traceparent: GIVEN, tracestate: 'vendor=secret', authorization: 'Bearer good' });
    const [, traceId, spanId, flags] = reply.headers.get('traceparent')?.split('-') ?? [];
    assert.deepEqual([reply.status, traceId, flags, reply.headers.get('tracestate')], [200, TRACE, '01', null]);
    const refusal = await ask({ traceparent: GIVEN });
    assert.equal(refusal.status, 401);
    assert.ok(refusal.headers.get('traceparent')?.startsWith(`00-${TRACE}-`));
    const without = await ask({ traceparent: 'nonsense', authorization: 'Bearer good' });
    assert.deepEqual([without.status, without.headers.has('traceparent')], [200, false]);
    const broken = await ask({ traceparent: GIVEN, authorization: 'Bearer good' }, '/broken');
    assert.equal(broken.status, 500);
    assert.deepEqual(
      doors.log.map(({ message, fields }) => [message, (fields as { trace_id?: string }).trace_id]),
      [
        ['request', TRACE],
        ['request', TRACE],
        ['request', undefined],
        ['request failed', TRACE],
        ['request', TRACE],
      ],
    );
    assert.ok(JSON.stringify(doors.log[0]?.fields).includes(`"span_id":"${spanId}"`));
    assert.ok(!JSON.stringify(doors.log).includes('vendor=secret'));
  } finally {
    await doors.drain(0);
  }
});
