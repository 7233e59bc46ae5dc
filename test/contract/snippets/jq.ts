import { text } from 'node:stream/consumers';

// A stand-in for jq on machines without it: one path, such as `.items[0].id`, of one JSON text. Strings print bare
// with -r.

const args = process.argv.slice(2);
const isRaw = args.includes('-r');
const [path = '.', ...rest] = args.filter((arg) => arg !== '-r');
if (rest.length > 0 || !/^\.$|^(\.\w+|\[\d+\])+$/.test(path)) {
  process.stderr.write(`jq: the stand-in does not know ${args.join(' ')}\n`);
  process.exit(2);
}
let value: unknown = JSON.parse(await text(process.stdin));
for (const [, name, index] of path.matchAll(/\.(\w+)|\[(\d+)\]/g)) {
  value = (value as Record<string, unknown> | null)?.[name ?? index ?? ''] ?? null;
}
process.stdout.write(`${isRaw && typeof value === 'string' ? value : JSON.stringify(value, null, 2)}\n`);
