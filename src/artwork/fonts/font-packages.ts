import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { dirname, join } from 'node:path';
import { BUNDLED_SCRIPTS, type Script } from './scripts.ts';

/** A font that does not come with the service, and that is used once its npm package is installed. */
export type FontPackage = {
  readonly family: string;
  readonly name: string;
  /** No other version is used: its letters could differ, and so would what was made with it before. */
  readonly version: string;
  readonly scripts: readonly Script[];
  /** Whether a template may name it; the others only lend letters to texts of other families. */
  readonly isFamily: boolean;
};

const CJK = { version: '5.3.0', isFamily: true } as const;
const LENT = { version: '5.3.0', isFamily: false } as const;

/** In the order in which a text looks for its letters. */
export const FONT_PACKAGES = [
  { ...CJK, family: 'Noto Sans KR', name: '@fontsource/noto-sans-kr', scripts: ['Hangul'] },
  { ...CJK, family: 'Noto Sans SC', name: '@fontsource/noto-sans-sc', scripts: ['Han'] },
  { ...CJK, family: 'Noto Sans TC', name: '@fontsource/noto-sans-tc', scripts: ['Han'] },
  { ...LENT, family: 'Noto Serif Tibetan', name: '@fontsource/noto-serif-tibetan', scripts: ['Tibetan'] },
  { ...LENT, family: 'Noto Sans Cherokee', name: '@fontsource/noto-sans-cherokee', scripts: ['Cherokee'] },
  { ...LENT, family: 'Noto Sans Javanese', name: '@fontsource/noto-sans-javanese', scripts: ['Javanese'] },
  { ...LENT, family: 'Noto Sans Syriac', name: '@fontsource/noto-sans-syriac', scripts: ['Syriac'] },
  { ...LENT, family: 'Noto Sans Thaana', name: '@fontsource/noto-sans-thaana', scripts: ['Thaana'] },
] as const satisfies readonly FontPackage[];

export type PackagedFamily = Extract<(typeof FONT_PACKAGES)[number], { isFamily: true }>['family'];

/** An installed font package and the folder of its files. */
export type InstalledFont = FontPackage & { readonly folder: string };

/**
 * The font packages that are installed, as a program at `from` would find them.
 * A package of another version counts as absent.
 */
export function findFontPackages(from: string): readonly InstalledFont[] {
  return FONT_PACKAGES.flatMap((font) => {
    const manifest = manifestOf(font.name, from);
    if (manifest === undefined) return [];
    const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version?: unknown };
    return version === font.version ? [{ ...font, folder: join(dirname(manifest), 'files') }] : [];
  });
}

function manifestOf(name: string, from: string): string | undefined {
  try {
    return findPackageJSON(name, from);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND') return undefined;
    throw error;
  }
}

let installed: readonly InstalledFont[] | undefined;

/**
 * The font packages that are installed here.
 * They are looked for once a process: one that is added needs a restart.
 */
export function installedFonts(): readonly InstalledFont[] {
  installed ??= findFontPackages(import.meta.url);
  return installed;
}

/** The package of a family that a template may name, installed or not. */
export function packageOfFamily(name: string): FontPackage | undefined {
  return FONT_PACKAGES.find(({ family, isFamily }) => isFamily && family === name);
}

/** The packages that have letters of a script and are not installed. */
export function packagesToInstall(script: Script): readonly FontPackage[] {
  const here = new Set(installedFonts().map(({ name }) => name));
  return FONT_PACKAGES.filter((font: FontPackage) => font.scripts.includes(script) && !here.has(font.name));
}

/** The families of installed packages that a template may name. */
export function installedFamilies(): readonly PackagedFamily[] {
  return installedFonts().flatMap(({ family }) => (isPackagedFamily(family) ? [family] : []));
}

function isPackagedFamily(name: string): name is PackagedFamily {
  return packageOfFamily(name) !== undefined;
}

/** The scripts that a text can be in here: those of the service, then those of installed packages. */
export function printableScripts(): readonly Script[] {
  return [...new Set([...BUNDLED_SCRIPTS, ...installedFonts().flatMap(({ scripts }) => scripts)])];
}
