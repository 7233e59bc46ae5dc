import fc from 'fast-check';

/**
 * Text that systems trip over: for values, names and path parts that must be refused or stored, never break anything.
 */
export const ODD_TEXTS: readonly string[] = [
  '',
  ' ',
  '\t\r\n',
  'null',
  'undefined',
  'NaN',
  '0',
  '-1',
  '1e400',
  'true',
  '[]',
  '{}',
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  '\u0000',
  'a\u0000b',
  '\ud800',
  'a\udfff',
  '\ufeff',
  '\u202eabc',
  'e\u0301',
  'é',
  'Ａ１',
  '👩‍👩‍👧‍👦',
  'Z̸͉̆a̵l̷g̶o̴',
  'ﷺ',
  "' or 1=1; --",
  '"; drop table orders; --',
  '{{7*7}}',
  '<script>alert(1)</script>',
  '</text><image href="file:///etc/passwd"/>',
  '../../etc/passwd',
  '%00%2e%2e%2f',
  'http://127.0.0.1/',
  'https://169.254.169.254/latest/meta-data',
  'https://localhost:1/x.png',
  'https://nowhere.example.invalid/a.png',
  'data:image/png;base64,AAAA',
  'javascript:alert(1)',
  'ord_00000000000000000000000000',
  'prod_7zzzzzzzzzzzzzzzzzzzzzzzzz',
  'prod_8zzzzzzzzzzzzzzzzzzzzzzzzz',
  'PF-22222222',
  'GB',
  'UK',
  'x'.repeat(41),
  'x'.repeat(201),
  'x'.repeat(1_001),
  'é'.repeat(5_001),
  '👕'.repeat(10_300),
];

export const oddText: fc.Arbitrary<string> = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom(...ODD_TEXTS) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 30 }) },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 30 }) },
);

const oddNumber: fc.Arbitrary<number> = fc.oneof(
  fc.constantFrom(0, -0, -1, 0.5, 1.005, 10_001, 2 ** 31, 2 ** 53, -(2 ** 53), 1e21, 1e308, 5e-324),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);

/** Any JSON value, the odd ones first. */
export const anyJson: fc.Arbitrary<unknown> = fc.oneof(
  oddText,
  oddNumber,
  fc.boolean(),
  fc.constant(null),
  fc.constant([]),
  fc.constant({}),
  fc.jsonValue({ maxDepth: 3 }),
);

/**
 * Values that a request schema admits, as far as the schema says: for operations that no generator knows better. A
 * pattern that cannot be turned into text is left to chance.
 */
export function fromSchema(schema: unknown): fc.Arbitrary<unknown> {
  const { type, enum: values, anyOf, properties, required, items, ...bounds } = asRecord(schema);
  if (Array.isArray(values)) return fc.constantFrom<unknown>(...values);
  if (Array.isArray(anyOf)) return fc.oneof(...anyOf.map(fromSchema));
  switch (type) {
    case 'string':
      return textOf(bounds);
    case 'integer':
      return fc.integer({ min: numberOr(bounds.minimum, -1_000), max: numberOr(bounds.maximum, 1_000_000) });
    case 'number':
      return fc.double({
        min: numberOr(bounds.minimum, -1_000),
        max: numberOr(bounds.maximum, 1_000_000),
        noNaN: true,
      });
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'array':
      return fc.array(fromSchema(items), {
        minLength: numberOr(bounds.minItems, 0),
        maxLength: Math.min(numberOr(bounds.maxItems, 3), numberOr(bounds.minItems, 0) + 3),
      });
    case 'object':
      return objectOf(asRecord(properties), new Set(Array.isArray(required) ? required : []), bounds);
    default:
      return anyJson;
  }
}

function textOf(bounds: Record<string, unknown>): fc.Arbitrary<string> {
  if (typeof bounds.pattern === 'string' && !bounds.pattern.includes('(?')) {
    return fc.stringMatching(new RegExp(bounds.pattern, 'u'), { size: 'small' });
  }
  const minLength = numberOr(bounds.minLength, 0);
  return fc.string({
    minLength,
    maxLength: Math.min(numberOr(bounds.maxLength, 40), minLength + 40),
    unit: 'grapheme',
  });
}

function objectOf(
  properties: Record<string, unknown>,
  required: ReadonlySet<unknown>,
  { additionalProperties }: Record<string, unknown>,
): fc.Arbitrary<unknown> {
  const names = Object.keys(properties);
  if (names.length === 0 && additionalProperties !== undefined) {
    return fc.dictionary(fc.string({ minLength: 1, maxLength: 10 }), fromSchema(additionalProperties), { maxKeys: 4 });
  }
  const members = Object.fromEntries(names.map((name) => [name, fromSchema(properties[name])]));
  return fc.record(members, { requiredKeys: names.filter((name) => required.has(name)), noNullPrototype: true });
}

function asRecord(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

function numberOr(value: unknown, fallback: number): number {
  return typeof value === 'number' ? value : fallback;
}
