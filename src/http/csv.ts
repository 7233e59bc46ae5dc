import { Readable } from 'node:stream';
import { isDeepStrictEqual } from 'node:util';
import type { FastifyReply } from 'fastify';
import type { RouteReply } from '../lib/route.ts';
import { oneOf } from '../lib/schemas.ts';
import { writeCsv } from '../lib/text/write-csv.ts';
import { type TSchema, Type } from '../lib/typebox.ts';

export const CSV = 'text/csv';

/** Records that are read at a time when the whole list is asked for: the largest page. */
const PAGE_LIMIT = '100';

const FORMAT = Type.Optional(
  oneOf(['json', 'csv'], { description: '`csv`: as with `Accept: text/csv`, for a link, which has no such header.' }),
);

/** The parameters of an operation that a link may call, where the header `Accept` cannot be set. */
export function queryOfLink(route: {
  readonly csv?: string;
  readonly query?: TSchema | undefined;
}): TSchema | undefined {
  const { csv, query = Type.Object({}) } = route;
  if (csv === undefined) return route.query;
  const schema = { ...query, properties: { ...propertiesOf(query), format: FORMAT } };
  return schema;
}

/** Whether a link asks for CSV. */
export function isCsvLink(query: unknown): boolean {
  return fieldsOf(query).format === 'csv';
}

type Fields = Readonly<Record<string, unknown>>;
type Column = { readonly name: string; readonly cell: (record: unknown) => string | number | boolean };

/** A list of an operation, which can be served as CSV. */
export type CsvList = {
  /** The member of the reply that holds the records. */
  readonly member: string;
  readonly columns: readonly Column[];
  /** The parameters of the operation, by which a next page is asked for. */
  readonly parameters: ReadonlySet<string>;
  readonly fileName: string;
};

/**
 * Describes the list that an operation's reply has, for `sendCsv`.
 * The columns come from the schema of a record: a member of an object is a column `object.member`, a list of texts is
 * joined by semicolons, and a list of objects is the number of its entries. `csvWithout` names members without one.
 */
export function csvList(route: {
  readonly csv: string;
  readonly csvWithout?: readonly string[] | undefined;
  readonly path: string;
  readonly query: TSchema | undefined;
  readonly replies: Readonly<Record<number, unknown>>;
}): CsvList {
  const list = fieldsOf(propertiesOf(route.replies[200])[route.csv]);
  const members = membersOf(list.items);
  const without = route.csvWithout ?? [];
  const unknown = without.find((name) => !(name in members));
  if (unknown !== undefined) throw new Error(`${route.path} has no member ${unknown} to leave out`);
  const kept = Object.entries(members).filter(([name]) => !without.includes(name));
  const columns = columnsOf(Object.fromEntries(kept), '', (value) => value);
  if (columns.length === 0) throw new Error(`${route.path} has no list ${route.csv}`);
  const words = route.path.split('/').filter((part) => part !== '' && !part.startsWith(':'));
  return {
    member: route.csv,
    columns,
    parameters: new Set(Object.keys(propertiesOf(route.query))),
    fileName: `${words.join('-')}.csv`,
  };
}

/**
 * Answers with a list as CSV (RFC 4180, with a header).
 * With `limit` it is that page, and the header `Link` names the next one. Without it all records are streamed, page
 * by page, so that a list of any length takes the memory of one page. `readPage` reads a page; what it refuses before
 * the first is an ordinary error, and a failure after it cuts the connection, so that no file looks whole that is not.
 * A link gives the file its name.
 */
export async function sendCsv(
  reply: FastifyReply,
  list: CsvList,
  { format, ...query }: Fields,
  readPage: (query: Fields) => Promise<RouteReply>,
): Promise<void> {
  const isWhole = list.parameters.has('limit') && query.limit === undefined;
  const ask = isWhole ? { ...query, limit: PAGE_LIMIT } : query;
  const first = fieldsOf((await readPage(ask)).body);
  const next = nextQuery(list, ask, first);
  if (!isWhole && next !== undefined) {
    const linked = format === undefined ? next : { ...next, format };
    reply.header('link', `<?${new URLSearchParams(linked as Record<string, string>).toString()}>; rel="next"`);
  }
  reply.header('content-type', `${CSV}; charset=utf-8; header=present`);
  reply.header('content-disposition', format === undefined ? `attachment; filename="${list.fileName}"` : 'attachment');
  // The framework reads the body of an answer to HEAD to its end, also once the client is gone.
  const isStreamed = isWhole && reply.request.method !== 'HEAD';
  const body = isStreamed ? wholeList(list, ask, first, readPage) : [textOf(list, first, true)];
  await reply.send(Readable.from(body));
}

async function* wholeList(
  list: CsvList,
  ask: Fields,
  first: Fields,
  readPage: (query: Fields) => Promise<RouteReply>,
): AsyncGenerator<string> {
  yield textOf(list, first, true);
  for (let next = nextQuery(list, ask, first); next !== undefined; ) {
    const page = fieldsOf((await readPage(next)).body);
    const text = textOf(list, page, false);
    if (text !== '') yield text;
    next = nextQuery(list, next, page);
  }
}

/**
 * The query of the page after a page, if there is one.
 * What the page says of its own parameters goes along: the end of a statement is that of its first page.
 */
function nextQuery(list: CsvList, query: Fields, page: Fields): Fields | undefined {
  if (typeof page.next_cursor !== 'string') return undefined;
  const fixed = Object.entries(page).filter(([name, value]) => list.parameters.has(name) && typeof value === 'string');
  return { ...query, ...Object.fromEntries(fixed), cursor: page.next_cursor };
}

function textOf({ member, columns }: CsvList, page: Fields, hasHeader: boolean): string {
  const records = page[member];
  const rows = (Array.isArray(records) ? records : []).map((record) => columns.map(({ cell }) => cell(record)));
  return writeCsv(hasHeader ? [columns.map(({ name }) => name), ...rows] : rows, { cast: { boolean: String } });
}

function columnsOf(properties: Fields, prefix: string, read: (record: unknown) => unknown): Column[] {
  return Object.entries(properties).flatMap(([name, schema]) => {
    const value = (record: unknown): unknown => fieldsOf(read(record))[name];
    const members = propertiesOf(schema);
    if (Object.keys(members).length > 0) return columnsOf(members, `${prefix}${name}.`, value);
    return [{ name: `${prefix}${name}`, cell: (record: unknown) => cellOf(value(record)) }];
  });
}

function cellOf(value: unknown): string | number | boolean {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  if (!Array.isArray(value)) return JSON.stringify(value);
  return value.some((entry) => typeof entry === 'object') ? value.length : value.join('; ');
}

/** The members of the schema of an object, also of one that can be null; none for another schema. */
function propertiesOf(schema: unknown): Fields {
  const { anyOf, properties } = fieldsOf(schema);
  if (!Array.isArray(anyOf)) return fieldsOf(properties);
  const parts = anyOf.filter((part) => fieldsOf(part).type !== 'null');
  return parts.length === 1 ? propertiesOf(parts[0]) : {};
}

/** The members that every kind of record has; one that is not alike in all of them has no schema here. */
function membersOf(record: unknown): Fields {
  const { anyOf } = fieldsOf(record);
  if (!Array.isArray(anyOf)) return propertiesOf(record);
  const [first = {}, ...others] = anyOf.map(propertiesOf);
  const common = Object.entries(first).filter(([name]) => others.every((other) => name in other));
  return Object.fromEntries(
    common.map(([name, schema]) => [
      name,
      others.every((other) => isDeepStrictEqual(other[name], schema)) ? schema : {},
    ]),
  );
}

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}
