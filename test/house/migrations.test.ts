import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { globSync, readdirSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';

/**
 * What is released and must not change any more, not by a space: databases have recorded these sums and refuse another text.
 * A new migration is added here with its release.
 */
const RELEASED: Readonly<Record<string, string>> = {
  '0001-foundation.sql': '71f969425340cf30fbfc9cb151c9086efb471e0729c9ac349b69aba70d9e773b',
  '0002-money-back.sql': 'dd4fcdc13e671fa3926f66e5aa86bbf2877b6eead77370a2e3b4a7575fe7d738',
  '0003-sign-in.sql': '655f559e6461196644ca0c18b54142ef90ac9b294f215a91900be01f6c794f33',
  '0004-event-log.sql': '5fd14ed937261611a2941c01ae2565ed4f73c0d028d5de7841f13ef317cc0a99',
  '0005-operations.sql': '8603e646d3f487b3329454bb0bc3bef0caac735d05031a73f9de8ca41dd42165',
  '0006-books.sql': 'bcb2800884eba1a1e2a45bb0808911514ff81a04fd05404ad19a776935fe1dba',
  '0007-pictures.sql': '6a25dff7ce96c8ec40fe567a688d99b1ac6092f61558dc3560372b809b53de34',
  '0008-money-that-comes-back.sql': '3ea8a3627eb65ff871dd6c187223ae7dbdd8bac1b8c99488ce838b600abfdf47',
  '0009-the-desk.sql': '2490b95cc51da4b3d5d99ce3df404e589cb0295676ec0a2588c9c0028ac033fd',
  '0010-what-left.sql': '7ceecf5a0cb65248604e0ff4dc66552c60e9fb8d8a4a15dbe014408ee7881d51',
};

const FOLDER = 'migrations';
const names = readdirSync(FOLDER)
  .filter((name) => name.endsWith('.sql'))
  .toSorted();

const textOf = (name: string): string => readFileSync(`${FOLDER}/${name}`, 'utf8');

/** Statements that the version before, which still runs beside this one, cannot live with. */
const DESTRUCTIVE: readonly (readonly [what: string, pattern: RegExp])[] = [
  ['drops something', /\bdrop\s+(table|column|view|index|constraint|type|function|sequence|schema|default)\b/i],
  ['drops a column', /\balter\s+table\b[^;]*\bdrop\s+(?!not\s+null|constraint)\w/i],
  ['renames something', /\balter\b[^;]*\brename\b/i],
  ['changes the type of a column', /\balter\s+(column\s+)?\w+\s+(set\s+data\s+)?type\b/i],
  ['makes a column required', /\bset\s+not\s+null\b/i],
  [
    'adds a required column without a default',
    /\badd\s+(column\s+)?(?:if not exists\s+)?(?!constraint|check|unique|primary|foreign|exclude)\w+\s+(?![^,;]*\bdefault\b)[^,;]*\bnot\s+null\b/i,
  ],
  ['deletes rows', /(^|;)\s*(delete\s+from|truncate)\b/i],
  [
    'adds a unique constraint to a table that is there',
    /\balter\s+table\b[^;]*\badd\s+(constraint\s+\w+\s+)?(unique|primary\s+key|exclude)\b/i,
  ],
  ['takes rights away', /\brevoke\b/i],
];

/** What a migration does that is destructive; comments and the bodies of functions do not count. */
function destructionIn(text: string): string[] {
  const statements = text.replaceAll(/--[^\n]*/g, '').replaceAll(/\$(\w*)\$[\s\S]*?\$\1\$/g, "''");
  // A check that is put back under its name is one that became wider; whether it did is for the reader.
  const code = statements.replaceAll(/\bdrop constraint (\w+)/gi, (all, name: string) =>
    new RegExp(`\\badd constraint ${name}\\b`, 'i').test(statements) ? '' : all,
  );
  return DESTRUCTIVE.flatMap(([what, pattern]) => (pattern.test(code) ? [what] : []));
}

/** What a migration does all the same, and why that is no harm or was taken on knowingly. */
const ALLOWED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '0002-money-back.sql': {
    'drops something': 'an index, in whose place a wider one stands',
    'makes a column required':
      'line_count: the version before it could place no order beside it, and was in use nowhere',
  },
  '0005-operations.sql': { 'drops something': 'checks, each put back wider in the same statement' },
};

test('N208 a released migration is what it was when it was released, to the byte', () => {
  for (const [name, sum] of Object.entries(RELEASED)) {
    assert.equal(createHash('sha256').update(textOf(name)).digest('hex'), sum, `${name} was changed after its release`);
  }
  assert.deepEqual(
    names.slice(0, Object.keys(RELEASED).length),
    Object.keys(RELEASED).toSorted(),
    'no migration is put among those that are released',
  );
});

for (const name of names.slice(1)) {
  test(`N208 ${name} only adds: the version before it goes on beside it`, () => {
    const found = destructionIn(textOf(name)).filter((what) => ALLOWED[name]?.[what] === undefined);
    assert.deepEqual(found, []);
  });
}

describe('what only adds is told from what does not', () => {
  const cases: readonly (readonly [text: string, expected: readonly string[]])[] = [
    ['create table a (id integer primary key, b text not null);', []],
    ['alter table a add column b text;', []],
    ["alter table a add column b text not null default '';", []],
    ['alter table a add b integer not null;', ['adds a required column without a default']],
    [
      'alter table a\n  add column b integer,\n  add column c text not null;',
      ['adds a required column without a default'],
    ],
    ['create index b on a (c);', []],
    ['create unique index b on a (c);', []],
    ['alter table a drop column b;', ['drops something', 'drops a column']],
    ['alter table a drop b;', ['drops a column']],
    ['alter table a alter b drop not null;', []],
    ['drop table a;', ['drops something']],
    ['alter table a rename to b;', ['renames something']],
    ['alter table a rename column b to c;', ['renames something']],
    ['alter table a alter column b type bigint;', ['changes the type of a column']],
    ['alter table a alter b set data type bigint;', ['changes the type of a column']],
    ['alter table a alter b set not null;', ['makes a column required']],
    ['delete from a;', ['deletes rows']],
    ['alter table a add unique (b);', ['adds a unique constraint to a table that is there']],
    ['alter table a drop constraint b, add constraint b check (c > 0);', []],
    ['alter table a drop constraint b;', ['drops something']],
    ['-- drop table a', []],
    ['create function f() returns trigger language plpgsql as $$ begin delete from a; return new; end $$;', []],
  ];
  for (const [text, expected] of cases) {
    test(text.replaceAll('\n', ' '), () => assert.deepEqual(destructionIn(text), expected));
  }
});

test('N210 nothing in the product sets a connection otherwise for who comes after: settings are of one transaction', () => {
  const wrong = globSync('src/**/*.ts')
    .filter((path) => !path.endsWith('.test.ts'))
    .filter((path) => {
      const text = readFileSync(path, 'utf8');
      return /['"`]\s*set (?!local)[a-z_]+ *(=|to) /.test(text) || /set_config\([^)]*, *false\)/.test(text);
    });
  assert.deepEqual(wrong, []);
});
