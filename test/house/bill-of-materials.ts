import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { type BundledPart, partsInside } from './bundled-parts.ts';
import { licenceOf } from './install-rules.ts';
import { type LockedPackage, nameOf, readLockedPackages } from './lockfile.ts';

type Licence = {
  readonly license?: { readonly id?: string; readonly name?: string };
  readonly expression?: string;
};
/** A part of a CycloneDX bill of materials. */
export type Component = {
  readonly 'bom-ref': string;
  readonly type: string;
  readonly name: string;
  readonly version: string;
  readonly licenses?: readonly Licence[];
  readonly purl?: string;
  readonly copyright?: string;
  readonly hashes?: readonly { readonly alg: string; readonly content: string }[];
  readonly components?: readonly Component[];
};
/** A bill of materials, CycloneDX 1.5. */
export type Bill = {
  readonly specVersion: string;
  readonly metadata: { readonly component: { readonly name: string } };
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
};
/** A family in `data/fonts/fonts.json`. */
type Font = Readonly<Record<'family' | 'package' | 'version' | 'integrity' | 'license' | 'copyright', string>>;

const NPM_TIMEOUT_MS = 60_000;
/** Licences without a short name in SPDX's list. */
const NAMES_BESIDE_SPDX = new Set(['fontconfig', 'public domain']);
const BILL_BYTES_MAX = 64 * 1024 * 1024;

/**
 * What a production install consists of here: the installed ones of the packages that `npm sbom` lists, inside of
 * them the libraries of their binaries, and the project's fonts. Throws when npm fails.
 */
export async function billOfMaterials(): Promise<Bill> {
  const { stdout } = await promisify(execFile)(
    'npm',
    // By the lockfile, since npm finds fault with an install that lacks what only development needs.
    ['sbom', '--package-lock-only', '--omit=dev', '--sbom-format=cyclonedx', '--sbom-type=application'],
    { timeout: NPM_TIMEOUT_MS, maxBuffer: BILL_BYTES_MAX },
  );
  const bill = JSON.parse(stdout) as Bill;
  const absent = absentPackages();
  return {
    ...bill,
    // npm names the project after the folder that it lies in.
    metadata: { ...bill.metadata, component: { ...bill.metadata.component, name: 'platen' } },
    components: [...bill.components.filter(({ 'bom-ref': ref }) => !absent.has(ref)).map(withItsParts), ...fonts()],
    dependencies: bill.dependencies
      .filter(({ ref }) => !absent.has(ref))
      .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((each) => !absent.has(each)) })),
  };
}

/** What the lockfile has for other platforms, as npm refers to it. */
function absentPackages(): ReadonlySet<string> {
  const refOf = (locked: LockedPackage): string => `${nameOf(locked)}@${locked.version}`;
  const { here = [], absent = [] } = Object.groupBy(readLockedPackages(), ({ key }) =>
    existsSync(`${key}/package.json`) ? 'here' : 'absent',
  );
  const installed = new Set(here.map(refOf));
  return new Set(absent.map(refOf).filter((ref) => !installed.has(ref)));
}

function withItsParts(component: Component): Component {
  const { name, version, licenses } = component;
  const license = licenceOf({ key: `node_modules/${name}` });
  const own = licenses === undefined && license !== '' ? { licenses: licencesOf(license) } : {};
  const parts = [...partsInside(name, version).map((part) => partOf(name, part)), ...listedBy(name)];
  return { ...component, ...own, ...(parts.length === 0 ? {} : { components: parts }) };
}

function partOf(inside: string, { name, version, license }: BundledPart): Component {
  return {
    'bom-ref': `${inside}#${name}@${version}`,
    type: 'library',
    name,
    version,
    ...(license === undefined ? {} : { licenses: licencesOf(license) }),
  };
}

/** What a package lists of its binary by itself, in a bill of its own. */
function listedBy(name: string): readonly Component[] {
  const file = `node_modules/${name}/sbom.cdx.json`;
  if (!existsSync(file)) return [];
  const { components } = JSON.parse(readFileSync(file, 'utf8')) as Bill;
  return components.map((part) => ({ ...part, 'bom-ref': `${name}#${part['bom-ref']}` }));
}

function fonts(): readonly Component[] {
  const families = JSON.parse(readFileSync('data/fonts/fonts.json', 'utf8')) as readonly Font[];
  return families.map(({ family, package: name, version, integrity, license, copyright }) => ({
    'bom-ref': `${name}@${version}`,
    type: 'data',
    name: family,
    version,
    purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
    copyright,
    licenses: licencesOf(license),
    hashes: [{ alg: 'SHA-512', content: Buffer.from(integrity.replace('sha512-', ''), 'base64').toString('hex') }],
  }));
}

function licencesOf(license: string): readonly Licence[] {
  if (license.includes(' AND ') || license.includes(' OR ')) return [{ expression: license }];
  return [{ license: NAMES_BESIDE_SPDX.has(license) ? { name: license } : { id: license } }];
}

if (import.meta.main) {
  // A reader that has seen enough, such as `head`, closes the pipe.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
  process.stdout.write(`${JSON.stringify(await billOfMaterials(), undefined, 2)}\n`);
}
