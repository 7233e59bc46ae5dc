import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { parser } from '@prometheus-io/lezer-promql';
import { parse } from 'yaml';
import { createLog, silentLog } from '../../src/lib/log.ts';
import { createSlowLog } from '../../src/lib/metrics/slow-statements.ts';
import { eventually } from '../harness/context.ts';
import { readMetrics } from '../harness/metrics.ts';
import { startTestService, type TestService } from '../harness/service.ts';

// The alert rules and the dashboard name metrics, labels and values of labels. All of them are looked for in what a
// running service shows, and the rules are held to the alarms of the runbook.

type Rule = {
  readonly alert?: string;
  readonly record?: string;
  readonly expr: string;
  readonly labels?: { readonly severity: string };
  readonly annotations?: { readonly summary: string; readonly runbook: string };
};
type Panel = {
  readonly id: number;
  readonly title: string;
  readonly datasource?: { readonly uid: string };
  readonly gridPos: { readonly h: number; readonly w: number; readonly x: number; readonly y: number };
  readonly targets?: readonly {
    readonly expr: string;
    readonly legendFormat: string;
    readonly datasource: { uid: string };
  }[];
};
type Dashboard = {
  readonly panels: readonly Panel[];
  readonly templating: { readonly list: readonly { readonly name: string; readonly definition?: string }[] };
};

const { groups } = parse(readFileSync('deploy/prometheus/rules.yaml', 'utf8')) as { groups: { rules: Rule[] }[] };
const rules = groups.flatMap((group) => group.rules);
const alerts = rules.flatMap((rule) => (rule.alert === undefined ? [] : [{ ...rule, alert: rule.alert }]));
const dashboard = JSON.parse(readFileSync('deploy/grafana/dashboard.json', 'utf8')) as Dashboard;
const runbook = readFileSync('docs/runbook.md', 'utf8');

/** Labels that Prometheus gives to every series of a scrape. */
const OF_THE_SCRAPE = ['instance', 'job'];
/** Labels whose values come as they are needed, so that a fresh service shows few of them. */
const OPEN_LABELS = [...OF_THE_SCRAPE, 'message', 'status'];

/** What is known of a metric: its labels, and the values that a service shows of them. */
type Known = Map<string, Map<string, Set<string>>>;

let service: TestService;
let known: Known;
before(async () => {
  // A figure of Shopify is shown where its shops can be connected.
  const shopify = { SHOPIFY_CLIENT_ID: 'an app of the tests', SHOPIFY_CLIENT_SECRET: 'its secret in the tests' };
  service = await startTestService({ env: shopify });
  const { url } = service;
  // What a healthy service has no series of.
  createLog('silent').warn({}, 'a line of the test');
  createSlowLog(silentLog, 0)({ name: 'a_statement', text: '', ms: 1, rows: 0, failure: undefined });
  await service.customer.request('GET', '/orders');
  const sampled = async () => ((await readMetrics(url)).get('platen_sampled_timestamp_seconds') ?? 0) > 0;
  await eventually('the figures are sampled', sampled);
  known = knownOf(await readMetrics(url));
  known.set('up', new Map(OF_THE_SCRAPE.map((label) => [label, new Set()])));
  for (const { record, expr } of rules) {
    const [source] = record === undefined ? [] : selectorsOf(expr);
    if (record !== undefined && source !== undefined) known.set(record, known.get(source.metric) ?? new Map());
  }
});
after(() => service.stop());

function knownOf(series: ReadonlyMap<string, number>): Known {
  const found: Known = new Map();
  for (const one of series.keys()) {
    const [, name = '', labels = ''] = /^([^{]+)(?:\{(.*)\})?$/.exec(one) ?? [];
    const values = found.get(name) ?? new Map<string, Set<string>>();
    found.set(name, values);
    for (const [, label = '', value = ''] of labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)) {
      values.set(label, (values.get(label) ?? new Set()).add(value));
    }
    for (const label of OF_THE_SCRAPE) values.set(label, new Set());
  }
  return found;
}

type Selector = { metric: string; matchers: { label: string; operator: string; value: string }[] };

/** The text of an expression as Grafana sends it. */
function sent(expr: string): string {
  return expr.replaceAll('$__rate_interval', '5m');
}

/** Every selector of an expression; throws for one that is no PromQL. */
function selectorsOf(expr: string): Selector[] {
  const found: Selector[] = [];
  const text = sent(expr);
  parser.parse(text).iterate({
    enter: (node) => {
      const part = text.slice(node.from, node.to);
      const last = found.at(-1);
      if (node.type.isError) throw new Error(`no PromQL: ${text} at ${node.from}`);
      if (node.name === 'VectorSelector') found.push({ metric: /^[\w:]*/.exec(part)?.[0] ?? '', matchers: [] });
      if (node.name === 'UnquotedLabelMatcher') {
        const [, label = '', operator = '', value = ''] = /^(\w+)\s*(=~|!=|!~|=)\s*"(.*)"$/s.exec(part) ?? [];
        last?.matchers.push({ label, operator, value });
      }
    },
  });
  return found;
}

