import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { verify } from '../../src/verify/verify.ts';
import { shown } from '../table.ts';
import { type Compared, compareSizes, RATIO_MAX, ratioOf } from './compare.ts';
import { leftOut } from './reads.ts';
import { startSizedServer } from './server.ts';
import { openSubject, type Subject } from './subject.ts';
import { bytesOf, type TableBytes } from './weight.ts';

const HELP = `npm run bench:size [-- --orders 10000,1000000] [--rounds 7] [--only WORDS,WORDS] [--keep FOLDER]

Fills a database for each number of orders with copies of real ones, and measures every GET of both APIs, placing,
estimating and cancelling, and a round of every sweep at each size, in turn. Prints what each takes, the largest over the
smallest, and how many bytes an order has. Exits with 1 if a ratio is above ${RATIO_MAX} or \`platen verify\` finds something.

--orders   numbers of orders, the smallest first
--per-day  orders of a day: a larger database is of an older shop, not of a busier one
--rounds   how often each is measured at each size
--only     what has one of these words in its name
--keep     keeps the databases in this folder, and takes those that are there
--no-verify leaves \`platen verify\` out, which takes minutes at a million orders

A million orders take 20 minutes and 20 GB.
`;

const { values: options } = parseArgs({
  options: {
    orders: { type: 'string', default: '10000,1000000' },
    'per-day': { type: 'string', default: '2500' },
    rounds: { type: 'string', default: '7' },
    only: { type: 'string' },
    keep: { type: 'string' },
    'no-verify': { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

const MEGABYTE = 1024 ** 2;

const write = (line: string): void => void process.stdout.write(`${line}\n`);
const say = (line: string): void => void process.stderr.write(`  ${line}\n`);

if (options.help) write(HELP);
else await main();

async function main(): Promise<void> {
  const left = leftOut();
  if (left.length > 0) throw new Error(`bench/size/reads.ts leaves out: ${left.join(', ')}`);
  const sizes = options.orders.split(',').map(Number);
  if (!sizes.every((size) => Number.isInteger(size) && size >= 10_000)) {
    throw new Error(`--orders must be whole numbers from 10,000, and is ${options.orders}`);
  }
  const folder = options.keep ?? (await mkdtemp(join(tmpdir(), 'platen-size-')));
  const server = await startSizedServer(folder, say);
  const subjects: Subject[] = [];
  try {
    for (const orders of sizes) {
      say(`${orders} orders`);
      const database = await server.database({ orders, perDay: Number(options['per-day']) });
      const client = await server.connect(database.address.database);
      try {
        reportBytes(orders, await bytesOf(client));
      } finally {
        await client.end();
      }
      subjects.push(await openSubject(server, orders, database));
    }
    const only = options.only?.split(',') ?? [];
    report(sizes, await compareSizes(subjects, { rounds: Number(options.rounds), only, say }));
    for (const { orders, service } of options['no-verify'] ? [] : subjects) {
      const { checks } = await verify(service.ctx);
      const violations = checks.flatMap(({ name, violations: found }) => found.map((text) => `${name}: ${text}`));
      write(`verify at ${orders} orders: ${violations.length === 0 ? 'clean' : `BROKEN\n${violations.join('\n')}`}`);
      if (violations.length > 0) process.exitCode = 1;
    }
  } finally {
    for (const subject of subjects) await subject.close();
    await server.stop();
    if (options.keep === undefined) await rm(folder, { recursive: true, force: true });
  }
}

function report(sizes: readonly number[], compared: readonly Compared[]): void {
  const head = ['What', ...sizes.map((size) => `${size.toLocaleString('en-GB')}, ms`), 'Ratio'];
  write(`\n| ${head.join(' | ')} |\n|${head.map(() => '---|').join('')}`);
  for (const one of compared) {
    const { what, ms, records } = one;
    const isAlike = new Set(records).size <= 1;
    const counts = isAlike ? '' : ` (records: ${records.join(', ')})`;
    write(`| ${what.replaceAll('|', '\\|')}${counts} | ${ms.map(shown).join(' | ')} | ${shown(ratioOf(one))} |`);
  }
  const above = compared.filter((one) => ratioOf(one) > RATIO_MAX);
  write(`\n${compared.length} measured, ${above.length} above ${RATIO_MAX}`);
  for (const one of above) write(`ABOVE ${one.what}: ${shown(ratioOf(one))}`);
  if (above.length > 0) process.exitCode = 1;
}

function reportBytes(orders: number, tables: readonly TableBytes[]): void {
  const all = tables.reduce((sum, { heap, indexes }) => sum + heap + indexes, 0);
  write(
    `\n${orders} orders: ${shown(all / MEGABYTE)} MB, ${Math.round(all / orders).toLocaleString('en-GB')} bytes an order\n`,
  );
  write('| Table | Rows an order | Bytes an order | of these indexes |\n|---|---|---|---|');
  for (const { name, rows, heap, indexes } of tables.filter((table) => table.heap + table.indexes > all / 200)) {
    write(
      `| ${name} | ${shown(rows / orders)} | ${Math.round((heap + indexes) / orders)} | ${Math.round(indexes / orders)} |`,
    );
  }
}
