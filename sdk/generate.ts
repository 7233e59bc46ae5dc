import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/**
 * `node sdk/generate.ts`: writes the types of the client, `src/generated.ts`, and those of the consoles from the
 * OpenAPI documents of the service. Tests fail when a file that is committed is not what this makes of its document.
 */
const ROOT = new URL('../', import.meta.url);

/** A file of types: the document that it is made from, and the base path, which its places leave out. */
export type Generated = { readonly document: string; readonly basePath: string; readonly file: string };

/** The client's, of the public API. */
export const CLIENT: Generated = {
  document: 'docs/generated/openapi.json',
  basePath: '/api/v1',
  file: 'sdk/src/generated.ts',
};

/** The consoles', of what the portal alone can do; they take the rest from the client's. */
export const PORTAL: Generated = {
  document: 'docs/generated/portal-openapi.json',
  basePath: '/portal/api/v1',
  file: 'consoles/shared/api/portal-operations.ts',
};

type Schema = { readonly [keyword: string]: unknown };
type Content = Readonly<Record<string, { readonly schema?: Schema }>>;
type Parameter = {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Schema;
};
type Operation = {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly parameters?: readonly (Parameter | { readonly $ref: string })[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content; readonly $ref?: string }>>;
};

/** As much of an OpenAPI 3.1 document as the client is made of. */
export type Document = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly parameters?: Readonly<Record<string, Parameter>>;
  };
};

/**
 * Who writes a value: a caller may only send what the service knows, and may leave a member undefined; of what the
 * service sends, a word that is newer than the client must not be a surprise to the compiler.
 */
type Direction = 'sent' | 'received';

/** The TypeScript of such a file, not yet formatted. Throws when the document has what the client could not show. */
export function generate(document: Document, { document: source, basePath }: Generated = CLIENT): string {
  const sent = sentSchemas(document);
  const types = Object.entries(document.components.schemas)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, schema]) => {
      const type = typeOf(schema, sent.has(name) ? 'sent' : 'received');
      return `${comment(schema.description)}export type ${typeName(name)} = ${type};\n`;
    });
  const operations = operationsOf(document);
  return [
    `// Made by sdk/generate.ts from ${source}. Do not edit it: change the schemas of the service and make it anew.\n`,
    '/** One of these words, or one that is newer than this client. */',
    'type Open<Known extends string> = Known | (string & Record<never, never>);\n',
    ...types,
    '/** What each operation takes, and the body of its success. */',
    `export type Operations = {\n${operations.map(operationType).join('')}};\n`,
    '/** Where each operation is. Members of the path stand in braces. */',
    `export const OPERATIONS = {\n${operations.map((placed) => operationPlace(placed, basePath)).join('')}} as const;\n`,
    '/** The body of an error of each code. */',
    `export type ErrorBodies = {\n${errorsOf(document).join('')}};\n`,
  ].join('\n');
}

type PlacedOperation = {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
  /** Those of the path and the query: what sends a request adds the headers. */
  readonly parameters: readonly Parameter[];
};

function operationsOf(document: Document): PlacedOperation[] {
  return Object.entries(document.paths)
    .flatMap(([path, methods]) =>
      Object.entries(methods)
        .filter(([, operation]) => typeof operation === 'object' && 'operationId' in operation)
        .map(([method, operation]) => ({
          method: method.toUpperCase(),
          path,
          operation,
          parameters: (operation.parameters ?? [])
            .map((parameter) => ('$ref' in parameter ? sharedParameter(document, parameter.$ref) : parameter))
            .filter((parameter) => parameter.in !== 'header' && !isOfLinks(parameter)),
        })),
    )
    .toSorted((a, b) => (a.operation.operationId < b.operation.operationId ? -1 : 1));
}

/** A client reads JSON: in what form an answer comes is for links alone. */
function isOfLinks(parameter: Parameter): boolean {
  return parameter.in === 'query' && parameter.name === 'format';
}

