import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';

/** The loops that wait outside `src/lib/`; none of them is background work, and each ends by itself. */
const ALLOWED = new Map([
  ['src/app/database-server.ts', 'a command waits for the folder of a service that starts or stops'],
  ['src/app/service.ts', 'the start waits for the database'],
  ['src/backup/copy-cluster.ts', 'a file that is written in place is read until two reads agree'],
  ['src/bin/demo/month.ts', 'the demo month waits for the print files of an order'],
  [
    'src/bin/drop/sweeping.ts',
    'the drop has no context: it needs no database, and runs beside a service that may be away',
  ],
  ['src/bin/listen.ts', 'the command follows the log of events until Ctrl-C'],
  ['src/bin/serve-artwork.ts', 'the command renews its record until Ctrl-C'],
  ['src/channels/linked/renew-credentials.ts', 'a sync waits for what another renews, twenty seconds at the most'],
  ['src/http/drain.ts', 'a stop closes idle connections until none is left'],
  ['src/privacy/retention/sweep.ts', 'the command pauses between batches until all that is due has gone'],
  ['src/webhooks/record.ts', 'outcomes are written again until the database is back'],
]);

const product = globSync('src/**/*.ts')
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => !path.endsWith('.test.ts'))
  .toSorted()
  .map((path) => ({ path, code: codeOf(readFileSync(path, 'utf8')) }));

test('background work runs in lib/every.ts: no other loop waits for a timer, but those named here', () => {
  const waiting = product.filter(({ path, code }) => !path.startsWith('src/lib/') && pollsIn(code).length > 0);
  assert.deepEqual(
    waiting.map(({ path }) => path),
    [...ALLOWED.keys()],
  );
});

test('lib/error-message.ts alone reads the message of what was thrown', () => {
  const spelling = /(\w+) instanceof Error \? \1\.message : (String\(\1\)|'unknown')/;
  const reading = product.filter(({ path, code }) => path !== 'src/lib/error-message.ts' && spelling.test(code));
  assert.deepEqual(
    reading.map(({ path }) => path),
    [],
  );
});

describe('a loop that waits is found in any form', () => {
  const delay = "import { setTimeout as rest } from 'node:timers/promises';\n";
  const cases: readonly (readonly [what: string, code: string, expected: readonly string[]])[] = [
    ['a while', `${delay}while (!signal.aborted) { await look(); await rest(5); }`, ['while']],
    ['a for without end', `${delay}for (;;) { await look(); await rest(5); }`, ['for']],
    ['a do', `${delay}do { await look(); await rest(5); } while (true);`, ['do']],
    ['a while in one line', `${delay}while (await look()) await rest(5);`, ['while']],
    ['a wait in a helper', 'const wait = (f) => setTimeout(f, 5);\nwhile (true) { await look(wait); }', ['while']],
    ['an interval', 'setInterval(() => void look(), 5);', ['setInterval']],
    ['an interval of promises', 'for await (const _ of setInterval(5)) look();', ['setInterval']],
    ['a function that sets itself', 'function again() { look(); setTimeout(() => void again(), 5); }', ['again']],
    ['one by its name', 'const again = () => { look(); setTimeout(again, 5); };', ['again']],
    ['a time-out of one call', 'function call() { setTimeout(() => end(), 5); }\nwhile (a) { b(); }', []],
    ['a loop without a timer', 'while (true) { await look(); }', []],
    ['a list', `${delay}for (const a of all) { await look(a); }\nawait rest(5);`, []],
    ['a comment', '// setInterval(() => {}, 5)', []],
  ];
  for (const [what, code, expected] of cases) {
    test(what, () => {
      assert.deepEqual(pollsIn(codeOf(code)), expected);
    });
  }
});

/** The source without its comments. */
function codeOf(text: string): string {
  return text.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/(^|\s)\/\/[^\n]*/g, '$1');
}

/**
 * What polls in a source: loops that await where the file has a timer, intervals, and functions that set themselves
 * again.
 */
function pollsIn(code: string): string[] {
  const aliases = [...code.matchAll(/\bsetTimeout as (\w+)/g)].map(([, alias]) => alias);
  const hasTimer = new RegExp(String.raw`\b(${['setTimeout', ...aliases].join('|')})\(`).test(code);
  const loops = [...code.matchAll(/\b(while|for) \(|\b(do) \{/g)].flatMap((found) => {
    const kind = found[1] ?? found[2] ?? '';
    const header = kind === 'do' ? '' : enclosed(code, found.index);
    // A list ends; only a condition can go on for ever.
    if (kind === 'for' && !header.includes(';')) return [];
    const bodyAt = kind === 'do' ? found.index : found.index + kind.length + 1 + header.length;
    const isTail = kind === 'while' && /\}\s*$/.test(code.slice(0, found.index)) && code[bodyAt] === ';';
    const body =
      /^\s*\{/.test(code.slice(bodyAt)) || kind === 'do' ? enclosed(code, bodyAt, '{') : lineAt(code, bodyAt);
    return hasTimer && !isTail && /\bawait\b/.test(header + body) ? [kind] : [];
  });
  const intervals = /\bsetInterval\(/.test(code) ? ['setInterval'] : [];
  return [...loops, ...intervals, ...functionsThatSetThemselves(code)];
}

function functionsThatSetThemselves(code: string): string[] {
  return [...code.matchAll(/\bfunction (\w+)|\bconst (\w+) = (?:async )?\(/g)].flatMap((found) => {
    const name = found[1] ?? found[2] ?? '';
    const body = enclosed(code, code.indexOf('{', found.index), '{');
    const timers = [...body.matchAll(/\bsetTimeout\(/g)].map(({ index }) => enclosed(body, index));
    return timers.some((call) => new RegExp(String.raw`\b${name}\b`).test(call)) ? [name] : [];
  });
}

/** From the first bracket after a place to the one that closes it. */
function enclosed(code: string, from: number, open: '(' | '{' = '('): string {
  const close = open === '(' ? ')' : '}';
  const start = code.indexOf(open, from);
  let depth = 0;
  for (let at = start; at < code.length; at += 1) {
    if (code[at] === open) depth += 1;
    if (code[at] === close) depth -= 1;
    if (depth === 0) return code.slice(start, at + 1);
  }
  return code.slice(start);
}

function lineAt(code: string, from: number): string {
  const end = code.indexOf(';', from);
  return code.slice(from, end === -1 ? undefined : end);
}
