import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { parseSchedstat, parseStat } from './processes.ts';
import { costOfEach, openProcessorClock } from './processor-clock.ts';
import { processorTime, processorTimeOfAll } from './processor-time.ts';

const MS = 1_000_000;

describe('what Linux says of a thread', () => {
  test('the first number of schedstat is the nanoseconds on a processor', () => {
    assert.equal(parseSchedstat('1234567890 11 22\n'), 1_234.56789);
    for (const text of ['', '12\n', '12 13\n', 'a b c\n', '-1 2 3\n']) {
      assert.throws(() => parseSchedstat(text), /schedstat/, JSON.stringify(text));
    }
  });

  test('the parent and the start of a process are read, whatever its name is', () => {
    const rest = `S 41 ${Array.from({ length: 17 }, (_, index) => index).join(' ')} 987654 0 0`;
    for (const name of ['node', 'a b', 'x) S 7 (y']) {
      assert.deepEqual(parseStat(`42 (${name}) ${rest}\n`), { parent: 41, startedAt: '987654', endedMs: 230 }, name);
    }
    assert.throws(() => parseStat('42 (node) S 41'), /stat/);
  });
});

describe('the processor time of parts', () => {
  const proc = mkdtempSync(join(tmpdir(), 'platen-proc-'));
  after(() => rmSync(proc, { recursive: true, force: true }));

  const write = (pid: number, parent: number, threads: Readonly<Record<number, number>>, startedAt = 1): void => {
    const between = Array.from({ length: 17 }, () => 0).join(' ');
    mkdirSync(join(proc, String(pid)), { recursive: true });
    writeFileSync(join(proc, String(pid), 'stat'), `${pid} (part) S ${parent} ${between} ${startedAt} 0`);
    for (const [thread, ms] of Object.entries(threads)) {
      mkdirSync(join(proc, String(pid), 'task', thread), { recursive: true });
      writeFileSync(join(proc, String(pid), 'task', thread, 'schedstat'), `${ms * MS} 0 0\n`);
    }
  };

  test('it is that of all threads, with the children, between two readings', () => {
    mkdirSync(join(proc, 'self'), { recursive: true });
    writeFileSync(join(proc, 'self', 'schedstat'), '1 2 3\n');
    // A postmaster with two backends, one of which has the smaller number; a service of three threads; the load.
    write(100, 1, { 100: 50 });
    write(50, 100, { 50: 500 });
    write(101, 100, { 101: 900 }, 7);
    write(200, 1, { 200: 1_000, 201: 10, 202: 20 });
    write(300, 1, { 300: 5 });
    write(999, 1, { 999: 5 });
    const clock = openProcessorClock(proc);
    const spent = clock?.({ postgres: [100], service: [200], load: [300] });
    write(100, 1, { 100: 51 });
    write(50, 100, { 50: 540 });
    // The number of a backend that has ended comes again.
    write(101, 100, { 101: 3 }, 8);
    write(102, 100, { 102: 4 });
    write(200, 1, { 200: 1_100, 201: 12, 202: 20 });
    write(300, 1, { 300: 105 });
    write(999, 1, { 999: 5_000 });
    assert.deepEqual(spent?.(), { postgres: 1 + 40 + 3 + 4, mainThread: 100, service: 102, load: 100 });
  });

  test('a process that is not there spends nothing', () => {
    const spent = openProcessorClock(proc)?.({ postgres: [12_345], service: [], load: [] });
    assert.deepEqual(spent?.(), { postgres: 0, mainThread: 0, service: 0, load: 0 });
  });

  test('where the system does not count there is no clock', () => {
    assert.equal(openProcessorClock(join(proc, 'none')), undefined);
  });

  test('it is divided among what was done', () => {
    const cost = { postgres: 100, mainThread: 50, service: 80, load: 20 };
    assert.deepEqual(costOfEach(cost, 10), { postgres: 10, mainThread: 5, service: 8, load: 2 });
  });

  test('the clock of this machine goes forward while a thread computes', { skip: process.platform !== 'linux' }, () => {
    const spent = openProcessorClock()?.({ postgres: [], service: [process.pid], load: [] });
    for (const before = process.threadCpuUsage(); process.threadCpuUsage(before).user < 50_000; );
    const cost = spent?.();
    assert.ok(cost !== undefined && cost.mainThread >= 40 && cost.service >= cost.mainThread, JSON.stringify(cost));
  });

  test('what a child has used counts once it has ended, too', { skip: process.platform !== 'linux' }, () => {
    const before = { own: processorTime(process.pid), all: processorTimeOfAll(process.pid) };
    const busy = 'for (const before = process.cpuUsage(); process.cpuUsage(before).user < 200_000; );';
    execFileSync(process.execPath, ['-e', busy]);
    const used = {
      own: processorTime(process.pid).all - before.own.all,
      all: processorTimeOfAll(process.pid).all - before.all.all,
    };
    assert.ok(used.all - used.own >= 0.19, JSON.stringify(used));
  });
});
