import { median } from '../figures.ts';
import type { Subject } from './subject.ts';
import { type Sweep, sweeps, timedSweep } from './sweeps.ts';

/** What one thing takes at each size, in milliseconds. */
export type Compared = {
  readonly what: string;
  readonly ms: readonly number[];
  /** How many records each answered with, where it is a list. */
  readonly records: readonly (number | undefined)[];
};

/** The largest size over the smallest; one above is named. */
export const RATIO_MAX = 1.2;

type Timed = { readonly ms: number; readonly records?: number | undefined };
type Thing = { readonly what: string; readonly once: (subject: Subject) => Promise<Timed> };

const WARM_UPS = 3;
/** What takes less is asked several times in a round. */
const ROUND_MS = 30;
const IN_A_ROUND_MAX = 8;
/** What seems too slow is measured again, so many times as long: a busy machine is not the service. */
const AGAIN = 3;
/** What takes so long is measured once. */
const SLOW_MS = 2_000;
/** A list is read this deep, in pages of the most records. */
const PAGES_DEEP = 20;

export type Options = {
  readonly rounds: number;
  readonly only: readonly string[];
  readonly say: (line: string) => void;
};

/** Measures everything at every size, in turn, so that what slows the machine slows all sizes alike. */
export async function compareSizes(subjects: readonly Subject[], { rounds, only, say }: Options): Promise<Compared[]> {
  const things = [...(await readsOfAll(subjects)), ...changes(), ...sweeps().map(sweepThing)].filter(
    ({ what }) => only.length === 0 || only.some((word) => what.includes(word)),
  );
  const found: Compared[] = [];
  for (const [index, thing] of things.entries()) {
    let compared = await compareOne(thing, subjects, rounds);
    if (ratioOf(compared) > RATIO_MAX) compared = await compareOne(thing, subjects, rounds * AGAIN);
    found.push(compared);
    const times = compared.ms.map((ms) => ms.toFixed(2)).join(', ');
    say(`${index + 1} of ${things.length}: ${compared.what}: ${times} ms, ${ratioOf(compared).toFixed(2)}`);
  }
  return found;
}

/** The largest size over the smallest. */
export function ratioOf({ ms }: Compared): number {
  return (ms.at(-1) ?? Number.NaN) / (ms[0] ?? Number.NaN);
}

async function compareOne(thing: Thing, subjects: readonly Subject[], rounds: number): Promise<Compared> {
  const times: number[][] = subjects.map(() => []);
  const records: (number | undefined)[] = [];
  let slowest = 0;
  for (const [at, subject] of subjects.entries()) {
    for (let time = 0; time < WARM_UPS && slowest < SLOW_MS; time += 1) {
      const { ms, records: count } = await thing.once(subject);
      records[at] = count;
      slowest = Math.max(slowest, ms);
    }
  }
  for (let round = 0; round < (slowest < SLOW_MS ? rounds : 1); round += 1) {
    const order = round % 2 === 0 ? [...subjects.entries()] : [...subjects.entries()].toReversed();
    for (const [at, subject] of order) {
      const endsAt = performance.now() + ROUND_MS;
      for (let time = 0; time < IN_A_ROUND_MAX && (time === 0 || performance.now() < endsAt); time += 1) {
        times[at]?.push((await thing.once(subject)).ms);
      }
    }
  }
  return { what: thing.what, ms: times.map(median), records };
}

/** Every read, and of every list a page that lies deep. */
async function readsOfAll(subjects: readonly Subject[]): Promise<Thing[]> {
  const [first] = subjects;
  const things: Thing[] = [];
  for (const [index, { api, text, hasPages }] of (first?.reads ?? []).entries()) {
    const pathOf = (subject: Subject): string => subject.reads[index]?.path ?? '';
    const what = `${api} GET ${text}`;
    things.push({ what, once: (subject) => subject.send(api, 'GET', pathOf(subject)) });
    if (!hasPages) continue;
    const deep = new Map<Subject, string>();
    for (const subject of subjects) {
      const path = await deepOf(subject, api, pathOf(subject));
      if (path !== undefined) deep.set(subject, path);
    }
    // A list that is short at one size has no deep page to compare.
    if (deep.size < subjects.length) continue;
    things.push({ what: `${what}, deep`, once: (subject) => subject.send(api, 'GET', deep.get(subject) ?? '') });
  }
  return things;
}

/** A page far down a list, as long as a first page; undefined where the list ends before. */
async function deepOf({ send }: Subject, api: 'api' | 'ops', path: string): Promise<string | undefined> {
  const withQuery = (more: string): string => `${path}${path.includes('?') ? '&' : '?'}${more}`;
  let cursor: string | null = null;
  for (let page = 0; page < PAGES_DEEP; page += 1) {
    const next: string = cursor === null ? 'limit=100' : `limit=100&cursor=${encodeURIComponent(cursor)}`;
    const { text } = await send(api, 'GET', withQuery(next).replace('limit=100&limit=100', 'limit=100'));
    cursor = (JSON.parse(text) as { next_cursor: string | null }).next_cursor;
    if (cursor === null) return undefined;
  }
  return withQuery(`cursor=${encodeURIComponent(cursor ?? '')}`);
}

/** What writes: an estimate, an order, and the cancelling of one that was placed just before. */
function changes(): Thing[] {
  const place = (subject: Subject) => subject.send('api', 'POST', '/orders', subject.basket());
  return [
    {
      what: 'api POST /orders/estimate',
      once: (subject) => subject.send('api', 'POST', '/orders/estimate', subject.basket()),
    },
    { what: 'api POST /orders', once: place },
    {
      what: 'api POST /orders/{id}/cancel',
      once: async (subject) => {
        const { id } = JSON.parse((await place(subject)).text) as { id: string };
        return subject.send('api', 'POST', `/orders/${id}/cancel`);
      },
    },
    {
      what: 'ops POST /orders/{id}/promote',
      once: async (subject) => {
        const { id } = JSON.parse((await place(subject)).text) as { id: string };
        return subject.send('ops', 'POST', `/orders/${id}/promote`);
      },
    },
  ];
}

function sweepThing(sweep: Sweep): Thing {
  return { what: sweep.name, once: async ({ service }) => ({ ms: await timedSweep(service.ctx, sweep) }) };
}
