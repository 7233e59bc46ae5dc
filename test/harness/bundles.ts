import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * So many files in one process, and one that moves its clock: more save little, and leave a processor idle when a run
 * ends.
 */
const FILES_MAX = 8;

/** What a file does to its whole process, waits for before its tests are known, or must see as no harness left it. */
const NEEDS_ITS_OWN =
  /process\.(env|on|once|chdir|exit|cpuUsage|memoryUsage)\b|mock\.timers|monitorEventLoopDelay|\/proc\/self|argon2id\\\$v|^(const .*= )?await /m;

/** The ids of a process never go back in time: a clock that was moved forward leaves later ids to the next file. */
const MOVES_ITS_CLOCK = /shiftMs|shiftedMs|now: \(\) => new Date\(/;

/**
 * Puts test files together: half of the time of a short one is the start of a process and the loading of the service.
 * Each is a suite of its own in its bundle, with its own hooks, and they run one after another. A file that moves its
 * clock is the last of its bundle, and one that touches what its whole process shares stays alone.
 *
 * Writes the bundles to a folder, and returns the files to be run in the order of the first of each.
 */
export function bundle(files: readonly string[], folder: string, isAlone: (file: string) => boolean): string[] {
  const groups: string[][] = [];
  const bundles = new Map<string, string[][]>();
  const closing: string[] = [];
  for (const file of files) {
    const text = readFileSync(file, 'utf8');
    const ofPlace = bundles.get(placeOf(file)) ?? [];
    const open = ofPlace.at(-1);
    if (isAlone(file) || NEEDS_ITS_OWN.test(text)) groups.push([file]);
    else if (movesItsClock(file, text)) closing.push(file);
    else if (open !== undefined && open.length < FILES_MAX) open.push(file);
    else {
      const begun = [file];
      bundles.set(placeOf(file), [...ofPlace, begun]);
      groups.push(begun);
    }
  }
  for (const file of closing) {
    const group = bundles.get(placeOf(file))?.shift();
    if (group === undefined) groups.push([file]);
    else group.push(file);
  }
  mkdirSync(folder, { recursive: true });
  return groups.map((group, index) => (group.length === 1 ? (group[0] ?? '') : written(group, folder, index)));
}

/** Whether a file moves its clock, by itself or by what stands beside it and it shares with others. */
function movesItsClock(file: string, text: string): boolean {
  if (MOVES_ITS_CLOCK.test(text)) return true;
  const beside = [...text.matchAll(/^(?:import|\}) .*from '(\.[^']+\.ts)';$/gm)].map(([, path = '']) =>
    join(dirname(file), path),
  );
  return beside
    .filter((path) => path.startsWith('test/') && !path.startsWith('test/harness/'))
    .some((path) => MOVES_ITS_CLOCK.test(readFileSync(path, 'utf8')));
}

/** Unit tests of all slices are put together, and so are journeys. */
function placeOf(file: string): string {
  const parts = dirname(file).split('/');
  return parts.slice(0, parts[0] === 'test' ? 2 : 1).join('/');
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
