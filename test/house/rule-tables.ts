import { readFileSync, writeFileSync } from 'node:fs';
import { type NamedTest, type RuleState, type RuleTable, readTitles, ruleStates } from './named-rules.ts';

/** The tables, each written from the JSON file of the same name. */
export const RULE_TABLES = ['docs/generated/spec-rules', 'docs/generated/bad-input'] as const;

/** A rule lists this many of its tests; the rest are counted. */
const TESTS_SHOWN_MAX = 4;

/** `npm run rules`: writes the tables anew and says how many rules have no test. */
if (import.meta.main) {
  const titles = readTitles();
  for (const name of RULE_TABLES) {
    const states = statesOf(name, titles);
    writeFileSync(`${name}.md`, tableText(readTable(name), states));
    const gaps = gapsOf(states).map(({ number }) => number);
    process.stdout.write(`${name}.md: ${gaps.length} of ${states.length} without a test\n`);
    for (const number of gaps) process.stdout.write(`  ${number}\n`);
  }
}

export function statesOf(name: string, titles: readonly NamedTest[]): readonly RuleState[] {
  return ruleStates(readTable(name), titles);
}

/** The rules that no test names and that are not put off. */
export function gapsOf(states: readonly RuleState[]): readonly RuleState[] {
  return states.filter(({ tests, later }) => tests.length === 0 && later === undefined);
}

export function readTable(name: string): RuleTable {
  return JSON.parse(readFileSync(`${name}.json`, 'utf8')) as RuleTable;
}

/** The page of a table: what it is, how it stands, and a row a rule. */
export function tableText(table: RuleTable, states: readonly RuleState[]): string {
  const stateOf = new Map(states.map((state) => [state.number, state]));
  const later = states.filter((state) => state.later !== undefined && state.tests.length === 0);
  const gaps = gapsOf(states);
  const held = states.length - later.length - gaps.length;
  const groups = table.groups.flatMap(({ title, rows }) => [
    `## ${title}`,
    '',
    '| Number | Rule | Tests that name it |',
    '|---|---|---|',
    ...Object.keys(rows).map((number) => rowText(stateOf.get(number))),
    '',
  ]);
  return [
    `# ${table.title}`,
    '',
    ...table.introduction,
    '',
    'Written by `npm run rules` from the titles of the tests; a test of the house fails when this page is behind.',
    '',
    `**${states.length} rules: ${held} named by a test, ${later.length} put off with a reason, ${gaps.length} without a test.**`,
    '',
    ...groups,
  ].join('\n');
}

function rowText(state: RuleState | undefined): string {
  if (state === undefined) return '';
  const { number, says, tests, later } = state;
  const shown = tests.slice(0, TESTS_SHOWN_MAX).map(({ file, title }) => `\`${file}\` ${escaped(withoutNames(title))}`);
  const more = tests.length > TESTS_SHOWN_MAX ? [`and ${tests.length - TESTS_SHOWN_MAX} more`] : [];
  const none = later === undefined ? '**no test**' : `*later:* ${later}`;
  return `| ${number} | ${says} | ${tests.length === 0 ? none : [...shown, ...more].join('<br>')} |`;
}

/** A title without the numbers in brackets at its end: the table says them already. */
function withoutNames(title: string): string {
  return title.replace(/ \((?:(?:[A-N]\d+|\d(?:\.\d+)*)(?: [^,()]+)?(?:, |(?=\))))+\)$/, '');
}

function escaped(title: string): string {
  return title.replaceAll(/[\\`*_|<>[\]]/g, (sign) => `\\${sign}`);
}
