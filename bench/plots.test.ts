import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import sharp from 'sharp';
import { type Row, rowOf } from './figures.ts';
import { plotsOf } from './plots.ts';

const cost = { postgres: 1, mainThread: 0.5, service: 0.75, load: 0.25 };
const orders = rowOf(
  [
    { ours: 50, theirs: 100 },
    { ours: 80, theirs: 100 },
  ],
  {
    what: 'orders <of two lines> & more',
    unit: '/s',
    against: 'a bare statement',
    goal: { of: 'ratio', is: 'at least', value: 1, first: 0.6 },
    cost: { per: 'an order', ours: cost, theirs: { ...cost, mainThread: 0, service: 0 } },
  },
);
const latency: Row = {
  what: 'p99 of an order',
  unit: 'ms',
  ours: 25,
  goal: { of: 'ours', is: 'at most', value: 50 },
  quantiles: [
    { share: 0.5, ms: 5 },
    { share: 0.99, ms: 25 },
  ],
};

describe('plots', () => {
  const plots = plotsOf([orders, latency]);

  test('there is one of goals, of processor time and of latency', () => {
    assert.deepEqual(Object.keys(plots), ['goals', 'processor-time', 'latency']);
  });

  test('what no row is about has no plot', () => {
    assert.deepEqual(plotsOf([]), {});
    assert.deepEqual(Object.keys(plotsOf([{ what: 'deliveries', unit: '/s', ours: 1 }])), []);
    assert.deepEqual(Object.keys(plotsOf([{ ...latency, quantiles: undefined } as unknown as Row])), ['goals']);
  });

  test('a goal that is missed stands left of the line, one that is reached right of it, more or less wanted', () => {
    const dots = circlesOf(plots.goals ?? '');
    const goalAt = Number(/<path d="M([\d.]+) [\d.]+L[\d.]+ [\d.]+" class="text-line"/.exec(plots.goals ?? '')?.[1]);
    assert.deepEqual(
      dots.map(({ x, classes }) => [x < goalAt ? 'left' : 'right', classes]),
      [
        ['left', 'paper first-line'],
        ['right', 'reached reached-line'],
      ],
    );
  });

  test('the parts of processor time have lengths like their numbers', () => {
    const widths = [...(plots['processor-time'] ?? '').matchAll(/<rect .*width="([\d.]+)" height="16"/g)].map(
      ([, width]) => Number(width),
    );
    const [postgres = 0, mainThread = 0, other = 0, load = 0] = widths;
    const near = (a: number, b: number): boolean => Math.abs(a - b) < 0.3;
    assert.equal(widths.length, 8);
    assert.ok(near(postgres, 2 * mainThread) && near(mainThread, 2 * other) && near(other, load), widths.join(' '));
  });

  test('texts are escaped, colours follow the reader, and every plot can be drawn', async () => {
    assert.match(plots.goals ?? '', /orders &lt;of two lines&gt; &amp; more/);
    for (const [name, svg] of Object.entries(plots)) {
      assert.match(svg, /@media \(prefers-color-scheme: dark\)/, name);
      const { width, height } = await sharp(Buffer.from(svg)).metadata();
      assert.ok(width === 880 && (height ?? 0) > 100, name);
    }
  });

  test('a value that is no number is a fault, and draws nothing', () => {
    assert.throws(() => plotsOf([{ ...latency, ours: Number.NaN }]), /not a number/);
  });
});

function circlesOf(svg: string): { readonly x: number; readonly classes: string }[] {
  return [...svg.matchAll(/<circle cx="([\d.]+)".* class="([^"]+)"/g)].map(([, x, classes]) => ({
    x: Number(x),
    classes: classes ?? '',
  }));
}