function sharedParameter({ components }: Document, reference: string): Parameter {
  const parameter = components.parameters?.[/^#\/components\/parameters\/([\w-]+)$/.exec(reference)?.[1] ?? ''];
  if (parameter === undefined) throw new Error(`the generator cannot follow ${reference}`);
  return parameter;
}

function operationType({ operation, parameters }: PlacedOperation): string {
  const path = parametersType(parameters.filter((parameter) => parameter.in === 'path'));
  const query = parametersType(parameters.filter((parameter) => parameter.in === 'query'));
  const body = jsonOf(operation.requestBody?.content);
  const parts = [
    ...(path === undefined ? [] : [`path: ${path};`]),
    ...(query === undefined ? [] : [`query?: ${query} | undefined;`]),
    ...(body === undefined ? [] : [`body: ${typeOf(body, 'sent')};`]),
  ];
  const inputType = parts.length === 0 ? '{ path?: undefined }' : `{ ${parts.join(' ')} }`;
  return `${comment(operation.summary)}${operation.operationId}: { input: ${inputType}; reply: ${replyType(operation)} };\n`;
}

function operationPlace({ method, path, operation }: PlacedOperation, basePath: string): string {
  const place = path.startsWith(basePath) ? path.slice(basePath.length) : path;
  return `${operation.operationId}: { method: ${quote(method)}, path: ${quote(place)} },\n`;
}

function parametersType(parameters: readonly Parameter[]): string | undefined {
  if (parameters.length === 0) return undefined;
  const members = parameters.map(({ name, required, description, schema }) =>
    member(name, typeOf(schema, 'sent'), required === true ? 'needed' : 'may be undefined', description),
  );
  return `{\n${members.join('')}}`;
}

function replyType(operation: Operation): string {
  const types = Object.entries(operation.responses)
    .filter(([status]) => status.startsWith('2'))
    .map(([, response]) => {
      const schema = jsonOf(response.content);
      return schema === undefined ? 'undefined' : typeOf(schema, 'received');
    });
  return types.length === 0 ? 'never' : [...new Set(types)].join(' | ');
}

/** The components that are the error of one code: those whose `code` is a constant. */
function errorsOf(document: Document): string[] {
  return Object.entries(document.components.schemas).flatMap(([name, { properties }]) => {
    const code =
      isObject(properties) && 'type' in properties && isObject(properties.code) ? properties.code.const : undefined;
    return typeof code === 'string' && name.endsWith('Error') ? [`${code}: ${typeName(name)};\n`] : [];
  });
}

function jsonOf(content: Content | undefined): Schema | undefined {
  return content?.['application/json']?.schema;
}

/** The names of the components that a request can reach. */
function sentSchemas(document: Document): ReadonlySet<string> {
  const found = new Set<string>();
  const open: unknown[] = operationsOf(document).map(({ operation, parameters }) => [
    operation.requestBody,
    parameters,
  ]);
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (Array.isArray(next)) open.push(...next.filter((value) => value !== undefined));
    else if (isObject(next)) {
      const name = typeof next.$ref === 'string' ? referenceName(next.$ref) : undefined;
      if (name !== undefined && !found.has(name)) {
        found.add(name);
        open.push(document.components.schemas[name]);
      }
      open.push(...Object.values(next).filter((value) => typeof value === 'object' && value !== null));
    }
  }
  return found;
}

function typeOf(schema: Schema, direction: Direction): string {
  if (typeof schema.$ref === 'string') return typeName(referenceName(schema.$ref));
  if ('const' in schema) return quote(schema.const);
  if (Array.isArray(schema.enum)) return wordsType(schema.enum, direction);
  for (const keyword of ['anyOf', 'oneOf'] as const) {
    if (Array.isArray(schema[keyword])) return joined(schema[keyword], ' | ', direction);
  }
  if (Array.isArray(schema.allOf)) return joined(schema.allOf, ' & ', direction);
  if (Array.isArray(schema.type))
    return joined(
      schema.type.map((type: unknown) => ({ ...schema, type })),
      ' | ',
      direction,
    );
  switch (schema.type) {
    case 'string':
      return 'string';
    case 'integer':
    case 'number':
      return 'number';
    case 'boolean':
      return 'boolean';
    case 'null':
      return 'null';
    case 'array':
      return `${direction === 'sent' ? 'readonly ' : ''}(${isObject(schema.items) ? typeOf(schema.items, direction) : 'unknown'})[]`;
    case 'object':
      return objectType(schema, direction);
    case undefined:
      return 'unknown';
    default:
      throw new Error(`the generator does not know the type ${quote(schema.type)}`);
  }
}

