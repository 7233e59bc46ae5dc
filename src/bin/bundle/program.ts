import { readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = dirname(fileURLToPath(new URL('../../../package.json', import.meta.url)));
const BUILT = new URL('../../../built/service/', import.meta.url);

/**
 * The module of a program, as an install has put it together with all that it imports.
 * That is read in half of the time (docs/decisions/0078). Its source where that was not done, or any of it has changed
 * since.
 */
export function programOf(name: 'platen' | 'start'): string {
  return isUpToDate() ? new URL(`${name}.js`, BUILT).href : new URL(`../${name}.ts`, import.meta.url).href;
}

/**
 * Whether all that was put together is as it was.
 * What is not there, as in an image without some of it, cannot have changed. Without the folder nothing was put
 * together.
 */
function isUpToDate(): boolean {
  try {
    const text = readFileSync(new URL('inputs.json', BUILT), 'utf8');
    const inputs = JSON.parse(text) as Record<string, readonly [bytes: number, changedAt: number]>;
    return Object.entries(inputs).every(([path, [bytes, changedAt]]) => {
      const now = statSync(join(ROOT, path), { throwIfNoEntry: false });
      return now === undefined || (now.size === bytes && Math.floor(now.mtimeMs / 1_000) === changedAt);
    });
  } catch {
    return false;
  }
}
