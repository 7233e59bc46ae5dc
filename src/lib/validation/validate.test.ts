import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { cpuMsOf } from '../../../test/harness/cpu-time.ts';
import { dictionary, nullable, oneOf } from '../schemas.ts';
import { Compile, type TSchema, Type } from '../typebox.ts';
import {
  checkShape,
  closed,
  compileQuery,
  compileShape,
  findBadText,
  listUnknownFields,
  repeatProblems,
} from './validate.ts';

const Order = Type.Object({
  type: Type.Optional(oneOf(['sample', 'bulk'])),
  kind: Type.Optional(Type.Union([Type.Literal('a'), Type.Literal('b'), Type.Null()])),
  items: Type.Array(
    Type.Object({
      sku: Type.String({ pattern: '^[A-Z]+$' }),
      quantity: Type.Integer({ minimum: 1, maximum: 10_000 }),
      price: Type.Optional(Type.Number({ exclusiveMinimum: 0, multipleOf: 0.5 })),
    }),
    { minItems: 1, maxItems: 3 },
  ),
  note: Type.Optional(nullable(Type.String({ maxLength: 2 }))),
  tags: Type.Optional(Type.Array(Type.String(), { uniqueItems: true })),
  inputs: Type.Optional(dictionary(Type.Union([Type.String(), Type.Array(Type.String())]), { maxProperties: 2 })),
  target: Type.Optional(Type.Intersect([Type.Object({ x: Type.Number() }), Type.Object({ y: Type.Boolean() })])),
});
const shape = compileShape(Order);
const line = { sku: 'A', quantity: 1 };

test('7 validation_failed: every problem of a body is named at once, each with its path', () => {
  const problems = shape({ type: 'BULK', items: [{ quantity: 1.5 }, null, { sku: 'a', quantity: 0 }], note: 3 });
  assert.deepEqual(problems.map(({ path, code }) => `${path} ${code}`).toSorted(), [
    'items[0].quantity type',
    'items[0].sku required',
    'items[1] type',
    'items[2].quantity out_of_bounds',
    'items[2].sku pattern',
    'note type',
    'type unknown_value',
  ]);
});

test('7 validation_failed: what is missing is told from what was sent under another name', () => {
  const Address = Type.Object({ line1: Type.String(), postcode: Type.String(), country_code: Type.String() });
  const messages = (schema: TSchema, body: unknown): string[] =>
    compileShape(schema)(body).map(({ path, message }) => `${path}: ${message}`);
  assert.deepEqual(messages(Address, { zip: 'LS1 4DY', country: 'GB', colour: 'red' }), [
    'line1: line1 is required.',
    'postcode: postcode is required; `zip` is not known here.',
    'country_code: country_code is required; `country` is not known here.',
  ]);
  assert.deepEqual(messages(closed(Address), { line1: '1', postcode: 'LS1', country: 'GB' }), [
    'country_code: country_code is required.',
    'country: country is not known here. Did you mean `country_code`?',
  ]);
});

test('7 validation_failed: a refusal names the path, what is wrong, and the valid values where they are finite', () => {
  const cases: [unknown, string, string, string[]?][] = [
    [[], '', 'type'],
    [null, '', 'type'],
    ['x', '', 'type'],
    [{}, 'items', 'required'],
    [{ items: [] }, 'items', 'out_of_bounds'],
    [{ items: [line, line, line, line] }, 'items', 'out_of_bounds'],
    [{ items: {} }, 'items', 'type'],
    [{ items: [line], type: null }, 'type', 'unknown_value', ['sample', 'bulk']],
    [{ items: [line], kind: 'c' }, 'kind', 'unknown_value', ['a', 'b']],
    [{ items: [line], note: 'abc' }, 'note', 'out_of_bounds'],
    [{ items: [line], tags: ['a', 'a'] }, 'tags', 'duplicate'],
    [{ items: [line], inputs: { 'a\nb': 1 } }, 'inputs.a\nb', 'type'],
    [{ items: [line], inputs: { a: ['x', 1] } }, 'inputs.a[1]', 'type'],
    [{ items: [line], inputs: { a: '', b: '', c: '' } }, 'inputs', 'out_of_bounds'],
    [{ items: [line], target: { x: 1 } }, 'target.y', 'required'],
    [{ items: [{ ...line, quantity: Number.POSITIVE_INFINITY }] }, 'items[0].quantity', 'type'],
    [{ items: [{ ...line, quantity: '1' }] }, 'items[0].quantity', 'type'],
    [{ items: [{ ...line, price: 0 }] }, 'items[0].price', 'out_of_bounds'],
    [{ items: [{ ...line, price: 1.2 }] }, 'items[0].price', 'out_of_bounds'],
  ];
  for (const [body, path, code, validValues] of cases) {
    const [problem, ...more] = shape(body);
    assert.deepEqual(
      [problem?.path, problem?.code, problem?.valid_values],
      [path, code, validValues],
      JSON.stringify(body),
    );
    assert.equal(more.length, 0, JSON.stringify(body));
  }
});

