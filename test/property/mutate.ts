import fc from 'fast-check';
import { anyJson, oddText } from './arbitraries.ts';

/** One thing that goes wrong with a valid body. `place` picks where, out of however many places there are. */
type Mutation = {
  readonly kind: Kind;
  readonly place: number;
  readonly otherPlace: number;
  readonly value: unknown;
  readonly name: string;
};

type Place = { readonly holder: Record<string, unknown> | unknown[]; readonly key: string };

type Change = (place: Place, mutation: Mutation) => void;

// What is done to the value at a place; a list's places are its entries.
const CHANGES = {
  drop: ({ holder, key }) => {
    if (Array.isArray(holder)) holder.splice(Number(key), 1);
    else delete holder[key];
  },
  replace: (place, { value }) => put(place, value),
  taken: (place, { value }) => put(place, value),
  nothing: (place) => put(place, null),
  text: (place) => put(place, textOf(at(place))),
  list: (place) => put(place, [at(place)]),
  object: (place) => put(place, { value: at(place) }),
  nested: (place) => put(place, nested(at(place), 60)),
  negative: (place) => put(place, typeof at(place) === 'number' ? -Number(at(place)) : -1),
  fraction: (place) => put(place, typeof at(place) === 'number' ? Number(at(place)) + 0.5 : 0.5),
  huge: (place) => put(place, typeof at(place) === 'number' ? 1e15 : 'y'.repeat(70_000)),
  otherCase: (place) => put(place, typeof at(place) === 'string' ? swapCase(textOf(at(place))) : true),
  padded: (place) => put(place, typeof at(place) === 'string' ? ` ${textOf(at(place))}` : [at(place), at(place)]),
  renamed: (place, { name }) => {
    const { holder, key } = place;
    if (Array.isArray(holder)) return;
    define(holder, name, holder[key]);
    delete holder[key];
  },
  extra: ({ holder }, { name, value }) => {
    if (Array.isArray(holder)) holder.push(value);
    else define(holder, name, value);
  },
  repeated: ({ holder, key }) => {
    if (Array.isArray(holder)) holder.splice(Number(key), 0, holder[Number(key)]);
  },
  flooded: ({ holder, key }) => {
    if (Array.isArray(holder)) holder.push(...Array.from({ length: 1_001 }, () => holder[Number(key)]));
  },
} satisfies Record<string, Change>;

type Kind = keyof typeof CHANGES;
const KINDS: readonly Kind[] = Object.keys(CHANGES).filter((name): name is Kind => Object.hasOwn(CHANGES, name));

const mutation: fc.Arbitrary<Mutation> = fc.record({
  kind: fc.constantFrom(...KINDS),
  place: fc.nat(10_000),
  otherPlace: fc.nat(10_000),
  value: anyJson,
  name: oddText,
});

/** Bodies of which one to three things are wrong, or that are something else altogether. */
export function mutated(valid: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  const changed = fc
    .tuple(valid, fc.array(mutation, { minLength: 1, maxLength: 3 }))
    .map(([body, mutations]) => mutations.reduce(mutate, body));
  return fc.oneof({ weight: 19, arbitrary: changed }, { weight: 1, arbitrary: anyJson });
}

/** JSON text of a body with something wrong that only text can have. */
export function mangled(valid: fc.Arbitrary<unknown>): fc.Arbitrary<string> {
  return fc.tuple(valid, fc.constantFrom(...MANGLERS), fc.nat(10_000)).map(([body, mangle, seed]) => {
    const text = JSON.stringify(body);
    return mangle(text, seed % Math.max(1, text.length));
  });
}

const MANGLERS: readonly ((text: string, at: number) => string)[] = [
  (text, at) => text.slice(0, at),
  (text, at) => `${text.slice(0, at)}\u0000${text.slice(at)}`,
  (text, at) => `${text.slice(0, at)}"${text.slice(at)}`,
  (text) => `\ufeff${text}`,
  (text) => `${text},`,
  (text) => `${text}${text}`,
  (text) => text.replaceAll('"', "'"),
  (text) => text.replace(/:(\d+)/, ':1e400'),
  (text) => text.replace(/:(\d+)/, ':0x10'),
  (text) => text.replace(/"([a-z_]+)":/, '"$1":1,"$1":'),
  (text) => text.replace(/:"/, ':"\\ud83d'),
  (text) => text.replace(/:"/, ':"\\u0000'),
  (text) => text.replace('{', '{"__proto__":{"admin":true},'),
  () => '['.repeat(10_000),
  () => `${'['.repeat(10_000)}${']'.repeat(10_000)}`,
  () => `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`,
  () => '',
  () => 'nul',
];

function mutate(body: unknown, change: Mutation): unknown {
  // A copy: what an arbitrary has made is used again when it shrinks.
  const root: { body: unknown } = { body: structuredClone(body) };
  const places = placesIn(root.body);
  const place = places[change.place % Math.max(1, places.length)];
  const other = places[change.otherPlace % Math.max(1, places.length)];
  if (place === undefined || other === undefined) return change.value;
  // A value that is right in another place: an id of another kind, a text for a number.
  const value = change.kind === 'taken' ? structuredClone(at(other)) : change.value;
  CHANGES[change.kind](place, { ...change, value });
  return root.body;
}

/** Every member and entry, however deep. */
function placesIn(value: unknown): Place[] {
  if (typeof value !== 'object' || value === null) return [];
  const holder = Array.isArray(value) ? (value as unknown[]) : (value as Record<string, unknown>);
  return Object.entries(holder).flatMap(([key, member]) => [{ holder, key }, ...placesIn(member)]);
}

function at({ holder, key }: Place): unknown {
  return Array.isArray(holder) ? holder[Number(key)] : holder[key];
}

function put({ holder, key }: Place, value: unknown): void {
  if (Array.isArray(holder)) holder[Number(key)] = value;
  else define(holder, key, value);
}

/** Also a member called `__proto__`, which an assignment would not make. */
function define(holder: object, name: string, value: unknown): void {
  Object.defineProperty(holder, name, { value, enumerable: true, configurable: true, writable: true });
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function nested(value: unknown, levels: number): unknown {
  return levels === 0 ? value : [nested(value, levels - 1)];
}

function swapCase(text: string): string {
  return text === text.toUpperCase() ? text.toLowerCase() : text.toUpperCase();
}
