import { writeFileSync } from 'node:fs';
import type { Personal } from '../../src/privacy/register/entry.ts';
import { PLACES } from '../../src/privacy/register/places.ts';
import { TABLES } from '../../src/privacy/register/register.ts';
import { GROUNDS, KEPT, PURPOSES } from '../../src/privacy/register/terms.ts';

/** The page that is written from the register of personal data. */
export const PAGE = 'docs/personal-data.md';

const HEADER = ['| Where | Whose | What | Why | Kept | An erasure |', '|---|---|---|---|---|---|'];

/** `npm run personal-data`: writes the page anew. */
if (import.meta.main) writeFileSync(PAGE, pageText());

/** The register as a page for people. */
export function pageText(): string {
  const tables = Object.entries(TABLES).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const without = tables.filter(([, { personal }]) => personal === undefined).map(([name]) => `\`${name}\``);
  return [
    '# Personal data',
    '',
    'What Platen holds of people, why, how long, and what erases it. Written by `npm run personal-data` from',
    '`src/privacy/register`; a test fails when the database has a column that is not in it.',
    'What to do when a person asks: [the runbook](runbook.md#a-person-asks).',
    '',
    'A *recipient* is who a parcel goes to, a *customer* a person of an account, an *operator* one who works for the shop,',
    'a *caller* anyone else who sends a request.',
    '',
    '## In the database',
    '',
    ...HEADER,
    ...tables.flatMap(([table, { personal = {} }]) =>
      Object.entries(personal).map(([column, entry]) => rowOf(`\`${table}.${column}\``, entry)),
    ),
    '',
    'Every other column of these tables holds none. So do all columns of',
    `${without.join(', ')}.`,
    '',
    '## Files, logs and messages',
    '',
    ...HEADER,
    ...PLACES.flatMap(({ place, about, personal }) =>
      personal === undefined ? [] : [rowOf(`${place}: ${about}`, personal)],
    ),
    '',
    'These hold none:',
    '',
    ...PLACES.flatMap(({ place, about, personal }) => (personal === undefined ? [`- ${place}: ${about}`] : [])),
    '',
    '## Why, and on what ground',
    '',
    '| Purpose | Ground |',
    '|---|---|',
    ...pairs().map(([purpose, ground]) => `| ${PURPOSES[purpose]} | ${GROUNDS[ground]} |`),
    '',
  ].join('\n');
}

function rowOf(where: string, { of, what, purpose, kept, erasure }: Personal): string {
  return `| ${where} | ${of} | ${what} | ${PURPOSES[purpose]} | ${KEPT[kept]} | ${erasure} |`;
}

/** Each purpose with the grounds that it has, once. */
function pairs(): [keyof typeof PURPOSES, keyof typeof GROUNDS][] {
  const all = [
    ...Object.values(TABLES).flatMap(({ personal = {} }) => Object.values(personal)),
    ...PLACES.flatMap(({ personal }) => personal ?? []),
  ];
  const seen = new Map(all.map(({ purpose, ground }) => [`${purpose} ${ground}`, [purpose, ground] as const]));
  return [...seen.values()].map(([purpose, ground]) => [purpose, ground]);
}