test('lengths count Unicode code points, so an emoji is one character', () => {
  assert.deepEqual(shape({ items: [line], note: '😀😀' }), []);
  assert.equal(shape({ items: [line], note: '😀😀😀' }).length, 1);
});

test('9.2 what is not known is neither refused nor removed', () => {
  const body = { items: [{ ...line, colour: 'red' }], total: 1 };
  assert.deepEqual(shape(body), []);
  assert.deepEqual(body, { items: [{ ...line, colour: 'red' }], total: 1 });
});

test('a value is refused with a reason exactly when it does not have the shape', () => {
  const compiled = Compile(Order);
  const text = fc.constantFrom('', 'A', 'a', 'abc', 'sample', 'bulk', '😀😀');
  const scalar = fc.oneof(text, fc.constantFrom(null, true, 0, 1, 0.5, 10_001, -1));
  const item = fc.record({ sku: scalar, quantity: scalar, price: scalar }, { requiredKeys: [] });
  const entries = { minLength: 0, maxLength: 4 };
  const body = fc.record(
    {
      type: scalar,
      kind: scalar,
      items: fc.oneof(scalar, fc.array(fc.oneof({ weight: 4, arbitrary: item }, scalar), entries)),
      note: scalar,
      tags: fc.oneof(scalar, fc.array(scalar, entries)),
      inputs: fc.oneof(scalar, fc.dictionary(text, fc.oneof(scalar, fc.array(scalar, entries)), { maxKeys: 4 })),
      target: fc.oneof(scalar, fc.record({ x: scalar, y: scalar }, { requiredKeys: [] })),
    },
    { requiredKeys: ['items'] },
  );
  fc.assert(
    fc.property(fc.oneof(body, scalar), (value) => {
      const problems = shape(value);
      assert.equal(problems.length === 0, compiled.Check(value));
      assert.ok(
        problems.every((problem) => problem.code !== 'shape'),
        'every refusal can say why',
      );
    }),
    { numRuns: 3_000 },
  );
});

test('a hopeless body costs little: a list that is too long is not looked into, and a hundred problems are enough', async () => {
  const long = { items: Array.from({ length: 300_000 }, () => 1) };
  const deep = { items: [line], tags: Array.from({ length: 300_000 }, () => 1) };
  for (const body of [long, deep]) {
    const cpuMs = await cpuMsOf(() => assert.ok(shape(body).length <= 100));
    assert.ok(cpuMs < 100, `${cpuMs} ms`);
  }
});

test('a schema that could not explain its refusals does not start', () => {
  const cases = [
    Type.Record(Type.String(), Type.String()),
    Type.Object({ a: Type.Array(Type.Tuple([Type.String()])) }),
  ];
  for (const schema of cases) assert.throws(() => compileShape(schema), /cannot explain/);
});

test('a query parameter is given once; what is unknown is ignored (A27)', () => {
  const query = compileQuery(
    Type.Object({ limit: Type.Optional(Type.String({ pattern: '^\\d$' })), q: Type.Optional(Type.String()) }),
  );
  assert.deepEqual(query({ limit: '5', other: ['a', 'b'] }), []);
  assert.deepEqual(
    query({ limit: ['1', '2'], q: '\0' }).map(({ path, code }) => `${path} ${code}`),
    ['limit duplicate', 'q invalid_character'],
  );
});

test('text that no database can hold is found in values and names, however deep (A7, A8)', () => {
  const found = (value: unknown): string[] => findBadText(value).map((problem) => problem.path);
  assert.deepEqual(found({ a: 'x', b: ['😀', { c: 'é' }] }), []);
  assert.deepEqual(found({ a: 'x\0', b: ['y', '\ud800'], c: { '\udc00': 1 } }), ['a', 'b[1]', 'c']);
  assert.deepEqual(found('\0'), ['']);
  assert.equal(found(JSON.parse(`${'['.repeat(100_000)}"\\u0000"${']'.repeat(100_000)}`)).length, 1);
});

test('9.2 the members that a schema does not know are listed, at most twenty', () => {
  const body = {
    items: [{ ...line, colour: 'red' }],
    inputs: { anything: 'x' },
    target: { x: 1, y: true, z: 1 },
    total: 1,
  };
  assert.deepEqual(pathsOf(body).toSorted(), ['items[0].colour', 'target.z', 'total']);
  assert.deepEqual(pathsOf(JSON.parse('{"__proto__":{"a":1},"constructor":1}')), ['__proto__', 'constructor']);
  const many = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`u${index}`, 1]));
  assert.equal(listUnknownFields(Order, many).length, 20);
});

const pathsOf = (body: unknown): string[] => listUnknownFields(Order, body).map(({ path }) => path);

test('a long name is cut in a path, and never to half of a surrogate pair (A8)', () => {
  const name = `${'a'.repeat(99)}😀b`;
  const cut = `${'a'.repeat(99)}…`;
  assert.deepEqual(pathsOf({ items: [{ ...line, [name]: 1 }], ['b'.repeat(101)]: 1 }), [
    `items[0].${cut}`,
    `${'b'.repeat(100)}…`,
  ]);
  assert.equal(compileShape(closed(Type.Object({})))({ [name]: 1 })[0]?.path, cut);
  assert.equal(findBadText({ [name]: '\0' })[0]?.path, cut);
});

