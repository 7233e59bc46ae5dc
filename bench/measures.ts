import { type Goal, median, type Quantile, type Row, type Round as RowRound, rowOf } from './figures.ts';
import { type Arms, interleave, type Turns } from './interleave.ts';
import type { LoadRound } from './load.ts';
import type { Parts, Work } from './parts.ts';
import type { Cost } from './processor-clock.ts';

/** Something that `--only` chooses; all measures share one service and one database. */
export type Measure = {
  readonly name: string;
  readonly about: string;
  readonly run: (parts: Parts, turns: Turns<Work>) => Promise<readonly Row[]>;
};

const ACCOUNTS = 32;
const CLIENTS = 32;
/** More pages at once than an account may have are an overload, which the service refuses a part of. */
const CLIENTS_FOR_PAGES = 8;
const ORDER = { kind: 'orders', clients: CLIENTS, accounts: ACCOUNTS, lines: 2 } as const;

/** The measures in the order of the table. */
export const MEASURES: readonly Measure[] = [
  { name: 'orders', about: 'paid orders over HTTP against the bare statement, 32 accounts', run: orders },
  { name: 'placing', about: 'the placing function alone, in batches, against the bare statement', run: placing },
  { name: 'one-account', about: 'all orders on one account against the bare statement', run: oneAccount },
  { name: 'latency', about: 'p99 of an order at 400 orders a second, open loop', run: latency },
  { name: 'estimates', about: 'estimates against orders', run: estimates },
  { name: 'read', about: 'one order read against a bare server with the same query', run: read },
  { name: 'page', about: 'a page of 25 orders against the same SQL alone', run: page },
  { name: 'lines', about: 'a line of an order of 1,000 lines against a line of one of 10', run: lines },
];

async function orders(parts: Parts, turns: Turns<Work>): Promise<Row[]> {
  const results = await interleave(
    {
      ours: (seconds) => parts.drive({ ...ORDER, seconds }),
      theirs: (seconds) => parts.bare({ kind: 'rows', seconds, accounts: ACCOUNTS }),
    },
    turns,
  );
  const what = `paid orders of two lines over HTTP, ${ACCOUNTS} accounts`;
  const against = 'the same rows in one bare statement';
  const costs = (name: string, part: keyof Cost, value: number): Row[] => {
    const rounds = zip(results.ours, results.theirs, (work) => work.cost?.[part]);
    const goal = { of: 'ours', is: 'at most', value } as const;
    // The bare statement has no service.
    const kept = part === 'postgres' ? rounds : rounds.map(({ ours }) => ({ ours }));
    const row = { what: `processor time of ${name}, an order`, unit: 'ms', goal };
    return rounds.length === 0 ? [] : [rowOf(kept, part === 'postgres' ? { ...row, against } : row)];
  };
  return [
    pair(results, { what, against, per: 'an order', goal: { of: 'ratio', is: 'at least', value: 1, first: 0.6 } }),
    ...costs('PostgreSQL', 'postgres', 0.6),
    ...costs('the main thread', 'mainThread', 0.5),
  ];
}

/** As the service forms them: one order that comes alone, about as many as 32 clients make, and the most. */
const BATCHES = [1, 8, 16] as const;

async function placing(parts: Parts, turns: Turns<Work>): Promise<Row[]> {
  const bare = (seconds: number): Promise<Work> => parts.bare({ kind: 'rows', seconds, accounts: ACCOUNTS });
  const calls = BATCHES.map((batch) => {
    const call = (seconds: number): Promise<Work> => parts.bare({ kind: 'place', seconds, batch });
    return [`batches of ${batch}`, call] as const;
  });
  const results = await interleave<string, Work>({ bare, ...Object.fromEntries(calls) }, turns);
  return BATCHES.map((batch) =>
    pair(
      { ours: results[`batches of ${batch}`] ?? [], theirs: results.bare ?? [] },
      {
        what: `the placing function alone, ${batch === 1 ? 'one order' : `${batch} orders`} a call`,
        against: 'the same rows in one bare statement',
        per: 'an order',
        // An order alone is no batch.
        ...(batch === 1 ? {} : { goal: { of: 'ratio', is: 'at least', value: 1.2 } }),
      },
    ),
  );
}

