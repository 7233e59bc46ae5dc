import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';

/** A place in a file that an install has put together (`bin/bundle/bundle.js`). */
const PLACE = /(file:\/\/\S+\/built\/service\/[\w.-]+\.js):(\d+):(\d+)/g;

/** The maps of those files, which only a fault needs. */
const maps = new Map<string, SourceMap | undefined>();

/** The stack of an error, by the lines of our sources. */
export function stackOf({ stack }: Error): string | undefined {
  return stack?.replaceAll(PLACE, (place, file: string, line: string, column: string) => {
    const entry = mapOf(file)?.findEntry(Number(line) - 1, Number(column) - 1);
    if (entry === undefined || !('originalSource' in entry)) return place;
    const { originalSource: source, originalLine, originalColumn } = entry;
    return `${new URL(source, file).href}:${originalLine + 1}:${originalColumn + 1}`;
  });
}

function mapOf(file: string): SourceMap | undefined {
  if (!maps.has(file)) maps.set(file, readMap(file));
  return maps.get(file);
}

/** Undefined when it cannot be read: the stack is then shown as it is. */
function readMap(file: string): SourceMap | undefined {
  try {
    return new SourceMap(JSON.parse(readFileSync(new URL(`${file}.map`), 'utf8')));
  } catch {
    return undefined;
  }
}
