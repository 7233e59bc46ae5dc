import { type Break, isObject, type Json, lookUp, schemaBreaks } from './breaking-schema.ts';

const METHODS = ['get', 'post', 'patch', 'put', 'delete'];

/**
 * What a client of the document `before` would find broken by `after`; nothing when v1 has only gained (spec 9.2).
 * New operations, events, optional request members, members of replies and error codes are gains. A new value in an
 * enumeration of a reply is not: a typed client switches over them. Words may change. Throws for what it cannot
 * compare.
 */
export function findBreaks(before: Json, after: Json): readonly Break[] {
  const found = [
    ...operationBreaks(before, after),
    ...webhookBreaks(before, after),
    ...errorBreaks(before, after),
    ...securityBreaks(before, after),
    ...serverBreaks(before, after),
  ];
  const lines = new Map(found.map((each) => [`${each.where} ${each.what}`, each]));
  return [...lines.values()];
}

function operationBreaks(before: Json, after: Json): Break[] {
  return operationsOf(before).flatMap(({ path, method, operation }) => {
    const now = memberOf(memberOf(after.paths, path), method);
    const where = `${method.toUpperCase()} ${path}`;
    if (!isObject(now)) return [{ where, what: 'was removed' }];
    return [
      ...named(where, operation.operationId, now.operationId, 'operationId'),
      ...accessBreaks(where, operation, now),
      ...parameterBreaks(before, after, where, operation, now),
      ...bodyBreaks(before, after, where, operation, now),
      ...replyBreaks(before, after, where, operation, now),
    ];
  });
}

/** Each way in that there was must still be one: a scheme with no more scopes than it took. */
function accessBreaks(where: string, old: Json, now: Json): Break[] {
  const ways = (operation: Json): string[] =>
    Array.isArray(operation.security) ? operation.security.map((way: unknown) => JSON.stringify(way)) : [];
  return ways(old)
    .filter((way) => !ways(now).includes(way))
    .map((way) => ({ where, what: `can no longer be called with ${way}` }));
}

function operationsOf(document: Json): { path: string; method: string; operation: Json }[] {
  return entriesOf(document.paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = memberOf(item, method);
      return isObject(operation) ? [{ path, method, operation }] : [];
    }),
  );
}

function parameterBreaks(before: Json, after: Json, where: string, old: Json, now: Json): Break[] {
  const [was, is] = [parametersOf(before, old), parametersOf(after, now)];
  const kept = [...was].flatMap(([name, parameter]) => {
    const at = `${where} ${name}`;
    const other = is.get(name);
    if (other === undefined) return [{ where: at, what: 'was removed' }];
    const required =
      parameter.required !== true && other.required === true ? [{ where: at, what: 'is required now' }] : [];
    const schemas = [parameter.schema, other.schema] as const;
    return [
      ...required,
      ...schemaBreaks('request', { document: before, schema: schemas[0] }, { document: after, schema: schemas[1] }, at),
    ];
  });
  const added = [...is].flatMap(([name, parameter]) =>
    was.has(name) || parameter.required !== true ? [] : [{ where: `${where} ${name}`, what: 'is required now' }],
  );
  return [...kept, ...added];
}

function parametersOf(document: Json, operation: Json): Map<string, Json> {
  const list = Array.isArray(operation.parameters) ? operation.parameters : [];
  return new Map(
    list.map((entry: unknown) => {
      const parameter = resolved(document, entry);
      return [`${String(parameter.in)} parameter ${String(parameter.name)}`, parameter];
    }),
  );
}

function bodyBreaks(before: Json, after: Json, where: string, old: Json, now: Json): Break[] {
  const at = `${where} body`;
  const [was, is] = [old.requestBody, now.requestBody];
  if (!isObject(was)) return isObject(is) && is.required === true ? [{ where: at, what: 'is required now' }] : [];
  if (!isObject(is)) return [{ where: at, what: 'was removed' }];
  const required = was.required !== true && is.required === true ? [{ where: at, what: 'is required now' }] : [];
  return [...required, ...contentBreaks('request', before, after, at, was, is)];
}

/** Success statuses: each that there was must still be, with all that it brought, and no other may come. */
function replyBreaks(before: Json, after: Json, where: string, old: Json, now: Json): Break[] {
  const [was, is] = [successesOf(old), successesOf(now)];
  const fresh = is
    .filter(([status]) => !was.some(([other]) => other === status))
    .map(([status]) => ({ where: `${where} ${status}`, what: 'may come, where it could not' }));
  const kept = was.flatMap(([status, reply]) => {
    const at = `${where} ${status}`;
    const other = is.find(([name]) => name === status)?.[1];
    if (other === undefined) return [{ where: at, what: 'was removed' }];
    const [oldReply, newReply] = [resolved(before, reply), resolved(after, other)];
    return [...headerBreaks(at, oldReply, newReply), ...contentBreaks('reply', before, after, at, oldReply, newReply)];
  });
  return [...fresh, ...kept];
}

function successesOf(operation: Json): [string, unknown][] {
  return entriesOf(operation.responses).filter(([status]) => status.startsWith('2'));
}

