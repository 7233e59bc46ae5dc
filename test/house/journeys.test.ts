import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { committedDocument, committedOpsDocument, committedPortalDocument } from '../contract/committed.ts';

/** The folders of `src/`. A journey belongs to the slice whose routes or code it is about. */
const SLICES = globSync('src/*/').map((path) => path.replaceAll('\\', '/').split('/')[1] ?? '');

type Document = { readonly paths: Readonly<Record<string, Readonly<Record<string, { operationId?: string }>>>> };

function operationsOf({ document }: { readonly document: string }): readonly string[] {
  const { paths } = JSON.parse(document) as Document;
  return Object.values(paths).flatMap((methods) =>
    Object.values(methods).flatMap(({ operationId }) => operationId ?? []),
  );
}

const operations = [committedDocument(), committedOpsDocument(), committedPortalDocument()].flatMap(operationsOf);

/** The slices whose routes have an operation. Two APIs may have one of the same name, as `getOrder`. */
function slicesOf(operation: string): readonly string[] {
  return SLICES.filter((slice) =>
    globSync(`src/${slice}/**/*routes.ts`).some((file) =>
      readFileSync(file, 'utf8').includes(`operationId: '${operation}'`),
    ),
  );
}

const kebab = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

test('every operation of the APIs has a file or a folder of journeys by its name, in its slice', () => {
  assert.ok(operations.length > 70, 'the documents were read');
  const missing = operations.flatMap((operation) => {
    const slices = slicesOf(operation);
    if (slices.length === 0) return [`${operation} is in no routes of a slice`];
    return slices.flatMap((slice) => {
      const place = `test/journeys/${slice}/${kebab(operation)}`;
      const hasOne = existsSync(`${place}.test.ts`) || globSync(`${place}/*.test.ts`).length > 0;
      return hasOne ? [] : [`${operation} has neither ${place}.test.ts nor a test in ${place}/`];
    });
  });
  assert.deepEqual([...new Set(missing)], []);
});

test('every journey lies in a slice, and every folder of a slice has the name of an operation', () => {
  const known = new Set(operations.map(kebab));
  const wrong = globSync('test/journeys/**/*.ts')
    .map((path) => path.replaceAll('\\', '/').split('/').slice(2))
    .filter(([slice = '', folder = '', file]) => {
      if (folder === '' || !SLICES.includes(slice)) return true;
      return file !== undefined && !known.has(folder);
    });
  assert.deepEqual(
    wrong.map((parts) => `test/journeys/${parts.join('/')}`),
    [],
  );
});
