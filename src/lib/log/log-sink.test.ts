import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, readFileSync, readSync, rmSync, write } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { eventually } from '../../../test/harness/context.ts';
import { openLogSink } from './log-sink.ts';

const folder = mkdtempSync(join(tmpdir(), 'platen-log-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const LINES = 20_000;
const BOUND = 200_000;
const line = (at: number): string => `${JSON.stringify({ at, text: 'x'.repeat(90) })}\n`;

/** A pipe that is read only when asked to. */
function openPipe(name: string): { fd: number; readSome: () => string; close: () => void } {
  const path = join(folder, name);
  execFileSync('mkfifo', [path]);
  const fd = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
  const buffer = Buffer.alloc(1024 * 1024);
  const readSome = (): string => {
    try {
      return buffer.toString('utf8', 0, readSync(fd, buffer));
    } catch {
      return '';
    }
  };
  return { fd, readSome, close: () => closeSync(fd) };
}

test('N216 lines that nobody reads are kept up to a bound and then dropped; once somebody reads, it is said how many', async () => {
  const pipe = openPipe('blocked');
  const sink = openLogSink(pipe.fd, BOUND);
  for (let at = 0; at < LINES; at += 1) {
    sink.write(line(at));
    // As in life, where lines come one request after the other.
    if (at % 100 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  let text = '';
  await eventually('what was kept has been read, and the count of the rest', () => {
    text += pipe.readSome();
    return /"dropped":\d+[^\n]*\n$/.test(text);
  });
  sink.write(line(LINES));
  await eventually('the log goes on', () => {
    text += pipe.readSome();
    return text.endsWith(line(LINES));
  });
  const rows = text
    .trimEnd()
    .split('\n')
    .map((row) => JSON.parse(row) as { at?: number; dropped?: number });
  const kept = rows.flatMap(({ at }) => at ?? []);
  const dropped = rows.reduce((sum, row) => sum + (row.dropped ?? 0), 0);
  assert.deepEqual(
    kept,
    [...kept].sort((a, b) => a - b),
    'in order, none twice',
  );
  assert.equal(new Set(kept).size + dropped, LINES + 1);
  assert.ok(text.length < 3 * BOUND, `${text.length} characters were kept`);
  pipe.close();
});

test('a log into a file loses no line, whatever comes at once', async () => {
  const path = join(folder, 'file.log');
  const fd = openSync(path, 'a');
  const sink = openLogSink(fd);
  let expected = '';
  for (let at = 0; at < LINES; at += 1) {
    sink.write(line(at));
    expected += line(at);
  }
  await eventually('all is written', () => readFileSync(path, 'utf8').length === expected.length);
  assert.equal(readFileSync(path, 'utf8'), expected);
  sink.write(line(1));
  sink.end();
  await eventually('the last line is written at the end', () => readFileSync(path, 'utf8') === expected + line(1));
  closeSync(fd);
});

test('a full disk under the log costs its lines and nothing else', { skip: process.platform !== 'linux' }, async () => {
  const fd = openSync('/dev/full', 'w');
  const sink = openLogSink(fd, BOUND);
  for (let at = 0; at < 100; at += 1) {
    sink.write(line(at));
    await new Promise((resolve) => setImmediate(resolve));
  }
  // Once writes of our own have failed behind those of the sink, none of them is under way.
  const probe = promisify(write);
  for (let round = 0; round < 10; round += 1) await assert.rejects(probe(fd, 'probe'), { code: 'ENOSPC' });
  // There is room again, behind the same number: the log goes on, and what was lost stays lost.
  closeSync(fd);
  const path = join(folder, 'room-again.log');
  assert.equal(openSync(path, 'a'), fd);
  sink.write(line(100));
  sink.write(line(101));
  await eventually('the log goes on', () => readFileSync(path, 'utf8') === line(100) + line(101));
  sink.end();
  assert.equal(readFileSync(path, 'utf8'), line(100) + line(101));
  closeSync(fd);
});

test('the end of the process does not wait for a reader of the log', () => {
  const pipe = openPipe('full');
  const sink = openLogSink(pipe.fd, BOUND);
  for (let at = 0; at < LINES; at += 1) sink.write(line(at));
  sink.end();
  assert.ok(pipe.readSome().length > 0);
  pipe.close();
});