function headerBreaks(where: string, old: Json, now: Json): Break[] {
  const names = entriesOf(now.headers).map(([name]) => name);
  return entriesOf(old.headers)
    .filter(([name]) => !names.includes(name))
    .map(([name]) => ({ where: `${where} header ${name}`, what: 'was removed' }));
}

function contentBreaks(
  direction: 'request' | 'reply',
  before: Json,
  after: Json,
  where: string,
  old: Json,
  now: Json,
): Break[] {
  const fresh = entriesOf(now.content).filter(([type]) => !Object.hasOwn(objectOf(old.content), type));
  const unlookedFor = direction === 'reply' && entriesOf(old.content).length === 0 ? fresh : [];
  const kept = entriesOf(old.content).flatMap(([type, content]) => {
    const other = memberOf(now.content, type);
    if (!isObject(other)) return [{ where: `${where} ${type}`, what: 'was removed' }];
    const schemas = [memberOf(content, 'schema'), other.schema] as const;
    return schemaBreaks(
      direction,
      { document: before, schema: schemas[0] },
      { document: after, schema: schemas[1] },
      where,
    );
  });
  return [
    ...kept,
    ...unlookedFor.map(([type]) => ({ where: `${where} ${type}`, what: 'may come, where nothing did' })),
  ];
}

/**
 * Events go to the client, so they compare as replies do. A new event is a gain (spec 2.8: "including future ones").
 */
function webhookBreaks(before: Json, after: Json): Break[] {
  return entriesOf(before.webhooks).flatMap(([event, item]) => {
    const where = `event ${event}`;
    const [old, now] = [objectOf(memberOf(item, 'post')), memberOf(memberOf(after.webhooks, event), 'post')];
    if (!isObject(now)) return [{ where, what: 'was removed' }];
    const is = parametersOf(after, now);
    const headers = [...parametersOf(before, old)].flatMap(([name, parameter]) => {
      const other = is.get(name);
      if (other === undefined) return [{ where: `${where} ${name}`, what: 'was removed' }];
      const isWeaker = parameter.required === true && other.required !== true;
      return isWeaker ? [{ where: `${where} ${name}`, what: 'may be missing now' }] : [];
    });
    const bodies = [objectOf(old.requestBody), objectOf(now.requestBody)] as const;
    return [...headers, ...contentBreaks('reply', before, after, where, ...bodies)];
  });
}

/** The body of an error of each code; which operation has which codes may grow. */
function errorBreaks(before: Json, after: Json): Break[] {
  const [was, is] = [schemasOf(before), schemasOf(after)];
  return Object.keys(was)
    .filter((name) => name.endsWith('Error'))
    .flatMap((name) => {
      if (!Object.hasOwn(is, name)) return [{ where: name, what: 'was removed' }];
      const schema = { $ref: `#/components/schemas/${name}` };
      return schemaBreaks('reply', { document: before, schema }, { document: after, schema }, name);
    });
}

function schemasOf(document: Json): Json {
  return objectOf(memberOf(document.components, 'schemas'));
}

function securityBreaks(before: Json, after: Json): Break[] {
  const is = memberOf(after.components, 'securitySchemes');
  return entriesOf(memberOf(before.components, 'securitySchemes')).flatMap(([name, scheme]) => {
    const where = `security ${name}`;
    const other = memberOf(is, name);
    if (!isObject(other)) return [{ where, what: 'was removed' }];
    const flows = entriesOf(memberOf(scheme, 'flows')).flatMap(([flow, old]) => {
      const now = memberOf(other.flows, flow);
      if (!isObject(now)) return [{ where: `${where} ${flow}`, what: 'was removed' }];
      const scopes = entriesOf(memberOf(old, 'scopes'))
        .filter(([scope]) => !Object.hasOwn(objectOf(now.scopes), scope))
        .map(([scope]) => ({ where: `${where} ${flow} scope ${scope}`, what: 'was removed' }));
      const urls = ['authorizationUrl', 'tokenUrl', 'refreshUrl'].flatMap((url) =>
        named(`${where} ${flow}`, memberOf(old, url), now[url], url),
      );
      return [...scopes, ...urls];
    });
    return [...named(where, memberOf(scheme, 'type'), other.type, 'type'), ...flows];
  });
}

function serverBreaks(before: Json, after: Json): Break[] {
  const urls = (document: Json): unknown[] =>
    Array.isArray(document.servers) ? document.servers.map((server: unknown) => memberOf(server, 'url')) : [];
  const now = urls(after);
  return urls(before)
    .filter((url) => !now.includes(url))
    .map((url) => ({ where: `server ${String(url)}`, what: 'was removed' }));
}

/** A break when something that has one name or value has another now. */
function named(where: string, before: unknown, after: unknown, what: string): Break[] {
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  return [{ where, what: `${what} was ${JSON.stringify(before)} and is ${JSON.stringify(after)}` }];
}

function resolved(document: Json, value: unknown): Json {
  const object = objectOf(value);
  return typeof object.$ref === 'string' ? resolved(document, lookUp(document, object.$ref)) : object;
}

function entriesOf(value: unknown): [string, unknown][] {
  return Object.entries(objectOf(value));
}

function memberOf(value: unknown, name: string): unknown {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

function objectOf(value: unknown): Json {
  return isObject(value) ? value : {};
}
