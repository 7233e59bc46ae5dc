import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { stepsInsteadOf } from './frozen.ts';
import { type Step, stepsOf } from './steps.ts';

export type Migration = {
  readonly version: number;
  readonly name: string;
  readonly checksum: string;
  readonly steps: readonly Step[];
};

/** The migrations of this checkout. */
export const MIGRATIONS = new URL('../../../migrations/', import.meta.url);

const loaded = new Map<string, Promise<readonly Migration[]>>();

/** Reads a folder of migrations, once. Throws when a number or a form of a step is wrong. */
export function readMigrations(folder: URL): Promise<readonly Migration[]> {
  const known = loaded.get(folder.href) ?? load(folder);
  loaded.set(folder.href, known);
  return known;
}

async function load(folder: URL): Promise<readonly Migration[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).toSorted();
  return Promise.all(
    names.map(async (name, index) => {
      const version = Number(name.slice(0, 4));
      if (version !== index + 1) throw new Error(`migrations/${name} breaks the numbering: ${index + 1} was expected`);
      const text = await readFile(new URL(name, folder), 'utf8');
      const checksum = createHash('sha256').update(text).digest('hex');
      return { version, name, checksum, steps: stepsInsteadOf(name, text) ?? stepsOf(text) };
    }),
  );
}
