import { randomInt } from 'node:crypto';

// How many histories are lived and how long they are. A history hangs on its seed alone:
//   PLATEN_MODEL_SEED=…    begins with this seed, and lives that one history unless told otherwise
//   PLATEN_MODEL_SEEDS=…   so many seeds, one after the other, in place of 2
//   PLATEN_MODEL_STEPS=…   so many steps of each in place of 400
//   PLATEN_NIGHTLY=1       100 seeds of 10,000 steps, which takes hours: node --test test/model/history.test.ts

const { PLATEN_MODEL_SEED, PLATEN_MODEL_SEEDS, PLATEN_MODEL_STEPS, PLATEN_NIGHTLY } = process.env;
const isNightly = PLATEN_NIGHTLY === '1';
const given = PLATEN_MODEL_SEED === undefined ? undefined : Number(PLATEN_MODEL_SEED);

export const STEPS = Number(PLATEN_MODEL_STEPS ?? (isNightly ? 10_000 : 400));

const count = Number(PLATEN_MODEL_SEEDS ?? (given !== undefined ? 1 : isNightly ? 100 : 2));
const first = given ?? randomInt(2 ** 30);

/** The seeds of the histories, in the order in which they are lived. */
export const SEEDS: readonly number[] = Array.from({ length: count }, (_, index) => first + index);
