import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { globSync, readdirSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { stopsIn } from './migration-locks.ts';

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
  '0014-order-search.sql': 'd78505ddaf8613994b749d3d1d1b68e42948c2c3215cb0c5e80ccc1843cb2710',
  '0015-order-fingerprint.sql': 'ac729d05683b28aa50ae149c6527dce61b3e43ff5335a94c82359d78bdddd561',
  '0016-transaction-numbers.sql': 'd9807420ef30dc9fb83aa28ed9fe9123e7931260e64c18888c230ba8085db1e6',
  '0017-stock-receipts.sql': '879ac18142d48d5cc6d3f276d841b0b016564c864a6ef15b17a27fbbf27e7599',
  '0018-line-pauses.sql': '30bf76e3c561cdd9f919977d032b99120d26980b432b9cf85904b273fd695a4e',
  '0019-customs-numbers.sql': 'f8a108b23762267e694576e79fb81a052d39eaf87f995f1a6d8c5c259097a58f',
  '0020-declared-values.sql': 'a0f890f66c2a57d80cd87134da71d7dc144cdcb5c56c92eb6c51e14cb11c83a5',
};

/** From this number on no migration stops a large database; docs/decisions/0024 says what those before it do. */
const FIRST_FOR_LARGE = 21;

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

test('no migration stops a large database: nothing scans, rewrites or fills a table under a lock', () => {
  const found = names
    .slice(FIRST_FOR_LARGE - 1)
    .flatMap((name) => stopsIn(textOf(name)).map((what) => `${name} ${what}`));
  assert.deepEqual(found, []);
});

describe('what stops a large database is told from what does not', () => {
  const steps = '-- runs in steps\n';
  const batch =
    '-- in batches\nwith page as (select id from orders where id > $1 limit $2), d as (update orders set a = 1) select 1';
  const cases: readonly (readonly [text: string, expected: RegExp | undefined])[] = [
    ['create index a on orders (b);', /builds an index under a lock/],
    ['create unique index if not exists a on orders (b);', /builds an index under a lock/],
    ['create table new (b integer); create index a on new (b);', undefined],
    [`${steps}create index concurrently if not exists a on orders (b);`, undefined],
    ['alter table orders add column a text, add column b integer not null default 7;', undefined],
    ['alter table orders add column a timestamptz default now();', undefined],
    ['alter table orders alter column a set default transaction_number();', undefined],
    ['alter table orders alter a set not null;', /makes a column required/],
    ['alter table orders alter column a type bigint;', /changes a type/],
    ['alter table orders add check (a > 0);', /adds a constraint that scans/],
    ['alter table orders add constraint a foreign key (b) references c;', /adds a constraint that scans/],
    ['alter table orders add constraint a check (b in (1, 2)) not valid;', undefined],
    ['alter table orders add column c text, add constraint a check (b > 0);', /adds a constraint that scans/],
    ['alter table orders add constraint a unique (b);', /adds an index by a constraint/],
    ['alter table orders add constraint a unique using index b;', undefined],
    ['alter table order_line add column a bigint check (a > 0);', /a check or a reference/],
    ['alter table order_line add column a uuid references orders;', /a check or a reference/],
    ['alter table orders add column a uuid default gen_random_uuid();', /computed for each row/],
    ['alter table orders add column a integer generated always as (b * 2) stored;', /computed for each row/],
    ['alter table orders add column a bigserial;', /computed for each row/],
    ['alter table orders set unlogged;', /rewrites the table/],
    [
      'alter table orders add constraint a check (b) not valid; alter table orders validate constraint a;',
      /validates a constraint/,
    ],
    [
      `${steps}alter table orders add constraint a check (b) not valid; alter table orders validate constraint a;`,
      undefined,
    ],
    ['update orders set a = 1;', /writes rows outside a batch/],
    [`${steps}update orders set a = 1;`, /writes rows outside a batch/],
    ['update invoicing set a = 1;', undefined],
    ['delete from event where id < 5;', /writes rows outside a batch/],
    [`${steps}${batch};`, undefined],
    ['insert into new select a from orders;', /copies rows outside a batch/],
    ["insert into new (a) values ('from orders');", undefined],
    ['insert into new select n from generate_series(1, 3) as n;', undefined],
    ['create table new (a integer check (a > 0), foreign key (a) references orders);', undefined],
    ['lock table orders;', /locks or rewrites/],
    ['reindex index a;', /locks or rewrites/],
    ['do $$ begin update orders set a = 1; end $$;', /cannot read/],
    ['create function f() returns void language sql as $$ update orders set a = 1 $$;', undefined],
  ];
  for (const [text, expected] of cases) {
    test(text.replaceAll('\n', ' '), () => {
      const found = stopsIn(text);
      if (expected === undefined) assert.deepEqual(found, []);
      else assert.match(found.join('\n'), expected);
    });
  }
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