/** The labels that an expression groups or joins by. */
function groupingsOf(expr: string): string[] {
  const found: string[] = [];
  const text = sent(expr);
  parser.parse(text).iterate({
    enter: (node) => {
      if (node.name === 'LabelName' && node.node.parent?.name === 'GroupingLabels')
        found.push(text.slice(node.from, node.to));
    },
  });
  return found;
}

/** What an expression, and the texts shown with it, name that the service does not show. */
function unknownIn(where: string, expr: string, shown: readonly string[] = []): string[] {
  const selectors = selectorsOf(expr);
  if (selectors.length === 0) return [`${where}: names no metric`];
  const wrong = selectors.flatMap(({ metric, matchers }) => {
    const labels = known.get(metric);
    if (labels === undefined) return [`${where}: no metric ${metric}`];
    return matchers.flatMap(({ label, operator, value }) => {
      const values = labels.get(label);
      if (values === undefined) return [`${where}: ${metric} has no label ${label}`];
      const isShown = operator !== '=' || OPEN_LABELS.includes(label) || values.has(value);
      return isShown ? [] : [`${where}: ${metric} shows no ${label}="${value}"`];
    });
  });
  const labels = new Set(selectors.flatMap(({ metric }) => [...(known.get(metric)?.keys() ?? [])]));
  const named = [...groupingsOf(expr), ...shown];
  return [...wrong, ...named.filter((label) => !labels.has(label)).map((label) => `${where}: no label ${label}`)];
}

