import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type FaultKind, FORBIDDEN, ShopFault } from '../platforms/shop-call.ts';
import { openApart } from './apart.ts';

/** `forbidden`: it knows who asks, and refuses this. */
type Answer = FaultKind | 'well' | 'forbidden' | 'a bug';

/** A sync of some things, each by how the shop answers it; which were put off, and as whose fault. */
async function sync(
  answers: readonly Answer[],
  probed: Answer = 'well',
): Promise<{ putOff: string[]; probes: number; thrown?: string }> {
  const putOff: string[] = [];
  const bugs: string[] = [];
  let probes = 0;
  const answer = async (kind: Answer): Promise<void> => {
    if (kind === 'a bug') throw new RangeError('half a piece');
    if (kind === 'forbidden') throw new ShopFault('refused', kind, undefined, FORBIDDEN);
    if (kind !== 'well') throw new ShopFault(kind, kind);
    apart.answered();
  };
  const apart = openApart(
    () => {
      probes += 1;
      return answer(probed);
    },
    ({ message }) => void bugs.push(message),
  );
  try {
    for (const [index, kind] of answers.entries()) {
      await apart.one(
        () => answer(kind),
        async (_fault, isItsOwn) => {
          putOff.push(`${index} ${isItsOwn ? 'its own' : "the shop's"}`);
        },
      );
    }
    await apart.settle();
    if (bugs.length > 0) putOff.push(`noted: ${bugs.join(', ')}`);
    return { putOff, probes };
  } catch (error) {
    await apart.end();
    assert.ok(error instanceof ShopFault);
    return { putOff, probes, thrown: error.kind };
  }
}

test('one thing that is answered badly is put off as its own fault, before or after the shop has answered', async () => {
  assert.deepEqual(await sync(['well', 'away', 'well'], 'away'), { putOff: ['1 its own'], probes: 0 });
  assert.deepEqual(await sync(['broken', 'well'], 'away'), { putOff: ['0 its own'], probes: 0 });
  assert.deepEqual(await sync(['well', 'broken'], 'away'), { putOff: ['1 its own'], probes: 0 });
  assert.deepEqual(await sync(['away']), { putOff: ['0 its own'], probes: 1 });
});

test('two in a row are their own fault where the shop answers something else, and the sync goes on', async () => {
  const found = await sync(['away', 'broken', 'well', 'away', 'away', 'away']);
  assert.deepEqual(found, { putOff: [0, 1, 3, 4, 5].map((index) => `${index} its own`), probes: 2 });
});

test('a shop that answers nothing else either is at fault itself', async () => {
  assert.deepEqual(await sync(['away'], 'broken'), { putOff: ["0 the shop's"], probes: 1, thrown: 'broken' });
  assert.deepEqual(await sync(['away', 'broken', 'well'], 'away'), {
    putOff: ["0 the shop's", "1 the shop's"],
    probes: 1,
    thrown: 'away',
  });
  const dying = await sync(['broken', 'well', 'away', 'away', 'well'], 'away');
  assert.deepEqual(dying, { putOff: ['0 its own', "2 the shop's", "3 the shop's"], probes: 1, thrown: 'away' });
});

test('one thing that the shop refuses is put off at once as its own fault: that is an answer', async () => {
  assert.deepEqual(await sync(['rejected', 'rejected', 'well'], 'away'), {
    putOff: ['0 its own', '1 its own'],
    probes: 0,
  });
});

test('one thing that the shop keeps from us, and lets us in, is put off as its own fault; it is asked once whether it does', async () => {
  assert.deepEqual(await sync(['forbidden', 'well', 'forbidden', 'forbidden']), {
    putOff: ['0 its own', '2 its own', '3 its own'],
    probes: 1,
  });
});

test('a shop that lets us in no more, or asks us to wait, is not asked for the next thing', async () => {
  assert.deepEqual(await sync(['busy', 'well']), { putOff: [], probes: 0, thrown: 'busy' });
  assert.deepEqual(await sync(['refused', 'well']), { putOff: [], probes: 0, thrown: 'refused' });
  for (const kind of ['refused', 'busy', 'away'] as const) {
    assert.deepEqual(await sync(['forbidden', 'well'], kind), { putOff: [], probes: 1, thrown: kind });
  }
});

test('one thing that fails by a bug of ours is put off and noted, and stops no other', async () => {
  assert.deepEqual(await sync(['a bug', 'well', 'a bug']), {
    putOff: ['0 its own', '2 its own', 'noted: half a piece, half a piece'],
    probes: 0,
  });
});
