import type { Problem } from '../../lib/errors.ts';

/**
 * Reads the addresses of a photo collage: a JSON array of strings, itself sent as a string (spec 4.2).
 * The same address twice is refused, since it is more often a slip than intended. If there are problems, do not use the
 * list.
 */
export function collagePictures(
  value: string,
  picturesMax: number,
  path: string,
): { urls: readonly string[]; problems: readonly Problem[] } {
  const list = parseList(value);
  if (list === undefined) {
    const message = 'must be a JSON array of image URLs, sent as a string: "[\\"https://example.com/a.jpg\\"]".';
    return { urls: [], problems: [{ path, code: 'json_array', message }] };
  }
  if (list.length > picturesMax) {
    const message = `must have at most ${picturesMax} pictures.`;
    return { urls: [], problems: [{ path, code: 'out_of_bounds', message }] };
  }
  const urls = list.filter((entry) => typeof entry === 'string');
  if (urls.length === list.length) return { urls, problems: repeatProblems(urls, path) };
  const problems = list.flatMap((entry, index) =>
    typeof entry === 'string'
      ? []
      : [{ path: `${path}[${index}]`, code: 'type', message: 'must be text: an image URL.' }],
  );
  return { urls: [], problems };
}

function parseList(value: string): readonly unknown[] | undefined {
  try {
    const parsed: unknown = JSON.parse(value);
    return Array.isArray(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

function repeatProblems(urls: readonly string[], path: string): Problem[] {
  const seen = new Set<string>();
  return urls.flatMap((url, index) => {
    if (!seen.has(url)) {
      seen.add(url);
      return [];
    }
    return [{ path: `${path}[${index}]`, code: 'repeated', message: 'This picture is in the collage already.' }];
  });
}
