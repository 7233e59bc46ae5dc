import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { globSync, readdirSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';

/**
 * What is released and must not change any more, not by a space: databases have recorded these sums and refuse
 * another text. The first version's were frozen when its schema was written anew in one piece. A new migration is
 * added here with its release.
 */
const RELEASED: Readonly<Record<string, string>> = {
  '0001-functions-and-jobs.sql': '9f5e698462bec22caadcc9633c0692733a0123dbd787fb9779b0d8eceb7ede24',
  '0002-accounts.sql': '4d2b9ace74095eb2f4ad3ebd8e77189d44ac325a2ae123cbdc7afa425a7239ff',
  '0003-operators.sql': 'df3e5d5d243a2fcb92743257ea3d71abb37a20e52a34b2e2f73064bc9a773ef9',
  '0004-webhooks.sql': 'abe13fc56808ec84e17c4a0dc7e05dd867611db4034b6719b7a209de8927040f',
  '0005-catalogue.sql': 'a122aa6f80d38b0bace826ddca19615d69378497db6bf0d6dedacee9f6e7e11d',
  '0006-artwork.sql': '0c8af4daad5b6bf8140d0584419538d8acdcb78c40ea6b76a4f75e1e551e8cb4',
  '0007-products.sql': '2ae32fb9023b7d4270294114b2c4489d48753d0ed571cd3f4c32b91cc544fe85',
  '0008-ledger.sql': 'caaa538621e3450fef94478af0cb9f720a0002bde6cfff306d8923a11a4e7880',
  '0009-orders.sql': 'a56d44310a6d76ffad725c6e02393f676af235d741d16fe0504c5937d7f6dc62',
  '0010-payments.sql': 'dca3badd5963d32b44a33469b919f3c6438797baaba9f43d3eb95d7dd0bae971',
  '0011-invoices.sql': '64cde51169c2d6a7e8d7241726fd857ca99ab01be2ccf2374b35ae48d0963259',
  '0012-production.sql': '137cbe1d72a3bbbe477649c7ee460ef800c6193f8c87e191f803612d52258954',
  '0013-shipments.sql': 'efeff96f8cc49739295ac5c73f8e7d3d6e69ce4d3a52134cd736bea286934f89',
};

/** How many files make up the schema of the first version. */
const FIRST_VERSION = 13;

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

test('N208 every migration only adds: the version before it goes on beside it', () => {
  const found = names.flatMap((name) => destructionIn(textOf(name)).map((what) => `${name} ${what}`));
  assert.deepEqual(found, []);
});

test('the migrations of the first version make each table once, as it is', () => {
  const patches = names
    .slice(0, FIRST_VERSION)
    .filter((name) => /^\s*(alter|update|delete|drop)\b/im.test(textOf(name)));
  assert.deepEqual(patches, []);
});

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
