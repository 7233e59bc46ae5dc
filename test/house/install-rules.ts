import { type LockedPackage, type Manifest, nameOf } from './lockfile.ts';

const EXACT_VERSION = /^\d+\.\d+\.\d+(?:-[\w.]+)?$/;
/** A SHA-512 in base64. */
const SHA512 = /^sha512-[A-Za-z0-9+/]{86}==$/;

/** Licences that ask for nothing but their own text and a name. */
const FREE = new Set(['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', 'MIT', 'MIT-0']);
/** LGPL: a shared library of its own file, which a user may exchange. libvips is one. */
const LGPL = 'LGPL-3.0-or-later';
const MAY_HOLD_LGPL = /^@img\/sharp-(?:libvips-|wasm32$|win32-)/;

/** What `package.json` does not say, read in the licence file of the package. */
const LICENCE_BY_FILE: Readonly<Record<string, string>> = { 'png-js': 'MIT' };

/** Ranges in place of versions, which would let an update in unseen. */
export function inexactVersions(manifest: Manifest): string[] {
  const { dependencies, optionalDependencies, devDependencies } = manifest;
  return Object.entries({ ...dependencies, ...optionalDependencies, ...devDependencies })
    .filter(([, version]) => !EXACT_VERSION.test(version))
    .map(([name, version]) => `${name} ${version}`);
}

/** Packages that npm could not check, or would take from elsewhere than its registry. */
export function uncheckedPackages(packages: readonly LockedPackage[]): string[] {
  return packages.flatMap(({ key, version = '', integrity = '', resolved }) => [
    ...(EXACT_VERSION.test(version) ? [] : [`${key} has no version`]),
    ...(SHA512.test(integrity) ? [] : [`${key} has no SHA-512`]),
    ...(resolved === undefined ? [] : [`${key} comes from an address`]),
  ]);
}

/** Install scripts that are not allowed by name, and names that are allowed without one. */
export function scriptsBesidesAllowed(packages: readonly LockedPackage[], { allowScripts = {} }: Manifest): string[] {
  const scripted = new Set(packages.filter(({ hasInstallScript }) => hasInstallScript === true).map(nameOf));
  const allowed = new Set(Object.keys(allowScripts).filter((name) => allowScripts[name] === true));
  return [
    ...[...scripted].filter((name) => !allowed.has(name)).map((name) => `${name} has an install script`),
    ...[...allowed].filter((name) => !scripted.has(name)).map((name) => `${name} has none and is allowed one`),
  ];
}

/** What a package's licence is, as an SPDX expression; '' when nothing says it. */
export function licenceOf({ key, license }: Pick<LockedPackage, 'key' | 'license'>): string {
  return license ?? LICENCE_BY_FILE[nameOf({ key })] ?? '';
}

/** Packages whose licence is not one that the service may be passed on with. */
export function licencesNotAllowed(packages: readonly Pick<LockedPackage, 'key' | 'license'>[]): string[] {
  return packages
    .filter((locked) => !isAllowed(licenceOf(locked), MAY_HOLD_LGPL.test(nameOf(locked))))
    .map((locked) => `${locked.key}: ${licenceOf(locked) || 'no licence'}`);
}

/** Reads `A AND B` and `A OR B`, in brackets or not: all of the first, one of the second. */
function isAllowed(expression: string, mayHoldLgpl: boolean): boolean {
  const bare = expression.replace(/^\((.*)\)$/, '$1');
  if (bare.includes(' AND ')) return bare.split(' AND ').every((part) => isAllowed(part, mayHoldLgpl));
  if (bare.includes(' OR ')) return bare.split(' OR ').some((part) => isAllowed(part, mayHoldLgpl));
  return FREE.has(bare) || (mayHoldLgpl && bare === LGPL);
}
