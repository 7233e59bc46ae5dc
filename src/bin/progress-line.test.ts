import assert from 'node:assert/strict';
import { test } from 'node:test';
import { progressLine } from './progress-line.ts';

function open(isTTY: boolean) {
  let written = '';
  let nowMs = 0;
  const write = (text: string): boolean => {
    written += text;
    return true;
  };
  const progress = progressLine({ write, isTTY }, () => nowMs);
  return { progress, wait: (ms: number) => (nowMs += ms), taken: () => written.split('\r\u001B[K').join('|') };
}

test('a terminal has one line that is written anew', () => {
  const { progress, wait, taken } = open(true);
  progress.begin('Copying');
  progress.add(1_000_000_000, 4_000_000_000);
  wait(300);
  progress.add(500_000_000, 4_000_000_000);
  progress.begin('Verifying');
  progress.end();
  assert.equal(taken(), '|Copying|Copying: 1.50 GB of 4.00 GB|Verifying|');
});

test('a log has a line each half minute, and none of a short command', () => {
  const { progress, wait, taken } = open(false);
  progress.begin('Copying');
  progress.add(1_000_000_000);
  wait(29_000);
  progress.add(1_000_000_000);
  assert.equal(taken(), '');
  wait(2_000);
  progress.add(1_000_000_000);
  wait(29_000);
  progress.add(1_000_000_000);
  progress.end();
  assert.equal(taken(), 'Copying: 3.00 GB\n');
});
