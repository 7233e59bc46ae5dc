import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { describe, test } from 'node:test';
import { plotsOf } from './plots.ts';
import { RESULTS_FILE, type Results, sectionBetweenMarks, sectionOf, TABLE_FILE, withSection } from './results.ts';

describe('what npm run bench -- --plots has written', () => {
  // None before the first such run.
  const results = existsSync(RESULTS_FILE) ? (JSON.parse(readFileSync(RESULTS_FILE, 'utf8')) as Results) : undefined;
  const document = readFileSync(TABLE_FILE, 'utf8');

  test('each plot is drawn from the rows of its run, and there is no other', () => {
    const drawn = plotsOf(results?.rows ?? []);
    const found = globSync('docs/plots/*.svg').map((path) => basename(path, '.svg'));
    assert.deepEqual(found.toSorted(), Object.keys(drawn).toSorted());
    for (const [name, svg] of Object.entries(drawn)) assert.equal(readFileSync(`docs/plots/${name}.svg`, 'utf8'), svg);
  });

  test('the document has the tables and the plots of the same run', () => {
    const section = sectionBetweenMarks(document);
    if (results === undefined) assert.doesNotMatch(section, /plots\//);
    else assert.equal(section, sectionOf(results));
  });
});

describe('the section of the document', () => {
  const marks = ['<!-- written by npm run bench -- --plots -->', '<!-- end of what npm run bench wrote -->'];
  const document = `before\n${marks.join('\n\nold\n\n')}\nafter\n`;

  test('it is what stands between two marks, and what stands around them stays', () => {
    const written = withSection(document, 'new');
    assert.equal(sectionBetweenMarks(document), 'old');
    assert.equal(written, `before\n${marks.join('\n\nnew\n\n')}\nafter\n`);
    assert.equal(withSection(written, 'new'), written);
    assert.equal(withSection(`${marks.join('\n')}\n`, 'new'), `${marks.join('\n\nnew\n\n')}\n`);
  });

  test('a document without the two marks in their order is refused', () => {
    for (const wrong of ['# Scaling\n', marks[0] ?? '', marks.toReversed().join('\n')]) {
      assert.throws(() => withSection(wrong, 'new'), /lacks/);
      assert.throws(() => sectionBetweenMarks(wrong), /lacks/);
    }
  });

  const of = (loadAverage: number): string =>
    sectionOf({
      command: 'npm run bench -- --plots',
      takenOn: '2026-11-30',
      machine: { processors: 2, model: 'a processor', loadAverage },
      rounds: 5,
      seconds: 4,
      rows: [
        { what: 'memory', unit: 'MB', ours: 119, goal: { of: 'ours', is: 'at most', value: 120 } },
        { what: 'deliveries', unit: '/s', ours: 10 },
      ],
    });

  test('it says so when the machine had other work', () => {
    assert.match(of(0.5), /Other work ran on the machine/);
    assert.doesNotMatch(of(0.4), /Other work/);
  });

  test('it says how it was taken, and names each plot', () => {
    const section = of(0.12);
    assert.match(section, /^Taken on 2026-11-30 by `npm run bench -- --plots`, 5 rounds of 4 s each, on 2 processors/);
    assert.match(section, /the load average was 0\.1 before it began/);
    assert.match(section, /^\| memory \| 119 MB \|.*\| ≤ 120 MB \| yes \|$/m);
    assert.deepEqual(section.match(/!\[.*/g), ['![How near each goal is](plots/goals.svg)']);
  });
});
