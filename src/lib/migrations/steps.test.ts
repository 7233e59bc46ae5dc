import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { bareStatement, statementsOf, tablesAltered } from './statements.ts';
import { stepsOf } from './steps.ts';

describe('a text is split at the semicolons between statements, and at no other', () => {
  const cases: readonly (readonly [what: string, text: string, expected: readonly string[]])[] = [
    ['one without an end', 'select 1', ['select 1']],
    ['several', 'select 1; select 2;\n', ['select 1', 'select 2']],
    ['comments stay above', '-- a; b\nselect 1; /* c; d */ select 2', ['-- a; b\nselect 1', '/* c; d */ select 2']],
    ['a comment alone is none', 'select 1; -- the end;\n', ['select 1']],
    ['strings', "select 'a;''b;'; select E'it\\'s;'", ["select 'a;''b;'", "select E'it\\'s;'"]],
    ['names', 'select 1 as "a;b"; select 2', ['select 1 as "a;b"', 'select 2']],
    ['bodies', 'do $$ begin; end $$; do $x$ $$; $x$', ['do $$ begin; end $$', 'do $x$ $$; $x$']],
    ['parameters are no bodies', 'select $1, $2; select 1', ['select $1, $2', 'select 1']],
    ['dashes in a string', "select '--'; select 2", ["select '--'", 'select 2']],
    ['nothing', ' ;; \n', []],
  ];
  for (const [what, text, expected] of cases) {
    test(what, () => assert.deepEqual(statementsOf(text), expected));
  }
});

test('the tables that statements lock against writers are known by name, each once', () => {
  const text = `alter table orders add column a text; ALTER TABLE IF EXISTS only posting add column b text;
    -- alter table event add column c text;
    create trigger t before update on job for each statement execute function f();
    create unique index i on orders (a) where a is not null; drop table old_things;
    insert into account select 'alter table product'; alter index i rename to j; create index concurrently k on event (id)`;
  assert.deepEqual(tablesAltered(text), ['orders', 'posting', 'job', 'old_things', 'event']);
});

test('what a statement says in comments, strings and bodies is not what it does', () => {
  assert.equal(
    bareStatement('-- drop table a\nselect \'drop table b\', /* c */ f() as "--"\n  from d'),
    'select \'\', f() as "--" from d',
  );
  assert.equal(bareStatement('do $$ begin delete from a; end $$'), "do ''");
});

describe('the steps of a file', () => {
  const index = 'create unique index concurrently if not exists a_b on a (b)';
  const batch = '-- in batches\nselect null as next, 0 as rows where $1::text is null limit $2';
  const cases: readonly (readonly [what: string, text: string, expected: readonly object[]])[] = [
    ['all of it in one transaction', 'a; b;', [{ kind: 'transaction', text: 'a; b;' }]],
    [
      'each statement, when the first line says so',
      '-- runs in steps\nselect 1; select 2',
      ['-- runs in steps\nselect 1', 'select 2'].map((text) => ({ kind: 'transaction', text })),
    ],
    [
      'not when another line does',
      '-- A file.\n-- runs in steps\na',
      [{ kind: 'transaction', text: '-- A file.\n-- runs in steps\na' }],
    ],
    [
      'an index',
      `-- runs in steps, since it is long\nselect 1; ${index};`,
      [
        { kind: 'transaction', text: '-- runs in steps, since it is long\nselect 1' },
        { kind: 'index', text: index, index: 'a_b' },
      ],
    ],
    [
      'an index that goes',
      '-- runs in steps\nselect 1; drop index concurrently if exists a_b;',
      [
        { kind: 'transaction', text: '-- runs in steps\nselect 1' },
        { kind: 'drop_index', text: 'drop index concurrently if exists a_b' },
      ],
    ],
    [
      'batches',
      `-- runs in steps\nselect 1; ${batch}`,
      [
        { kind: 'transaction', text: '-- runs in steps\nselect 1' },
        { kind: 'batches', text: batch },
      ],
    ],
  ];
  for (const [what, text, expected] of cases) {
    test(what, () => assert.deepEqual(stepsOf(text), expected));
  }

  const refused: readonly (readonly [what: string, text: string, message: RegExp])[] = [
    ['an index that cannot be resumed', 'create index concurrently a_b on a (b)', /if \[not\] exists/],
    ['an index without a name', 'create index concurrently on a (b)', /if \[not\] exists/],
    ['an index whose name needs quotes', 'create index concurrently if not exists "A" on a (b)', /plain name/],
    ['an index that goes and cannot be resumed', 'drop index concurrently a_b', /if \[not\] exists/],
    ['batches without a cursor', '-- in batches\nupdate a set b = 1 where c limit $2', /cursor as \$1/],
    ['batches without a limit', '-- in batches\nupdate a set b = 1 where c > $1', /limit \$2/],
  ];
  for (const [what, text, message] of refused) {
    test(`${what} is refused`, () => assert.throws(() => stepsOf(`-- runs in steps\n${text}`), message));
  }
});