function joined(schemas: readonly unknown[], operator: ' | ' | ' & ', direction: Direction): string {
  const types = schemas.filter(isObject).map((schema) => typeOf(schema, direction));
  return `(${[...new Set(types)].join(operator)})`;
}

function wordsType(words: readonly unknown[], direction: Direction): string {
  const union = words.map(quote).join(' | ');
  // A single word is a fact, such as the currency; among several there may be more one day.
  const isOpen = direction === 'received' && words.length > 1 && words.every((word) => typeof word === 'string');
  return isOpen ? `Open<${union}>` : `(${union})`;
}

function objectType(schema: Schema, direction: Direction): string {
  const required = new Set(Array.isArray(schema.required) ? schema.required : []);
  const members = Object.entries(isObject(schema.properties) ? schema.properties : {}).map(([name, value]) => {
    if (!isObject(value)) throw new Error(`${name} has no schema`);
    const presence = required.has(name) ? 'needed' : direction === 'sent' ? 'may be undefined' : 'may be absent';
    return member(name, typeOf(value, direction), presence, value.description);
  });
  if (!isObject(schema.additionalProperties)) return `{\n${members.join('')}}`;
  const dictionary = `Record<string, ${typeOf(schema.additionalProperties, direction)}>`;
  return members.length === 0 ? dictionary : `({ ${members.join('')} } & ${dictionary})`;
}

function member(
  name: string,
  type: string,
  presence: 'needed' | 'may be undefined' | 'may be absent',
  description: unknown,
): string {
  const key = /^[A-Za-z_]\w*$/.test(name) ? name : quote(name);
  if (presence === 'needed') return `${comment(description)}${key}: ${type};\n`;
  return `${comment(description)}${key}?: ${type}${presence === 'may be undefined' ? ' | undefined' : ''};\n`;
}

function referenceName(reference: string): string {
  const name = /^#\/components\/schemas\/([A-Za-z]\w*)$/.exec(reference)?.[1];
  if (name === undefined) throw new Error(`the generator cannot follow ${reference}`);
  return name;
}

/** Names that mean something else wherever JavaScript runs. */
const RENAMED: Readonly<Record<string, string>> = { Error: 'AnyError', Event: 'OrderEvent' };

function typeName(component: string): string {
  return RENAMED[component] ?? component;
}

function comment(text: unknown): string {
  if (typeof text !== 'string' || text === '') return '';
  const lines = text.replaceAll('*/', '* /').trim().split('\n');
  return lines.length === 1
    ? `/** ${lines[0]} */\n`
    : `/**\n${lines.map((line) => ` * ${line}`.trimEnd()).join('\n')}\n */\n`;
}

function quote(value: unknown): string {
  return typeof value === 'string' ? `'${value.replaceAll(/['\\]/g, '\\$&')}'` : JSON.stringify(value);
}

function isObject(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The text as `npm run fix` leaves it. Throws what the formatter said when it cannot read it. */
export function format(text: string): string {
  const biome = fileURLToPath(new URL('../node_modules/.bin/biome', import.meta.url));
  const { status, stdout, stderr } = spawnSync(biome, ['format', '--stdin-file-path=sdk/src/generated.ts'], {
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    input: text,
    encoding: 'utf8',
    timeout: 30_000,
  });
  if (status !== 0) throw new Error(`the generated client is not TypeScript: ${stderr}`);
  return stdout;
}

if (import.meta.main) {
  for (const generated of [CLIENT, PORTAL]) {
    const document = JSON.parse(readFileSync(new URL(generated.document, ROOT), 'utf8')) as Document;
    writeFileSync(new URL(generated.file, ROOT), format(generate(document, generated)));
  }
}