async function oneAccount(parts: Parts, turns: Turns<Work>): Promise<Row[]> {
  const results = await interleave(
    {
      ours: (seconds) => parts.drive({ ...ORDER, seconds, accounts: 1 }),
      theirs: (seconds) => parts.bare({ kind: 'rows', seconds, accounts: 1 }),
      spread: (seconds) => parts.drive({ ...ORDER, seconds }),
    },
    turns,
  );
  const what = 'paid orders, all on one account';
  return [
    pair(results, {
      what,
      against: 'the same rows in one bare statement, one account',
      per: 'an order',
      goal: { of: 'ratio', is: 'at least', value: 2 },
    }),
    // Its processor time stands in other rows.
    rowOf(
      zip(results.ours, results.spread, ({ perSecond }) => perSecond),
      {
        what,
        unit: '/s',
        against: `paid orders over ${ACCOUNTS} accounts`,
        goal: { of: 'ratio', is: 'at least', value: 0.8 },
      },
    ),
  ];
}

const OPEN_LOOP_PER_SECOND = 400;
/** More than are ever under way in a service that keeps up. */
const OPEN_LOOP_CONNECTIONS = 256;

async function latency(parts: Parts, turns: Turns<Work>): Promise<Row[]> {
  const { ours } = await interleave(
    {
      ours: (seconds) =>
        parts.drive({ ...ORDER, seconds, clients: OPEN_LOOP_CONNECTIONS, perSecond: OPEN_LOOP_PER_SECOND }),
    },
    turns,
  );
  const msOf = (work: Work, share: number): number =>
    work.quantiles.find((quantile) => quantile.share === share)?.ms ?? Number.NaN;
  const quantiles: Quantile[] = (ours[0]?.quantiles ?? []).map(({ share }) => ({
    share,
    ms: median(ours.map((work) => msOf(work, share))),
  }));
  const rounds = ours.map((work) => ({ ours: msOf(work, 0.99) }));
  const goal: Goal = { of: 'ours', is: 'at most', value: 50 };
  const what = `p99 of a paid order at ${OPEN_LOOP_PER_SECOND}/s, open loop`;
  return [{ ...rowOf(rounds, { what, unit: 'ms', goal, quantiles }), ...costOf('an order', ours) }];
}

/** 1.1 times the rate of the day on which the goals were written, on the machine on which they were. */
const ESTIMATES_PER_SECOND = 2_037;

async function estimates(parts: Parts, turns: Turns<Work>): Promise<Row[]> {
  const results = await interleave(
    {
      ours: (seconds) => parts.drive({ ...ORDER, seconds, kind: 'estimates' }),
      theirs: (seconds) => parts.drive({ ...ORDER, seconds }),
    },
    turns,
  );
  return [
    {
      ...rowOf(
        zip(results.ours, results.theirs, ({ perSecond }) => perSecond),
        {
          what: 'estimates of two lines',
          unit: '/s',
          against: 'paid orders',
          goal: { of: 'ours', is: 'at least', value: ESTIMATES_PER_SECOND },
        },
      ),
      // That of orders stands in other rows.
      ...costOf('an estimate', results.ours),
    },
  ];
}

async function read(parts: Parts, turns: Turns<Work>): Promise<Row[]> {
  const url = await parts.bareServer();
  const round = { ...ORDER, kind: 'order' } as const;
  const results = await interleave(
    {
      ours: (seconds) => parts.drive({ ...round, seconds }),
      theirs: (seconds) => parts.drive({ ...round, seconds, url }),
    },
    turns,
  );
  return [
    pair(results, {
      what: 'one order of two lines read',
      against: 'a bare server, the same query by the driver',
      per: 'a read',
      goal: { of: 'ratio', is: 'at least', value: 0.6 },
    }),
  ];
}