test('a member that is not known comes with the name that was probably meant', () => {
  assert.deepEqual(listUnknownFields(Order, { items: [{ ...line, qty: 2 }], taggs: [], total: 1 }), [
    { path: 'items[0].qty', nearest: 'quantity' },
    { path: 'taggs', nearest: 'tags' },
    { path: 'total', nearest: undefined },
  ]);
});

const Move = Type.Object({
  items: Type.Array(
    Type.Object({ sku: Type.String(), note: Type.Optional(nullable(Type.Object({ by: Type.String() }))) }),
  ),
  lines: Type.Optional({ ...Type.Array(Type.String()), deprecated: true }),
  metadata: Type.Optional(dictionary(Type.String(), { maxProperties: 5 })),
});

test('a closed schema refuses unknown members at any depth, with the name that was probably meant', () => {
  const refuse = compileShape(closed(Move));
  const good = {
    items: [
      { sku: 'a', note: { by: 'b' } },
      { sku: 'a', note: null },
    ],
    metadata: { anything: 'x' },
  };
  assert.deepEqual(refuse(good), []);
  assert.deepEqual(compileShape(Move)({ ...good, item: 1 }), []);
  const wrong = { items: [{ skus: 'a', sku: 1, note: { by: 'b', at: 1 } }], lins: [], total: 1 };
  assert.deepEqual(
    refuse(wrong).map(({ path, code, message }) => `${path} ${code}: ${message}`),
    [
      'items[0].skus unknown_field: items[0].skus is not known here. Did you mean `sku`?',
      'items[0].sku type: must be a string.',
      'items[0].note.at unknown_field: items[0].note.at is not known here.',
      'lins unknown_field: lins is not known here. Did you mean `items`?',
      'total unknown_field: total is not known here.',
    ],
  );
  assert.throws(() => closed(Order), /intersection/);
});

test('a closed query refuses unknown parameters', () => {
  const query = compileQuery(closed(Type.Object({ limit: Type.Optional(Type.String()) })));
  assert.deepEqual(query({ limit: '5' }), []);
  assert.deepEqual(
    query({ limt: '5', other: ['a', 'b'] }).map(({ path, code, message }) => `${path} ${code}: ${message}`),
    [
      'limt unknown_field: limt is not known here. Did you mean `limit`?',
      'other unknown_field: other is not known here.',
    ],
  );
});

const Shelf = Type.Object(
  {
    rows: Type.Array(
      Type.Object(
        {
          kind: Type.Enum(['box', 'bag']),
          count: Type.Integer({ minimum: 1 }),
          sku: Type.String({ pattern: '^[A-Z]+$' }),
        },
        { additionalProperties: false },
      ),
    ),
  },
  { additionalProperties: false },
);

test('a value of the right shape is handed on as it is', () => {
  const value = { rows: [{ kind: 'box', count: 1, sku: 'A' }] };
  const shaped = checkShape(Shelf, value);
  assert.ok(shaped.kind === 'ok');
  assert.equal(shaped.value, value);
});

test('every problem is reported at once, with its path, its code and what would be right', () => {
  const shaped = checkShape(Shelf, { rows: [{ kind: 'bin', count: 0, sku: 'a', 'a/b': 1 }, {}], more: 1 }, 'file');
  assert.ok(shaped.kind === 'refused');
  assert.deepEqual(shaped.problems.map(({ path, code }) => `${path} ${code}`).toSorted(), [
    'file.more unknown_field',
    'file.rows[0].a/b unknown_field',
    'file.rows[0].count out_of_bounds',
    'file.rows[0].kind unknown_value',
    'file.rows[0].sku pattern',
    'file.rows[1].count required',
    'file.rows[1].kind required',
    'file.rows[1].sku required',
  ]);
  assert.deepEqual(shaped.problems.find(({ code }) => code === 'unknown_value')?.valid_values, ['box', 'bag']);
});

test('a hundred bad rows are a hundred problems', () => {
  const shaped = checkShape(Shelf, { rows: Array.from({ length: 100 }, () => ({ kind: 'box', count: 0, sku: 'A' })) });
  assert.equal(shaped.kind === 'refused' && shaped.problems.length, 100);
});

test('a repeated value is reported where it stands again, and the first is not', () => {
  const problems = repeatProblems(['a', 'b', 'a', 'a'], (index) => `rows[${index}]`);
  assert.deepEqual(
    problems.map(({ path, code }) => `${path} ${code}`),
    ['rows[2] duplicate', 'rows[3] duplicate'],
  );
});

test('a file and a request name the same mistake in the same words', () => {
  const value = {
    rows: [
      { kind: 'bin', count: 0.5, sku: 'a', colour: 1 },
      { kind: 'box', count: 0 },
    ],
    more: 1,
  };
  const ofFile = checkShape(Shelf, value);
  assert.ok(ofFile.kind === 'refused');
  assert.deepEqual(ofFile.problems, compileShape(Shelf)(value));
  assert.ok(ofFile.problems.some(({ message }) => message === 'rows[0].colour is not known here.'));
});
