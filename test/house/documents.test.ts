import assert from 'node:assert/strict';
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { describe, test } from 'node:test';

/** The documents that people write; decisions are of their day, and docs/generated is made by commands. */
const DOCUMENTS = [
  '{README,ARCHITECTURE,CONTRIBUTING,STYLE,SECURITY}.md',
  'docs/*.md',
  '{src,packages,data}/*/README.md',
  '{sdk,test}/**/README.md',
];

/** Names in backticks that are no file of the repository. */
const ELSEWHERE = new Map([
  ['docs/walk-through-artwork.md', ['front.png']], // a file of the reader
  ['docs/runbook.md', ['backup.json']], // a file of a backup
  ['docs/third-party.md', ['sbom.cdx.json', 'README.md']], // files of packages of others
]);

/** Names tests in short; test/house/spec-decisions.test.ts looks for those. */
const SHORT_NAMES = 'docs/spec-decisions.md';

const FILE = /^(?!\.)[\w@.{},*-]+(\/[\w@.{},*-]+)*\.(ts|js|md|sql|json|ya?ml|css|html|png|svg)$/;
const FOLDER = /^\.?[\w@{},*-]+(\/[\w@.{},*-]+)*\/?$/;

const topFolders = new Set([...foldersOf('.'), ...foldersOf('src')]);
const scripts = new Set(
  Object.keys((JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> }).scripts),
);
const documents = DOCUMENTS.flatMap((pattern) => globSync(pattern, { exclude: ['**/node_modules/**'] }))
  .map((path) => path.replaceAll('\\', '/'))
  .toSorted()
  .map((path) => ({ path, text: readFileSync(path, 'utf8') }));

describe('documents', () => {
  test('every file and folder that a document names is there', () => {
    assert.ok(documents.length > 25, 'the documents were read');
    none(
      documents.flatMap(({ path, text }) =>
        namesIn(text).flatMap((name) => (isThere(path, name) ? [] : [`${path}: ${name}`])),
      ),
      'names of what is not there',
    );
  });

  test('every link within the repository leads to a file, and to a heading of it', () => {
    none(
      documents.flatMap(({ path, text }) =>
        linksIn(text).flatMap((link) => (leads(path, link) ? [] : [`${path}: ${link}`])),
      ),
      'links that lead nowhere',
    );
  });

  test('every command of npm that a document names is in package.json', () => {
    none(
      documents.flatMap(({ path, text }) =>
        scriptsIn(text).flatMap((name) => (scripts.has(name) ? [] : [`${path}: npm run ${name}`])),
      ),
      'commands that are not there',
    );
  });

  test('every slice has a README', () => {
    none(
      foldersOf('src').filter((slice) => !existsSync(`src/${slice}/README.md`)),
      'slices without a README',
    );
  });

  test('the line in ARCHITECTURE.md is the line that test/house/rules.test.ts holds', () => {
    const rules = readFileSync('test/house/rules.test.ts', 'utf8');
    const held = [...(/const LINE = \[([^\]]+)\]/.exec(rules)?.[1] ?? '').matchAll(/'(\w+)'/g)].map(([, name]) => name);
    const block = /```\n(lib →[^`]+)```/.exec(readFileSync('ARCHITECTURE.md', 'utf8'))?.[1] ?? '';
    assert.ok(held.length > 15, 'the line was read');
    assert.deepEqual(block.split(/[\s→]+/).filter(Boolean), held);
  });
});

describe('what counts as a name', () => {
  const cases: readonly (readonly [text: string, names: readonly string[]])[] = [
    ['`src/lib/db.ts` and `quote.ts`', ['src/lib/db.ts', 'quote.ts']],
    ['`test/faults/{kill,cancel}.test.ts`', ['test/faults/{kill,cancel}.test.ts']],
    ['`<verb>-<noun>.ts` in `src/<slice>/`', ['*-*.ts', 'src/*/']],
    ['`lib/outbound`, `docs/decisions/`', ['lib/outbound', 'docs/decisions/']],
    ['`.test.ts`, `/orders/{id}`, `application/json`, `orders/PF-…`, `ctx.clock`', []],
    ['```sh\nnode src/none.ts\n```\nand `src/bin`', ['src/bin']],
  ];
  for (const [text, names] of cases) {
    test(text.replaceAll('\n', ' '), () => {
      assert.deepEqual(namesIn(text), names);
    });
  }
});

/** Fails with every place that breaks a rule, so that one run shows all of them. */
function none(places: readonly string[], rule: string): void {
  assert.deepEqual(places, [], rule);
}

function foldersOf(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !/^(\.|node_modules$)/.test(entry.name))
    .map(({ name }) => name);
}

/** What stands in backticks outside of examples and has the form of a path; `<word>` stands for any name. */
function namesIn(text: string): string[] {
  return [...withoutExamples(text).matchAll(/`([^`\n]+)`/g)]
    .map(([, code]) => (code ?? '').replaceAll(/<[\w-]+>/g, '*'))
    .filter((code) => FILE.test(code) || (FOLDER.test(code) && isUnderFolder(code)));
}

function isUnderFolder(code: string): boolean {
  return code.includes('/') && topFolders.has(code.split('/')[0] ?? '');
}

/** A name counts from the root, from `src`, from the document's folder, and without a folder from any slice. */
function isThere(document: string, name: string): boolean {
  if (ELSEWHERE.get(document)?.includes(name) === true) return true;
  if (document === SHORT_NAMES && !FILE.test(name)) return true;
  const isOfSlice = document.startsWith('src/');
  const bases = ['.', 'src', posix.dirname(document), ...(name.includes('/') || isOfSlice ? [] : ['src/*'])];
  return bases.some((base) => globSync(posix.join(base, name)).length > 0);
}

function linksIn(text: string): string[] {
  return [...withoutExamples(text).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target]) => target ?? '')
    .filter((target) => !/^[a-z]+:/.test(target));
}

function leads(document: string, link: string): boolean {
  const [file = '', anchor] = link.split('#');
  const target = file === '' ? document : posix.join(posix.dirname(document), file);
  if (!existsSync(target)) return false;
  if (anchor === undefined) return true;
  return [...readFileSync(target, 'utf8').matchAll(/^#+ (.+)$/gm)].some(([, title]) => slugOf(title ?? '') === anchor);
}

function slugOf(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^\w\s-]/g, '')
    .trim()
    .replaceAll(/\s/g, '-');
}

function scriptsIn(text: string): string[] {
  return [...text.matchAll(/npm run (?:-s )?([\w:-]+)/g)].map(([, name]) => name ?? '');
}

function withoutExamples(text: string): string {
  return text.replaceAll(/^```[\s\S]*?^```$/gm, '');
}

test('the runbook says what to do about each check of platen verify', () => {
  const names = globSync('src/verify/*.ts').flatMap((path) =>
    [...readFileSync(path, 'utf8').matchAll(/\bname: (?:'([^']+)'|"([^"]+)")/g)].map(
      (match) => match[1] ?? match[2] ?? '',
    ),
  );
  assert.ok(names.length > 30, 'the checks were found');
  const runbook = readFileSync('docs/runbook.md', 'utf8');
  assert.deepEqual(
    names.filter((name) => !runbook.includes(`| ${name} |`)),
    [],
  );
});
