import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { readConfig } from '../../src/lib/config.ts';
import { SETTINGS, type Setting } from '../../src/lib/settings/table.ts';
import { ENV_EXAMPLE, envExampleText, knownNames, RUNBOOK, runbookText } from './settings.ts';

const rows: readonly Setting<unknown>[] = Object.values(SETTINGS);

test(`${ENV_EXAMPLE} is what npm run settings writes`, () => {
  assert.equal(readFileSync(ENV_EXAMPLE, 'utf8'), envExampleText(), 'the settings have changed: npm run settings');
});

test(`the table of settings in ${RUNBOOK} is what npm run settings writes`, () => {
  const runbook = readFileSync(RUNBOOK, 'utf8');
  assert.equal(runbook, runbookText(runbook), 'the settings have changed: npm run settings');
  assert.throws(() => runbookText('# Runbook'), /lacks the marks/);
});

test('a setting stands in the table once, its group in one place, and its meaning is a sentence', () => {
  const names = knownNames();
  assert.equal(new Set(names).size, names.length);
  const groups = rows.map(({ group }) => group).filter((group, at, all) => group !== all[at - 1]);
  assert.equal(new Set(groups).size, groups.length);
  for (const { name, means } of rows) {
    assert.match(name, /^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$/);
    assert.match(means, /^[A-Z0-9`][^|]*\.$/, name);
  }
});

test('every default and every example can be used', () => {
  for (const { name, form, default: unset, example } of rows) {
    if (unset !== undefined) form.read(unset, name);
    if (example !== undefined && example !== '') form.read(example, name);
  }
  const lines = readFileSync(ENV_EXAMPLE, 'utf8').matchAll(/^#([A-Z_]+)=(.+)$/gm);
  const examples: Record<string, string> = Object.fromEntries(
    [...lines].map(([, name = '', value = '']): [string, string] => [name, value]),
  );
  const secrets = { SECRET_KEY: 'k'.repeat(32), STRIPE_SECRET_KEY: 'sk', STRIPE_WEBHOOK_SECRET: 'whsec' };
  const config = readConfig({ ...examples, ...secrets });
  assert.deepEqual(config.seller.addressLines, ['12 Mill Lane', 'Leeds', 'LS1 4DY']);
});

/** The embedded PostgreSQL is started with the system's own. */
const OF_THE_SYSTEM = 'PATH';

/** The samples of the reference are code of a customer, with a setting of theirs. */
const OF_CUSTOMERS = 'src/http/contract/samples.ts';

test('product code reads no setting past the table', () => {
  const read = globSync('src/**/*.ts')
    .filter((path) => !path.endsWith('.test.ts') && path !== OF_CUSTOMERS)
    .flatMap((path) => [...readFileSync(path, 'utf8').matchAll(/\bprocess\.env\.([A-Z_]+)/g)].map(([, name]) => name));
  assert.ok(read.length > 0, 'the pattern finds what it looks for');
  assert.deepEqual(
    read.filter((name = '') => name !== OF_THE_SYSTEM && !knownNames().includes(name)),
    [],
  );
});
