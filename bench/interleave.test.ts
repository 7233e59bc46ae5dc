import assert from 'node:assert/strict';
import { test } from 'node:test';
import { interleave } from './interleave.ts';

test('arms are measured in turn, in the opposite order every other round, after a short round that is not kept', async () => {
  const seen: string[] = [];
  const arm = (name: string) => async (seconds: number) => {
    seen.push(`${name} ${seconds}`);
    return seen.length;
  };
  const rounds: string[] = [];
  const results = await interleave(
    { ours: arm('ours'), theirs: arm('theirs') },
    { rounds: 3, seconds: 4, restMs: 0, onRound: (round, name, result) => rounds.push(`${round} ${name} ${result}`) },
  );
  const [warmUp, measured] = [seen.slice(0, 2), seen.slice(2)];
  assert.deepEqual(warmUp, ['ours 1', 'theirs 1']);
  assert.deepEqual(measured, ['ours 4', 'theirs 4', 'theirs 4', 'ours 4', 'ours 4', 'theirs 4']);
  assert.deepEqual(results, { ours: [3, 6, 7], theirs: [4, 5, 8] });
  assert.deepEqual(rounds, ['1 ours 3', '1 theirs 4', '2 theirs 5', '2 ours 6', '3 ours 7', '3 theirs 8']);
});

test('a fault of one arm ends the measure', async () => {
  const broken = async (): Promise<number> => {
    throw new Error('80 requests were refused');
  };
  await assert.rejects(interleave({ broken }, { rounds: 1, seconds: 1, restMs: 0 }), /80 requests were refused/);
});
