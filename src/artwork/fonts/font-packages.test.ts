import assert from 'node:assert/strict';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { facesOfText } from '../worker/font-faces.ts';
import { isFontFamily } from './families.ts';
import { FONT_PACKAGES, findFontPackages, packagesToInstall } from './font-packages.ts';
import { BUNDLED_SCRIPTS, PACKAGED_SCRIPTS, scriptOf } from './scripts.ts';

/** A few files of two real packages, with the licence. */
const LETTERS = 'test/typesetting/letters';

let folder: string;
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'platen-fonts-'));
});
after(() => rmSync(folder, { recursive: true, force: true }));

function install(name: string, version: string, files: readonly string[]): string {
  const home = join(folder, 'node_modules', name);
  mkdirSync(join(home, 'files'), { recursive: true });
  writeFileSync(join(home, 'package.json'), JSON.stringify({ name, version, exports: { './files/*': './files/*' } }));
  for (const file of files) cpSync(join(LETTERS, file), join(home, 'files', file));
  return pathToFileURL(join(folder, 'program.ts')).href;
}

const KOREAN = 'noto-sans-kr-118-400-normal.woff';
const CHINESE = 'noto-sans-sc-118-400-normal.woff';

describe('fonts that a print shop adds as packages', () => {
  test('one is found where it is installed, in the version that is named and in no other', () => {
    const from = install('@fontsource/noto-sans-kr', '5.2.9', [KOREAN]);
    assert.deepEqual(findFontPackages(from), []);
    install('@fontsource/noto-sans-kr', '5.3.0', [KOREAN]);
    assert.deepEqual(
      findFontPackages(from).map((font) => font.family),
      ['Noto Sans KR'],
    );
  });

  test('it lends its letters to texts that nothing else could print', () => {
    const packages = findFontPackages(install('@fontsource/noto-sans-kr', '5.3.0', [KOREAN]));
    assert.deepEqual(facesOfText('Pacifico', '한', []).missing, ['한']);
    const { faces, missing } = facesOfText('Pacifico', '한 abc', packages);
    assert.deepEqual(missing, []);
    assert.deepEqual(
      faces.map(({ name }) => name),
      ['pacifico-latin', 'noto-sans-kr-118'],
    );
  });

  test('a Chinese text does not mix two styles, and a Japanese one is what it was', () => {
    const packages = findFontPackages(install('@fontsource/noto-sans-sc', '5.3.0', [CHINESE]));
    const namesOf = (text: string): string[] => facesOfText('Noto Sans', text, packages).faces.map(({ name }) => name);
    assert.deepEqual(facesOfText('Noto Sans', '我们', []).missing, ['们']);
    assert.deepEqual(namesOf('我们'), ['noto-sans-latin', 'noto-sans-sc-118']);
    assert.deepEqual(namesOf('我'), ['noto-sans-latin', 'noto-sans-jp-japanese']);
  });

  test('a template cannot name the family of a package that is absent', () => {
    assert.equal(isFontFamily('Noto Sans KR'), false);
    assert.equal(isFontFamily('Noto Sans Thaana'), false);
  });

  test('each script that packages bring has one to name, and no script has letters from both', () => {
    for (const script of PACKAGED_SCRIPTS) assert.equal(packagesToInstall(script).length, 1, script);
    assert.deepEqual(
      packagesToInstall('Han').map(({ name }) => name),
      ['@fontsource/noto-sans-sc', '@fontsource/noto-sans-tc'],
    );
    assert.deepEqual(packagesToInstall('Hebrew'), []);
    assert.deepEqual(
      BUNDLED_SCRIPTS.filter((script) => PACKAGED_SCRIPTS.some((other: string) => other === script)),
      [],
    );
  });

  test('the runbook says how each is installed', () => {
    const page = readFileSync('docs/runbook.md', 'utf8');
    const missing = FONT_PACKAGES.filter(({ name, version }) => !page.includes(`${name}@${version}`));
    assert.deepEqual(missing, []);
  });
});

test('the script of a character is that of its letter, not of its marks; signs have none', () => {
  const cases = ['한', 'ང', 'a\u0301', 'שָׁ', '们', '。', '7', '🦜', 'ᚠ'];
  assert.deepEqual(cases.map(scriptOf), [
    'Hangul',
    'Tibetan',
    'Latin',
    'Hebrew',
    'Han',
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});
