import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { describe, test } from 'node:test';

/** The line of slices (ARCHITECTURE.md): an import may only point left. */
const LINE = [
  'lib',
  'accounts',
  'webhooks',
  'catalogue',
  'artwork',
  'products',
  'brands',
  'pricing',
  'billing',
  'orders',
  'payments',
  'refunds',
  'invoices',
  'books',
  'checkout',
  'production',
  'shipments',
  'problems',
  'channels',
  'privacy',
  'http',
  'oauth',
  'verify',
  'backup',
  'app',
  'bin',
];

type SourceFile = {
  readonly path: string;
  readonly slice: string;
  readonly text: string;
  readonly imports: readonly string[];
};

const sources: readonly SourceFile[] = [...globSync('src/**/*.ts'), ...globSync('packages/*/src/**/*.ts')]
  .map((path) => path.replaceAll('\\', '/'))
  .toSorted()
  .map((path) => {
    const text = readFileSync(path, 'utf8');
    const imports = [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map((match) =>
      posix.join(posix.dirname(path), match[1] ?? ''),
    );
    return { path, slice: path.startsWith('packages/') ? 'packages' : (path.split('/')[1] ?? ''), text, imports };
  });
const product = sources.filter(({ path }) => !path.endsWith('.test.ts') && !path.endsWith('fixture.ts'));

/** Fails with every place that breaks a rule, so that one run shows all of them. */
function none(places: readonly string[], rule: string): void {
  assert.deepEqual(places, [], rule);
}

describe('the order of the slices', () => {
  test('every folder of src stands on the line', () => {
    none(
      [...new Set(sources.map(({ slice }) => slice))].filter((slice) => slice !== 'packages' && !LINE.includes(slice)),
      'unknown folders',
    );
  });

  test('an import points left or stays where it is', () => {
    const wrong = product.flatMap(({ path, slice, imports }) =>
      imports
        .filter((target) => target.startsWith('src/') && LINE.indexOf(target.split('/')[1] ?? '') > LINE.indexOf(slice))
        .map((target) => `${path} imports ${target}`),
    );
    none(wrong, 'imports that point right');
  });

  test('TypeBox is imported in one place, which loads it from one file (ADR 0064)', () => {
    const others = sources.filter(({ path, text }) => path !== 'src/lib/typebox.ts' && /from 'typebox/.test(text));
    none(
      others.map(({ path }) => path),
      'files that import TypeBox themselves',
    );
  });

  test('product code imports nothing of the tests', () => {
    none(
      product.filter(({ imports }) => imports.some((target) => target.startsWith('test/'))).map(({ path }) => path),
      'product code that needs the tests',
    );
  });

  test('there is no circle of imports', () => {
    const graph = new Map(product.map(({ path, imports }) => [path, imports]));
    const done = new Set<string>();
    const circles: string[] = [];
    const visit = (path: string, trail: readonly string[]): void => {
      if (trail.includes(path)) {
        circles.push([...trail.slice(trail.indexOf(path)), path].join(' → '));
        return;
      }
      if (done.has(path)) return;
      for (const next of graph.get(path) ?? []) visit(next, [...trail, path]);
      done.add(path);
    };
    for (const { path } of product) visit(path, []);
    none(circles, 'circles');
  });
});

describe('what never happens', () => {
  test('SQL text stands in sql.ts, the ledger and the fragments that larger statements are made of', () => {
    const allowed = /(^|\/)(([a-z]+-)*sql\.ts|db\.ts|migrate\.ts|queue\.ts|ledger\.ts|publish\.ts)$/;
    const sql = /\b(insert into [a-z_]+|update [a-z_]+ set|delete from [a-z_]+|select [^\n]* from [a-z_]+)\b/i;
    const wrong = product
      .filter(({ path }) => !allowed.test(path))
      .filter(({ text }) => sql.test(withoutComments(text)))
      .map(({ path }) => path);
    none(wrong, 'SQL outside its place');
  });

  test("a slice's sql.ts is private to it, but for the fragments and reads that name it", () => {
    // A statement over several slices; these are the seams it is sewn at.
    const seams = new Set([
      'src/payments/settle-sql.ts → src/artwork/needs/need-sql.ts',
      'src/checkout/place-sql.ts → src/products/sql.ts',
      'src/checkout/place-sql.ts → src/brands/sql.ts',
      'src/production/sql.ts → src/orders/move-sql.ts',
    ]);
    // An order is one thing over these slices: they read, lock and move it by the same statements.
    const ofAnOrder = ['payments', 'refunds', 'invoices', 'checkout', 'problems'];
    const openToThem = [
      'src/orders/read-sql.ts',
      'src/orders/move-sql.ts',
      'src/payments/attempt-sql.ts',
      'src/payments/disputes/set-off-sql.ts',
    ];
    const wiring = ['http', 'oauth', 'verify', 'app', 'bin'];
    // `lib` is no slice: what it has is there for all.
    const wrong = product.flatMap(({ path, slice, imports, text }) =>
      imports
        .filter((target) => /[/-]sql\.ts$/.test(target) && ![slice, 'lib'].includes(target.split('/')[1] ?? ''))
        .filter((target) => !(ofAnOrder.includes(slice) && openToThem.includes(target)))
        .filter((target) => !seams.has(`${path} → ${target}`) && !wiring.includes(slice))
        .filter((target) => !importsTypesOnly(text, target) && !isNamedException(path, target))
        .map((target) => `${path} → ${target}`),
    );
    none(wrong, 'reaching into another slice');
  });

  test('only the ledger writes postings', () => {
    const wrong = product
      .filter(({ path }) => path !== 'src/billing/ledger.ts')
      .filter(({ text }) => /insert into posting\b/i.test(text))
      .map(({ path }) => path);
    none(wrong, 'postings written elsewhere');
  });

  test('only webhooks write events', () => {
    const wrong = product
      .filter(({ slice, text }) => slice !== 'webhooks' && /insert into (event|webhook_delivery)\b/i.test(text))
      .map(({ path }) => path);
    none(wrong, 'events written elsewhere');
  });

  test("nobody but lib/outbound contacts a stranger's server", () => {
    const wrong = product
      .filter(({ path }) => !path.startsWith('src/lib/outbound/') && !path.startsWith('src/bin/demo'))
      .filter(({ text }) =>
        /from 'undici'|from 'node:https?'|\bfetch\(|from 'node:tls'/.test(withoutTypeImports(withoutComments(text))),
      )
      .filter(({ slice }) => !['http', 'oauth'].includes(slice))
      // A server for development, which calls nobody.
      .filter(({ path }) => path !== 'src/bin/artwork-folder.ts')
      .map(({ path }) => path);
    none(wrong, 'other ways out');
  });

  test("nobody but payments/stripe loads the payment provider's own library, the one other way out", () => {
    const wrong = product
      .filter(({ path }) => !path.startsWith('src/payments/stripe/'))
      .filter(({ text }) => /(from|import\() ?'stripe'/.test(withoutComments(text)))
      .map(({ path }) => path);
    none(wrong, 'other ways to the payment provider');
  });

  test('money is never a float: no parseFloat, toFixed or pounds outside schema, view and the command line', () => {
    const allowed = /(schema|view|money|start)\.ts$|src\/bin\//;
    const wrong = product
      .filter(({ path }) => !allowed.test(path))
      .filter(({ text }) => /parseFloat|\.toFixed\(/.test(withoutComments(text)))
      .map(({ path }) => path);
    none(wrong, 'floats near money');
  });

  test('no rule is decided by the clock of the machine or now() in SQL', () => {
    const allowed = /^(src\/(lib|bin)|packages)\//;
    const wrong = product
      .filter(({ path }) => !allowed.test(path))
      .filter(
        ({ text }) =>
          /\bnow\(\)(?! *[=;)])/.test(withoutComments(text).replaceAll(/clock\.now\(\)|performance\.now\(\)/g, '')) ||
          /Date\.now\(\)/.test(withoutComments(text)),
      )
      .map(({ path }) => path);
    none(wrong, 'other clocks');
  });

  test('no default export, no enum, no class but errors', () => {
    const wrong = product.flatMap(({ path, text }) => {
      const code = withoutComments(text);
      const found = [
        /\bexport default\b/.test(code) ? 'default export' : '',
        /\benum [A-Z]/.test(code) ? 'enum' : '',
        ...[...code.matchAll(/\bclass (\w+) extends (\w+)|\bclass (\w+) \{/g)].map((match) =>
          /Error$/.test(match[2] ?? '') ? '' : `class ${match[1] ?? match[3] ?? ''}`,
        ),
      ];
      return found.filter((what) => what !== '').map((what) => `${path}: ${what}`);
    });
    none(wrong, 'forms that are not used here');
  });

  test('no word that stands for unfinished work, and no path of a machine', () => {
    const words = /\b(todo|fixme|hack|xxx|placeholder|for now|dummy|not implemented)\b/i;
    // In this case of letters: `/users/:id` is a path of the API.
    const machine = /\/(root|home|work|Users)\//;
    const wrong = sources.flatMap(({ path, text }) =>
      text
        .split('\n')
        .flatMap((line, index) =>
          (words.test(line) || machine.test(line)) && !line.includes('not_implemented')
            ? `${path}:${index + 1}: ${line.trim()}`
            : [],
        ),
    );
    none(
      wrong.filter((line) => !line.includes('.test.ts')),
      'unfinished words',
    );
  });

  test('the type checker is not silenced', () => {
    // The comments that silence a checker count; a sentence with the word in it does not.
    const wrong = sources
      .filter(
        ({ text }) =>
          /\bas any\b|: any\b/.test(withoutComments(text)) ||
          /@ts-(ignore|expect-error|nocheck)|biome-ignore|oxlint-disable|eslint-disable/.test(text),
      )
      .map(({ path }) => path);
    none(wrong, 'loosened rules');
  });
});

describe('files', () => {
  test('a file of product code has at most 400 lines', () => {
    // 300 is where one thinks again; a slice's statements stay together in its sql.ts.
    const wrong = product
      .filter(({ path, text }) => !path.endsWith('sql.ts') && text.split('\n').length > 400)
      .map(({ path, text }) => `${path}: ${text.split('\n').length} lines`);
    none(wrong, 'long files');
  });

  test('every exported function says what it is for', () => {
    const wrong = product.flatMap(({ path, text }) => {
      const lines = text.split('\n');
      return lines.flatMap((line, index) => {
        const name = /^export (?:async )?function (\w+)/.exec(line)?.[1];
        if (name === undefined || name.endsWith('View')) return [];
        const above = lines[index - 1]?.trim() ?? '';
        return above.endsWith('*/') ? [] : [`${path}: ${name}`];
      });
    });
    none(wrong, 'exported functions without a sentence');
  });

  test('tests that are skipped, or that alone would run, do not exist', () => {
    const tests = globSync('{src,packages,test,bench}/**/*.test.ts', { exclude: ['**/node_modules/**'] }).map(
      (path) => ({ path, text: readFileSync(path, 'utf8') }),
    );
    none(
      tests
        .filter(({ text }) => /\b(test|describe|it)\.(only|todo)\(|\bonly: true|\btodo: true/.test(text))
        .map(({ path }) => path),
      'tests set apart',
    );
  });
});

function withoutComments(text: string): string {
  return text.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/(^|\s)\/\/[^\n]*/g, '$1');
}

function withoutTypeImports(text: string): string {
  return text.replaceAll(/import type [^;]+;/g, '');
}

function importsTypesOnly(text: string, target: string): boolean {
  const file = target.split('/').slice(-2).join('/');
  const statements = [...text.matchAll(/import ([^;]+?) from '([^']+)'/g)].filter((match) =>
    (match[2] ?? '').endsWith(file),
  );
  return statements.length > 0 && statements.every((match) => (match[1] ?? '').startsWith('type '));
}

/** Conductors that write for an earlier slice in their own transaction, each for a reason that its docstring gives. */
function isNamedException(path: string, target: string): boolean {
  return EXCEPTIONS.has(`${path} → ${target}`);
}

const EXCEPTIONS = new Set([
  'src/pricing/import-catalogue.ts → src/catalogue/sql.ts',
  'src/checkout/place-order.ts → src/artwork/sql.ts',
  'src/checkout/prepare-basket.ts → src/products/sql.ts',
]);
