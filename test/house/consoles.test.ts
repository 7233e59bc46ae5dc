import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { describe, test } from 'node:test';
import { type Document, format, generate, PORTAL } from '../../sdk/generate.ts';

// What ARCHITECTURE.md and ADR 0050 say of `consoles/`.

const files = globSync('consoles/{portal,shared}/**/*.{ts,tsx}')
  .map((path) => path.replaceAll('\\', '/'))
  .toSorted()
  .map((path) => {
    const text = readFileSync(path, 'utf8');
    const imports = [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map((match) =>
      posix.join(posix.dirname(path), match[1] ?? ''),
    );
    return { path, text, imports };
  });

/** The folder of a page, such as `consoles/portal/orders`; undefined for what stands above the pages. */
function pageOf(path: string): string | undefined {
  return /^consoles\/(?:portal|ops)\/[^/]+(?=\/)/.exec(path)?.[0];
}

describe('the consoles', () => {
  test('have pages, which were read', () => {
    assert.ok(new Set(files.map(({ path }) => pageOf(path))).size > 4);
  });

  test('have pages that import no other page', () => {
    const wrong = files.flatMap(({ path, imports }) => {
      const own = pageOf(path);
      return imports
        .filter((target) => own !== undefined && pageOf(target) !== undefined && pageOf(target) !== own)
        .map((target) => `${path} imports ${target}`);
    });
    assert.deepEqual(wrong, []);
  });

  test('share what knows no page, and take nothing of the service but the types that are made from its documents', () => {
    const wrong = files.flatMap(({ path, imports }) =>
      imports
        .filter((target) => !(target.startsWith('consoles/') || target === 'sdk/src/generated.ts'))
        .concat(path.startsWith('consoles/shared/') ? imports.filter((target) => pageOf(target) !== undefined) : [])
        .map((target) => `${path} imports ${target}`),
    );
    assert.deepEqual(wrong, []);
  });

  test('send every request by the one client, and files by the one that shows how far they are', () => {
    const senders = ['consoles/shared/api/client.ts', 'consoles/shared/artwork/leave-file.ts'];
    const wrong = files
      .filter(({ path, text }) => !senders.includes(path) && /\bfetch\(|XMLHttpRequest/.test(text))
      .map(({ path }) => path);
    assert.deepEqual(wrong, []);
  });

  test('import single components, styles and icons, and write no HTML or script as text', () => {
    const wrong = files.flatMap(({ path, text }) =>
      [/@mantine\/core\/styles\.css/, /import \* as/, /dangerouslySetInnerHTML|innerHTML/, /style=\{?"/]
        .filter((rule) => rule.test(text))
        .map((rule) => `${path}: ${rule.source}`),
    );
    assert.deepEqual(wrong, []);
  });

  test('have files of at most 400 lines, and exported functions that say what they are for', () => {
    const wrong = files.flatMap(({ path, text }) => {
      const lines = text.split('\n');
      const bare = lines.flatMap((line, index) => {
        const name = /^export (?:async )?function (\w+)/.exec(line)?.[1];
        return name === undefined || lines[index - 1]?.trim().endsWith('*/') === true ? [] : [`${path}: ${name}`];
      });
      const isGenerated = path === PORTAL.file;
      return isGenerated ? [] : [...bare, ...(lines.length > 400 ? [`${path}: ${lines.length} lines`] : [])];
    });
    assert.deepEqual(wrong, []);
  });

  test('have no word of unfinished work, and no path of a machine', () => {
    const words = /\b(todo|fixme|hack|xxx|for now|dummy|not implemented)\b|(?<!\.)\/(root|home|work|Users)\//i;
    assert.deepEqual(
      files.filter(({ path, text }) => path !== PORTAL.file && words.test(text)).map(({ path }) => path),
      [],
    );
  });
});

test('the consoles’ types are what the generator makes of the portal’s document', () => {
  const document = JSON.parse(readFileSync(PORTAL.document, 'utf8')) as Document;
  const committed = readFileSync(PORTAL.file, 'utf8');
  assert.ok(format(generate(document, PORTAL)) === committed, 'out of date: run `npm run openapi`');
});
