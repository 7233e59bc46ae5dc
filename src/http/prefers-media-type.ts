/**
 * Whether an `Accept` header (RFC 9110, 12.5.1) asks for a media type rather than for JSON: it names the type, with a weight above
 * zero and not below that of JSON, or the same and before it. Wildcards ask for nothing in particular, so they get JSON.
 */
export function prefersMediaType(accept: string | undefined, mediaType: string): boolean {
  const ranges = (accept ?? '').split(',', RANGES_MAX).map(readRange);
  const wanted = ranges.findIndex(({ type }) => type === mediaType);
  const json = ranges.findIndex(({ type }) => type === 'application/json');
  const weight = ranges[wanted]?.weight ?? 0;
  const jsonWeight = ranges[json]?.weight ?? 0;
  return weight > 0 && (weight > jsonWeight || (weight === jsonWeight && wanted < json));
}

const RANGES_MAX = 50;

function readRange(range: string): { type: string; weight: number } {
  const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
  const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? '1';
  return { type, weight: WEIGHT.test(weight) ? Number(weight) : 0 };
}

const WEIGHT = /^(0(\.\d{0,3})?|1(\.0{0,3})?)$/;
