import { setTimeout as delay } from 'node:timers/promises';

/** What is measured in turn, by name. A round of it lasts for so many seconds. */
export type Arms<Name extends string, Result> = Readonly<Record<Name, (seconds: number) => Promise<Result>>>;

/** How often and how long each is measured. */
export type Turns<Result> = {
  readonly rounds: number;
  readonly seconds: number;
  /** Called after each round of each arm. */
  readonly onRound?: (round: number, name: string, result: Result) => void;
  /** What an arm left behind is worked off for so long, before the next. */
  readonly restMs?: number;
};

const REST_MS = 300;
const WARM_UP_SECONDS_MAX = 1;

/**
 * Measures the arms in turn, round by round, in the opposite order every other round.
 * So what changes slowly, such as the speed of the machine and the size of the tables, changes all of them alike. Each
 * arm has a short round before, which is not kept.
 */
export async function interleave<Name extends string, Result>(
  arms: Arms<Name, Result>,
  { rounds, seconds, onRound = () => {}, restMs = REST_MS }: Turns<Result>,
): Promise<Record<Name, Result[]>> {
  const names = Object.keys(arms) as Name[];
  const results = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<Name, Result[]>;
  for (const name of names) await arms[name](Math.min(seconds / 2, WARM_UP_SECONDS_MAX));
  for (let round = 1; round <= rounds; round += 1) {
    for (const name of round % 2 === 1 ? names : names.toReversed()) {
      await delay(restMs);
      const result = await arms[name](seconds);
      results[name].push(result);
      onRound(round, name, result);
    }
  }
  return results;
}
