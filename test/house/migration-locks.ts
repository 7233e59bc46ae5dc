import { bareStatement, statementsOf } from '../../src/lib/migrations/statements.ts';
import { stepsOf } from '../../src/lib/migrations/steps.ts';

/** Tables that have few rows in any installation: a scan of them is over at once. */
const SMALL: ReadonlySet<string> = new Set([
  'operator',
  'station',
  'blank_variant',
  'stock',
  'base_product',
  'catalogue_state',
  'price_book',
  'ledger_closing',
  'invoicing',
  'retention_walk',
  'invoice_series',
  'order_search_progress',
  'transaction_numbering',
]);

type Rule = readonly [what: string, isBroken: (code: string, isLarge: (table: string) => boolean) => boolean];

/** What an action of `alter table` does that scans or rewrites the table under its lock. */
const ACTIONS: readonly (readonly [what: string, pattern: RegExp])[] = [
  ['makes a column required, which scans the table', /\bset not null\b/],
  ['changes a type, which rewrites the table', /^alter (column )?\w+ (set data )?type\b/],
  [
    'adds a constraint that scans the table; add it "not valid" and validate it in a step of its own',
    /^add (constraint \w+ )?(check|foreign key)\b(?!.*\bnot valid$)/,
  ],
  [
    'adds an index by a constraint; build it concurrently and add it "using index"',
    /^add (constraint \w+ )?(unique|primary key|exclude)\b(?!.*\busing index\b)/,
  ],
  [
    'adds a column with a check or a reference, which scans the table; add the constraint "not valid"',
    /^add (column )?(if not exists )?(?!constraint\b|check\b|foreign\b|unique\b|primary\b|exclude\b)\w+ .*\b(check|references)\b/,
  ],
  [
    'adds a column that is computed for each row, which rewrites the table',
    /^add (column )?(if not exists )?\w+ (.*\bgenerated\b|.*\bdefault (?!now\(\))[^,]*\w\(|(small|big)?serial\b)/,
  ],
  ['rewrites the table', /^set (logged|unlogged|tablespace|access method)\b/],
];

const RULES: readonly Rule[] = [
  [
    'builds an index under a lock: in a file that runs in steps, "create index concurrently if not exists"',
    (code, isLarge) =>
      isLarge(/^create (?:unique )?index (?!concurrently\b).*?\bon (?:only )?(\w+)/.exec(code)?.[1] ?? ''),
  ],
  ...ACTIONS.map(
    ([what, pattern]): Rule => [
      what,
      (code, isLarge) => {
        const [, table = '', actions = ''] = /^alter table (?:if exists )?(?:only )?(\w+) (.*)$/.exec(code) ?? [];
        return isLarge(table) && actionsOf(actions).some((action) => pattern.test(action));
      },
    ],
  ),
  [
    'writes rows outside a batch',
    (code, isLarge) =>
      [
        ...code.matchAll(
          /\b(?:update (?:only )?(?=\w+ (?:(?:as )?\w+ )?set\b)|delete from (?:only )?|merge into )(\w+)/g,
        ),
      ].some(([, table = '']) => isLarge(table)),
  ],
  [
    'copies rows outside a batch',
    (code, isLarge) =>
      /\binsert into\b/.test(code) &&
      [...code.matchAll(/\b(?:from|join) (\w+)\b(?! *\()/g)].some(([, table = '']) => isLarge(table)),
  ],
  [
    'locks or rewrites a table',
    (code) =>
      /^(lock|cluster|vacuum full|vacuum \(.*full|refresh materialized view|reindex (?!.*\bconcurrently\b))/.test(code),
  ],
  ['runs code that this rule cannot read', (code) => /^do\b/.test(code)],
];

/** What of a migration would stop a large database; tables that the file itself makes do not count. */
export function stopsIn(text: string): string[] {
  const steps = stepsOf(text);
  const statements = steps.flatMap((step) =>
    // A batch is what may write rows of a large table.
    step.kind === 'transaction'
      ? statementsOf(step.text).map((statement) => bareStatement(statement).toLowerCase())
      : [],
  );
  const made = new Set(statements.flatMap((code) => /^create table (?:if not exists )?(\w+)/.exec(code)?.[1] ?? []));
  const isLarge = (table: string): boolean => table !== '' && !made.has(table) && !SMALL.has(table);
  const found = statements.flatMap((code) =>
    RULES.filter(([, isBroken]) => isBroken(code, isLarge)).map(([what]) => what),
  );
  const validates = statements.some((code) => /\bvalidate constraint\b/.test(code));
  if (validates && steps.length === 1 && statements.length > 1)
    found.push('validates a constraint in one transaction with others; let the file run in steps');
  return found;
}

/** The actions of an `alter table`, at the commas between them. */
function actionsOf(text: string): string[] {
  let depth = 0;
  let action = '';
  const actions: string[] = [];
  for (const sign of text) {
    if (sign === '(') depth += 1;
    if (sign === ')') depth -= 1;
    if (sign === ',' && depth === 0) {
      actions.push(action.trim());
      action = '';
    } else {
      action += sign;
    }
  }
  return [...actions, action.trim()];
}
