import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { describeFailure } from '../../src/bin/report.ts';
import { type Ending, howItEnded } from '../harness/how-it-ended.ts';
import { runPlaten } from '../harness/process.ts';

// No message of a command or of a test ends with the word that something failed: it says why.

describe('a process that failed is reported with its reason', () => {
  const ending = { status: null, signal: null, stderr: '', ms: 1_200, timeoutMs: 20_000 } as const;
  const cases: readonly (readonly [what: string, ending: Ending, expected: string])[] = [
    ['its own line', { ...ending, status: 1, stderr: 'platen: the disk is full\n' }, 'platen: the disk is full'],
    ['no line', { ...ending, status: 1 }, 'ended with status 1 after 1.2 s and said nothing'],
    ['killed by another', { ...ending, signal: 'SIGKILL' }, 'was ended by SIGKILL after 1.2 s. It had said nothing.'],
    [
      'killed for its time, as on a busy machine',
      { ...ending, signal: 'SIGTERM', ms: 31_000 },
      'was ended by SIGTERM after 31.0 s, since it had not ended within 20 s. It had said nothing.',
    ],
    [
      'killed after it had said something',
      { ...ending, signal: 'SIGTERM', ms: 20_000, stderr: 'waiting\n' },
      'was ended by SIGTERM after 20.0 s, since it had not ended within 20 s. It had said: waiting',
    ],
  ];
  for (const [what, of, expected] of cases) {
    test(what, () => {
      assert.equal(howItEnded(of), expected);
    });
  }

  test('a command that the tests end for its time', async () => {
    const { status, stderr } = await runPlaten(['seed', 'demo'], {}, '', 1);
    assert.equal(status, null);
    assert.match(
      stderr,
      /^platen seed demo was ended by SIGKILL after \S+ s, since it had not ended within 0\.001 s\. /,
    );
  });
});

test('the one line of a command has the reasons of a database that refuses every connection', () => {
  const reason = 'connect ECONNREFUSED ::1:5432';
  const refused = new AggregateError([new Error(reason)]);
  assert.equal(describeFailure(refused), reason);
  assert.equal(describeFailure(new Error('not migrated', { cause: refused })), `not migrated (${reason})`);
});

describe('no text of an error stops at the word "failed"', () => {
  const BARE = /new \w*Error\(\s*(['"`])(?:(?!\1)[^\n])*\bfailed[.!]?\1\s*[,)]|\? 'failed' :|: 'failed'\}/g;
  test('in commands, the demo and what tests share', () => {
    const files = globSync('{src/bin,demo,bench,test/harness,packages/*/src}/**/*.ts').toSorted();
    assert.ok(files.length > 60, 'the sources were read');
    assert.deepEqual(
      files.flatMap((path) => [...readFileSync(path, 'utf8').matchAll(BARE)].map(([text]) => `${path}: ${text}`)),
      [],
    );
  });
  test('such texts are found', () => {
    const bare = [
      "new Error('the seed failed')",
      'new UsageError(`the command failed.`, {',
      "line === '' ? 'failed' : line",
    ];
    assert.deepEqual(
      bare.filter((text) => [...text.matchAll(BARE)].length === 0),
      [],
    );
    assert.deepEqual(['new Error(`it failed: the disk is full`)', "kind: 'failed',"].join('\n').match(BARE), null);
  });
});