describe('the alert rules', () => {
  test('name nothing that a service does not show', () => {
    assert.ok(alerts.length > 30, 'the rules were read');
    const wrong = rules.flatMap(({ alert, record, expr, annotations }) => {
      const shown = [...(annotations?.summary ?? '').matchAll(/\$labels\.(\w+)/g)].map(([, label = '']) => label);
      return unknownIn(alert ?? record ?? '', expr, shown);
    });
    assert.deepEqual(wrong, []);
  });

  test('show only labels that are left of their expression', () => {
    const wrong = alerts.flatMap(({ alert, expr, annotations }) => {
      if (!/^(sum|max)\b/.test(expr)) return [];
      const kept = groupingsOf(expr);
      const shown = [...(annotations?.summary ?? '').matchAll(/\$labels\.(\w+)/g)].map(([, label = '']) => label);
      return shown.filter((label) => !kept.includes(label)).map((label) => `${alert}: ${label}`);
    });
    assert.deepEqual(wrong, []);
  });

  test('wait for messages that the code logs', () => {
    const sources = globSync(['src/**/*.ts', 'packages/*/src/**/*.ts'])
      .filter((path) => !path.endsWith('.test.ts'))
      .map((path) => readFileSync(path, 'utf8'));
    const messages = rules.flatMap(({ expr }) => messagesOf(expr));
    assert.ok(messages.length > 20, 'the messages were read');
    // A constant of the code: as it stands, or up to the colon behind which the variable part is.
    const isLogged = (message: string) =>
      sources.some((text) => text.includes(`'${message}'`) || text.includes(`'${message}: `));
    assert.deepEqual(
      messages.filter((message) => !isLogged(message)),
      [],
    );
  });

  test('take no answer for a failure that the specification asks for: quotes are 501', () => {
    const { expr = '' } = alerts.find(({ alert }) => alert === 'PlatenErrorShare') ?? {};
    const [failures] = selectorsOf(expr);
    const counts = (status: string) =>
      failures?.matchers.every(({ operator, value }) => {
        const isMatch = new RegExp(`^(?:${value})$`).test(status);
        return operator.startsWith('!') ? !isMatch : isMatch;
      });
    assert.deepEqual(['500', '502', '503', '501', '404'].map(counts), [true, true, true, false, false]);
  });

  test('are the alarms of the runbook, each in its section, with a severity', () => {
    for (const section of ['Alarms by figures', 'Alarms by log lines']) {
      const listed = alarmsOf(section).map(([name]) => name);
      const held = alerts.filter(({ annotations }) => annotations?.runbook === `docs/runbook.md, "${section}"`);
      assert.deepEqual(
        held.map(({ alert }) => alert),
        listed,
        section,
      );
    }
    const severities = new Set(alerts.map(({ labels }) => labels?.severity));
    assert.deepEqual(severities, new Set(['critical', 'info', 'warning']));
    assert.equal(alarmsOf('Alarms by figures').length + alarmsOf('Alarms by log lines').length, alerts.length);
  });

  test('by log lines wait for the message that the runbook has beside them', () => {
    const wrong = alarmsOf('Alarms by log lines').flatMap(([name, , message = '']) => {
      const waited = messagesOf(alerts.find(({ alert }) => alert === name)?.expr ?? '');
      // Names of fields follow after `with`.
      const heads = [...(message.split(' with ')[0] ?? '').matchAll(/`([^`]+)`/g)].map(([, text = '']) =>
        (text.split(':')[0] ?? '').replace(/ *…$/, ''),
      );
      const isHeld = heads.length > 0 && heads.every((head) => waited.some((one) => one.startsWith(head)));
      return isHeld ? [] : [`${name}: ${message}`];
    });
    assert.deepEqual(wrong, []);
  });
});

function messagesOf(expr: string): string[] {
  return selectorsOf(expr).flatMap(({ matchers }) =>
    matchers.filter(({ label }) => label === 'message').flatMap(({ value }) => value.split('|')),
  );
}

/** The rows of the table of a section of the runbook, the first cell without its backticks. */
function alarmsOf(section: string): string[][] {
  const text = runbook.split(`### ${section}\n`)[1]?.split(/\n##/)[0] ?? '';
  return text
    .split('\n')
    .filter((line) => line.startsWith('| `Platen'))
    .map((line) =>
      line
        .split('|')
        .slice(1)
        .map((cell) => cell.trim()),
    )
    .map(([name = '', ...cells]) => [name.replaceAll('`', ''), ...cells]);
}

describe('the dashboard', () => {
  const targets = dashboard.panels.flatMap(({ title, targets: of = [] }) => of.map((target) => ({ title, ...target })));

  test('names nothing that a service does not show', () => {
    assert.ok(targets.length > 25, 'the panels were read');
    const wrong = targets.flatMap(({ title, expr, legendFormat }) => {
      const shown = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label = '']) => label);
      return unknownIn(title, expr, shown);
    });
    assert.deepEqual(wrong, []);
    for (const { definition } of dashboard.templating.list) {
      const metric = definition === undefined ? undefined : /label_values\((\w+),/.exec(definition)?.[1];
      assert.ok(metric === undefined || known.has(metric), definition);
    }
  });

  test('has no data source of its own: it is chosen', () => {
    const sources = dashboard.panels.flatMap(({ datasource, targets: of = [] }) => [
      ...(datasource === undefined ? [] : [datasource.uid]),
      ...of.map((target) => target.datasource.uid),
    ]);
    assert.ok(sources.length > 50, 'the sources were read');
    assert.deepEqual(new Set(sources.map((uid) => uid.replace('$', ''))), new Set(['{datasource}']));
  });

  test('has panels that do not lie over one another', () => {
    const ids = dashboard.panels.map(({ id }) => id);
    assert.equal(new Set(ids).size, ids.length);
    const taken = new Set<string>();
    for (const { title, gridPos } of dashboard.panels) {
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x += 1) {
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y += 1) {
          assert.ok(x < 24 && !taken.has(`${x} ${y}`), title);
          taken.add(`${x} ${y}`);
        }
      }
    }
  });
});

test('the runbook lists every metric of the service with its labels, and no other', () => {
  const rows = runbook.split('## Metrics\n')[1]?.split('\n## ')[0]?.split('\n') ?? [];
  const listed = rows
    .filter((line) => line.startsWith('| `platen_'))
    .flatMap((line) => {
      const [, names = '', labels = ''] = line.split('|');
      const wordsOf = (cell: string) => [...cell.matchAll(/`(\w+)`/g)].map(([, word = '']) => word);
      return wordsOf(names).map((name) => rowOf(name, wordsOf(labels)));
    });
  const shown = new Set<string>();
  for (const [series, labels] of known) {
    if (!series.startsWith('platen_')) continue;
    const name = known.has(`${series.replace(/_(bucket|sum|count)$/, '')}_bucket`)
      ? series.replace(/_(bucket|sum|count)$/, '')
      : series;
    const own = [...labels.keys()].filter((label) => label !== 'le' && !OF_THE_SCRAPE.includes(label));
    shown.add(rowOf(name, own));
  }
  assert.deepEqual(new Set(listed), shown);
  assert.equal(listed.length, shown.size);
});

function rowOf(name: string, labels: readonly string[]): string {
  return `${name} ${labels.toSorted((a, b) => a.localeCompare(b)).join(' ')}`;
}

describe('what the rules are held by finds', () => {
  const cases: readonly (readonly [what: string, expr: string, wrong: RegExp])[] = [
    ['a metric that does not exist', 'platen_orders > 0', /no metric platen_orders$/],
    ['a part of a histogram that does not exist', 'platen_webhook_lag_seconds > 0', /no metric/],
    ['a label that does not exist', 'platen_orders_total{result="placed"}', /has no label result/],
    ['a value that is never shown', 'platen_orders_total{outcome="lost"}', /shows no outcome="lost"/],
    ['a group by a label that does not exist', 'sum by (queue) (platen_queue_jobs)', /no label queue/],
    ['no metric at all', 'time() > 0', /names no metric/],
  ];
  for (const [what, expr, wrong] of cases) {
    test(what, () => {
      assert.match(unknownIn('here', expr).join(), wrong);
    });
  }
  test('what is no PromQL', () => {
    assert.throws(() => unknownIn('here', 'sum(platen_queue_jobs > )'), /no PromQL/);
  });
});