async function page(parts: Parts, turns: Turns<Work>): Promise<Row[]> {
  const clients = CLIENTS_FOR_PAGES;
  const results = await interleave(
    {
      ours: (seconds) => parts.drive({ ...ORDER, kind: 'page', clients, seconds }),
      theirs: (seconds) => parts.bare({ kind: 'page', clients, seconds }),
    },
    turns,
  );
  return [
    pair(results, {
      what: 'a page of 25 orders',
      against: 'the same SQL alone',
      per: 'a page',
      goal: { of: 'ratio', is: 'at least', value: 0.9 },
    }),
  ];
}

const MANY_LINES = 1_000;
const FEW_LINES = 10;

/** One client, one request after another: what a line costs, not how many can be under way. */
async function lines(parts: Parts, turns: Turns<Work>): Promise<Row[]> {
  const round = (kind: LoadRound['kind'], count: number) => (seconds: number) =>
    parts.drive({ kind, seconds, clients: 1, accounts: 1, lines: count });
  // Placing comes first: a read chooses among the orders of that size.
  const arms: Arms<'placeMany' | 'placeFew' | 'readMany' | 'readFew', Work> = {
    placeMany: round('orders', MANY_LINES),
    placeFew: round('orders', FEW_LINES),
    readMany: round('order', MANY_LINES),
    readFew: round('order', FEW_LINES),
  };
  const results = await interleave(arms, turns);
  const row = (doing: string, many: readonly Work[], few: readonly Work[]): Row => {
    const [what, against] = [`${doing} a line of an order of 1,000`, `${doing} a line of an order of 10`];
    const perLine = (work: Work | undefined, count: number): number => 1_000 / (work?.perSecond ?? 0) / count;
    const rounds = many.map((work, index) => ({
      ours: perLine(work, MANY_LINES),
      theirs: perLine(few[index], FEW_LINES),
    }));
    const goal: Goal = { of: 'ratio', is: 'at most', value: 1 };
    return {
      ...rowOf(rounds, { what, unit: 'ms', against, goal }),
      ...costOf('a line', many.map(dividedBy(MANY_LINES)), few.map(dividedBy(FEW_LINES))),
    };
  };
  return [row('placing', results.placeMany, results.placeFew), row('reading', results.readMany, results.readFew)];
}

function dividedBy(count: number): (work: Work) => Work {
  return (work) => ({
    ...work,
    cost: work.cost && {
      postgres: work.cost.postgres / count,
      mainThread: work.cost.mainThread / count,
      service: work.cost.service / count,
      load: work.cost.load / count,
    },
  });
}

/** A row of two rates. */
function pair(
  { ours, theirs }: { readonly ours: readonly Work[]; readonly theirs: readonly Work[] },
  row: { readonly what: string; readonly against: string; readonly per: string; readonly goal?: Goal },
): Row {
  const { per, ...rest } = row;
  const rounds = zip(ours, theirs, ({ perSecond }) => perSecond);
  return { ...rowOf(rounds, { ...rest, unit: '/s' }), ...costOf(per, ours, theirs) };
}

/** Pairs round by round; none where a value is missing. */
function zip(
  ours: readonly Work[],
  theirs: readonly Work[],
  figureOf: (work: Work) => number | undefined,
): Required<RowRound>[] {
  return ours.flatMap((work, index) => {
    const other = theirs[index];
    const [a, b] = [figureOf(work), other && figureOf(other)];
    return a === undefined || b === undefined ? [] : [{ ours: a, theirs: b }];
  });
}

function costOf(per: string, ours: readonly Work[], theirs: readonly Work[] = []): Pick<Row, 'cost'> {
  const own = medianCost(ours);
  const other = medianCost(theirs);
  if (own === undefined) return {};
  return { cost: { per, ours: own, ...(other === undefined ? {} : { theirs: other }) } };
}

function medianCost(works: readonly Work[]): Cost | undefined {
  const costs = works.flatMap(({ cost }) => cost ?? []);
  if (costs.length === 0) return undefined;
  const of = (part: keyof Cost): number => median(costs.map((cost) => cost[part]));
  return { postgres: of('postgres'), mainThread: of('mainThread'), service: of('service'), load: of('load') };
}
