import { readFileSync } from 'node:fs';

/** What `package-lock.json` says of one package; `key` is its folder. */
export type LockedPackage = {
  readonly key: string;
  readonly version?: string;
  readonly integrity?: string;
  readonly resolved?: string;
  readonly license?: string;
  readonly deprecated?: string;
  readonly dev?: boolean;
  readonly link?: boolean;
  readonly hasInstallScript?: boolean;
};

/** The parts of `package.json` that say what is installed. */
export type Manifest = {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly allowScripts?: Readonly<Record<string, boolean>>;
};

export function readManifest(folder = '.'): Manifest {
  return JSON.parse(readFileSync(`${folder}/package.json`, 'utf8')) as Manifest;
}

/** All packages of the lockfile, for every platform, without the project itself and its workspaces. */
export function readLockedPackages(): readonly LockedPackage[] {
  return entries().filter(({ key, link }) => key.includes('node_modules/') && link !== true);
}

/** The folders of the project and of its workspaces. */
export function readOwnFolders(): readonly string[] {
  return entries()
    .filter(({ key }) => !key.includes('node_modules/'))
    .map(({ key }) => (key === '' ? '.' : key));
}

/** The name of a package, without the folders of those that hold it. */
export function nameOf({ key }: Pick<LockedPackage, 'key'>): string {
  return key.slice(key.lastIndexOf('node_modules/') + 'node_modules/'.length);
}

function entries(): readonly LockedPackage[] {
  const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
    packages: Record<string, Omit<LockedPackage, 'key'>>;
  };
  return Object.entries(lock.packages).map(([key, entry]) => ({ key, ...entry }));
}
