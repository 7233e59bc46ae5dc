import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

/** So many files in one process: more save little, and leave a processor idle at the end of a run. */
const FILES_MAX = 8;

/**
 * What a file does to the whole process, or waits for before its tests are known. The ids that a process makes never go
 * back in time, so that one with a clock that was moved forward leaves later ids to the next file.
 */
const NEEDS_ITS_OWN =
  /process\.(env|on|once|chdir|exit|cpuUsage|memoryUsage)\b|mock\.timers|monitorEventLoopDelay|\/proc\/self|shiftMs|^(const .*= )?await /m;

/**
 * Puts test files of one folder together: half of the time of a short one is the start of a process and the loading of
 * the service. Each is a suite of its own in its bundle, with its own hooks, and they run one after another. A file
 * that touches what its whole process shares stays alone.
 *
 * Writes the bundles to a folder, and returns the files to be run in the order of the first of each.
 */
export function bundle(files: readonly string[], folder: string, isAlone: (file: string) => boolean): string[] {
  const groups: string[][] = [];
  const open = new Map<string, string[]>();
  for (const file of files) {
    const place = placeOf(file);
    const group = open.get(place);
    if (isAlone(file) || NEEDS_ITS_OWN.test(readFileSync(file, 'utf8'))) groups.push([file]);
    else if (group !== undefined && group.length < FILES_MAX) group.push(file);
    else {
      const begun = [file];
      open.set(place, begun);
      groups.push(begun);
    }
  }
  mkdirSync(folder, { recursive: true });
  return groups.map((group, index) => (group.length === 1 ? (group[0] ?? '') : written(group, folder, index)));
}

/** Files of a slice, or of the journeys through it, are put together. */
function placeOf(file: string): string {
  const parts = dirname(file).split('/');
  return parts.slice(0, parts[0] === 'test' ? 3 : 2).join('/');
}

function written(group: readonly string[], folder: string, index: number): string {
  const suites = group.map((file) => {
    const url = JSON.stringify(pathToFileURL(resolve(file)).href);
    return `describe(${JSON.stringify(file)}, async () => {\n  await import(${url});\n});\n`;
  });
  const path = join(folder, `${index}-${placeOf(group[0] ?? '').replaceAll('/', '-')}.test.mjs`);
  writeFileSync(path, `import { describe } from 'node:test';\n${suites.join('')}`);
  return path;
}
