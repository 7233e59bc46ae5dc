import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Caller, isSignedIn, requireScope, type SignedIn } from '../lib/caller.ts';
import type { Clock } from '../lib/clock.ts';
import { ApiError, type Problem } from '../lib/errors.ts';
import type { Once, Operator } from '../lib/operator.ts';
import {
  type AnyRoute,
  type Browser,
  isOpsRoute,
  isPersonRoute,
  isPortalRoute,
  type OpenRoute,
  type OpsRoute,
  type PersonRoute,
  type Route,
  type RouteReply,
  type RouteRequest,
} from '../lib/route.ts';
import { type Asker, OPERATORS, type Owner } from '../lib/turns/owner.ts';
import { type TSchema, Type } from '../lib/typebox.ts';
import { IGNORED_PARAMETERS, ignoredParameters } from '../lib/validation/ignored-parameters.ts';
import { closed, listUnknownFields, type UnknownField } from '../lib/validation/validate.ts';
import type { Admission } from './admission/admission.ts';
import { createPlace } from './admission/place.ts';
import { type Authenticate, authenticateHeader, requireRole } from './authenticate.ts';
import { CSV, csvList, isCsvLink, queryOfLink, sendCsv } from './csv.ts';
import { deprecationHeaders } from './deprecation.ts';
import {
  authenticateCaller,
  authenticatePerson,
  refuseOtherOrigin,
  requirePersonRole,
  type Sessions,
} from './portal/take-session.ts';
import { prefersMediaType } from './prefers-media-type.ts';
import { ipKey, type RateLimiter } from './rate-limit.ts';
import { requestHash } from './request-hash.ts';
import { sendResult } from './request-state.ts';
import {
  applyTokenLimit,
  compileRequest,
  type RequestShape,
  rejectImpossiblePath,
  signalOf,
  type TakeRequest,
} from './take-request.ts';

export type PipelineOptions<Ctx> = {
  readonly ctx: Ctx;
  readonly authenticate: Authenticate<Caller>;
  readonly authenticateOperator: Authenticate<Operator>;
  /** Sessions of the portal; undefined where none are taken. */
  readonly sessions: Sessions | undefined;
  readonly tokenLimiter: RateLimiter | undefined;
  readonly clock: Clock;
  readonly admission: Admission;
  /** The context for one request: `isRead` when it changes nothing. */
  readonly contextFor: (ctx: Ctx, asker: Asker, isRead: boolean) => Ctx;
};

/**
 * Makes the handler of an operation of any of the three APIs.
 * It runs after the address limit and the routing, in the order of checks that the decisions give;
 * each step throws its refusal. The reply is written with `JSON.stringify`: a serialiser generated
 * from the reply schema silently leaves out every field that the schema does not name.
 */
export function serveRoute<Ctx>(
  route: AnyRoute<Ctx>,
  options: PipelineOptions<Ctx>,
): (request: FastifyRequest, reply: FastifyReply) => Promise<void> {
  const admit = admitOf(route, options);
  const { body, replies } = route;
  const urgent = route.isUrgent === true;
  const isRead = route.method === 'GET';
  const take = takeOf(route);
  const list = route.csv === undefined ? undefined : csvList({ ...route, csv: route.csv });
  const deprecation = deprecationHeaders(route.deprecated);
  // Those of operators and of the portal are refused.
  const ignoredOf = isClosed(route) ? undefined : ignoredParameters(queryOf(route));
  return async (request, reply) => {
    reply.headers(deprecation);
    rejectImpossiblePath(request.params);
    const { owner, handle, readmit } = await admit(request, reply);
    const place = createPlace(options.admission, { owner, route, isRead, urgent }, reply.raw);
    place.refuseEarly();
    const ignored = ignoredOf?.(request.query);
    if (ignored !== undefined) reply.header(IGNORED_PARAMETERS, ignored);
    try {
      const value = await take(request, place.take);
      const input = routeRequest(request, reply, value, body);
      const ctx = options.contextFor(options.ctx, place.asker, isRead);
      if (route.files !== undefined || list !== undefined) reply.header('vary', 'accept');
      if (list !== undefined && (isCsvLink(request.query) || input.prefers(CSV))) {
        await sendCsv(reply, list, request.query as Record<string, unknown>, async (page) => {
          // A long list outlasts a token that is revoked meanwhile: its next page is not read.
          await readmit();
          return place.inPlace(() =>
            handle(ctx, Object.assign(routeRequest(request, reply, undefined, undefined), { query: page })),
          );
        });
        return;
      }
      const result = await handle(ctx, input);
      // Its reader says how long a stream takes. What is drawn or read for it waits for turns of its own.
      if (result.body instanceof Readable) place.end();
      const mediaType = replies[result.status];
      const length = await sendResult(reply, result, {
        asker: place.asker,
        mediaType: typeof mediaType === 'string' ? mediaType : undefined,
      });
      options.admission.note(place.asker.owner, route, length);
    } finally {
      place.end();
    }
  };
}

type Input = RouteRequest<unknown, unknown, unknown>;

/** Who makes a request, and its operation, bound to its caller. */
type Admitted<Ctx> = {
  readonly owner: Owner;
  readonly handle: (ctx: Ctx, input: Input) => Promise<RouteReply>;
  /** Throws when the same request would not be admitted any more. */
  readonly readmit: () => Promise<unknown>;
};

/** Authenticates and authorises the request. */
type Admit<Ctx> = (request: FastifyRequest, reply: FastifyReply) => Promise<Admitted<Ctx>>;

function admitOf<Ctx>(route: AnyRoute<Ctx>, options: PipelineOptions<Ctx>): Admit<Ctx> {
  if (isOpsRoute(route)) return admitOperator(route, options);
  if (isPersonRoute(route)) return admitPerson(route, options);
  return isPortalRoute(route) ? admitAnyone(route, options) : admitCaller(route, options);
}

function admitCaller<Ctx>(route: Route<Ctx>, options: PipelineOptions<Ctx>): Admit<Ctx> {
  return async (request, reply) => {
    const authenticate = (): Promise<Caller> => authenticateCaller(request, options.authenticate, options.sessions);
    const caller = await authenticate();
    request.state.accountId = caller.accountId;
    request.state.userId = caller.person?.userId;
    if (caller.person === undefined) request.state.limitedAs = caller.limitedAs;
    await applyTokenLimit(caller.limitedAs, request, reply, options);
    const { scope, rolesOfPeople } = route.access;
    requireScope(caller, scope);
    if (rolesOfPeople !== undefined && isSignedIn(caller)) requirePersonRole(caller, rolesOfPeople);
    return {
      owner: caller.accountId,
      handle: (ctx, input) => route.handle(ctx, caller, input),
      readmit: authenticate,
    };
  };
}

/** As `admitCaller`, with a role in place of a scope, and a key for writes (domain, "Operators"). */
function admitOperator<Ctx>(route: OpsRoute<Ctx>, options: PipelineOptions<Ctx>): Admit<Ctx> {
  return async (request, reply) => {
    const authenticate = (): Promise<Operator> =>
      authenticateHeader(request.headers.authorization, options.authenticateOperator);
    const operator = await authenticate();
    request.state.operatorId = operator.id;
    await applyTokenLimit(operator.tokenId, request, reply, options);
    requireRole(operator, route.access.roles);
    return {
      owner: OPERATORS,
      handle: (ctx, input) => {
        const once = onceOf(route, request, input.body);
        return route.handle(ctx, operator, Object.assign(input, { once }));
      },
      readmit: authenticate,
    };
  };
}

/** As `admitCaller`, by the session of a cookie alone. */
function admitPerson<Ctx>(route: PersonRoute<Ctx>, options: PipelineOptions<Ctx>): Admit<Ctx> {
  const sessions = sessionsOf(options);
  return async (request, reply) => {
    const authenticate = (): Promise<SignedIn> => authenticatePerson(request, sessions);
    const caller = await authenticate();
    request.state.accountId = caller.accountId;
    request.state.userId = caller.person.userId;
    await applyTokenLimit(caller.limitedAs, request, reply, options);
    requirePersonRole(caller, route.access.people);
    return {
      owner: caller.accountId,
      handle: (ctx, input) => {
        const key = (route.takesKey === true ? keyOf(request) : undefined) ?? '';
        return route.handle(ctx, caller, Object.assign(input, { browser: browserOf(request), key }));
      },
      readmit: authenticate,
    };
  };
}

/** Admits anyone, to a change only from a page of ours: another site must not sign a person in. */
function admitAnyone<Ctx>(route: OpenRoute<Ctx>, options: PipelineOptions<Ctx>): Admit<Ctx> {
  const sessions = sessionsOf(options);
  return async (request) => {
    if (route.method !== 'GET') refuseOtherOrigin(request, sessions);
    const browser = browserOf(request);
    return {
      owner: `address:${browser.ipKey}`,
      handle: (ctx, input) => route.handle(ctx, Object.assign(input, { browser })),
      readmit: async () => undefined,
    };
  };
}

function sessionsOf<Ctx>({ sessions }: PipelineOptions<Ctx>): Sessions {
  if (sessions === undefined) throw new Error('routes of the portal need sessions');
  return sessions;
}

function browserOf(request: FastifyRequest): Browser {
  return { ipKey: ipKey(request.ip) ?? 'unknown', userAgent: request.headers['user-agent'] ?? '' };
}

/** An operation's step, compiled once however many servers of a process mount it, as those of tests do. */
function takeOf<Ctx>(route: AnyRoute<Ctx>): TakeRequest {
  let take = taken.get(route);
  if (take === undefined) {
    take = compileRequest(requestShapeOf(route));
    taken.set(route, take);
  }
  return take;
}

const taken = new WeakMap<object, TakeRequest>();

/**
 * What an operation takes.
 * Those of operators and of the portal take nothing that they do not know (decisions, "Unknown query parameters, body
 * fields").
 */
function requestShapeOf<Ctx>(route: AnyRoute<Ctx>): RequestShape {
  const { params, body, bodyIsOptional, refusalExtras } = route;
  const query = queryOf(route);
  const more = { moreProblems: moreProblemsOf(route), refusalExtras };
  const shape = { params, query, body, bodyIsOptional, takesNoMembers: false, refuse: undefined, ...more };
  if (!isClosed(route)) return shape;
  const isWrite = route.method !== 'GET';
  return {
    ...shape,
    query: closed(query ?? NOTHING),
    body: isWrite ? closed(body ?? NOTHING) : undefined,
    takesNoMembers: isWrite && body === undefined,
    refuse: isOpsRoute(route) && route.movesMoney === true ? refuseWithoutKey : undefined,
  };
}

/** The parameters of an operation. Operators have no session, and so no links. */
function queryOf<Ctx>(route: AnyRoute<Ctx>): TSchema | undefined {
  return isOpsRoute(route) ? route.query : queryOfLink(route);
}

/** Whether what an operation does not know is refused. */
function isClosed<Ctx>(route: AnyRoute<Ctx>): boolean {
  return isOpsRoute(route) || isPortalRoute(route);
}

const NOTHING = Type.Object({});

/** Checks that no schema expresses: the route's own and that of the key. Most operations have neither. */
function moreProblemsOf<Ctx>(route: AnyRoute<Ctx>): RequestShape['moreProblems'] {
  const { bodyProblems } = route;
  if (isOpsRoute(route) && takesKey(route)) {
    return (request, body) => [...(bodyProblems?.(body) ?? []), ...keyProblems(keyOf(request))];
  }
  if (isPortalRoute(route) && isPersonRoute(route) && route.takesKey === true) {
    return (request, body) => [...(bodyProblems?.(body) ?? []), ...keyProblems(keyOf(request) ?? '')];
  }
  return bodyProblems === undefined ? undefined : (_request, body) => bodyProblems(body);
}

/** The last two members are computed on first use: most operations need neither. */
function routeRequest(
  request: FastifyRequest,
  reply: FastifyReply,
  body: unknown,
  bodySchema: TSchema | undefined,
): Input {
  let unknownFields: readonly UnknownField[] | undefined;
  let signal: AbortSignal | undefined;
  return {
    params: request.params,
    query: request.query,
    body,
    get unknownFields() {
      unknownFields ??= bodySchema === undefined ? [] : listUnknownFields(bodySchema, body);
      return unknownFields;
    },
    prefers: (mediaType) => prefersMediaType(request.headers.accept, mediaType),
    get signal() {
      signal ??= signalOf(reply.raw);
      return signal;
    },
  };
}

function onceOf<Ctx>(route: OpsRoute<Ctx>, request: FastifyRequest, body: unknown): Once {
  return {
    key: takesKey(route) ? keyOf(request) : undefined,
    requestHash: requestHash(request.method, pathOf(request), body),
  };
}

/** Writes take an `Idempotency-Key`. */
function takesKey<Ctx>(route: OpsRoute<Ctx>): boolean {
  return route.method !== 'GET';
}

/** Without a key, a repeat after a lost answer would move the money again. */
function refuseWithoutKey(request: FastifyRequest): void {
  if (request.headers['idempotency-key'] !== undefined) return;
  throw new ApiError(
    'idempotency_key_required',
    'This operation moves money and needs the header Idempotency-Key: a text of your choice, new for each request, and the same when you repeat it.',
  );
}

/** Two headers of the name arrive as one with a comma and a blank between, which is not a valid key. */
function keyOf(request: FastifyRequest): string | undefined {
  const value = request.headers['idempotency-key'];
  return typeof value === 'string' ? value : undefined;
}

function pathOf(request: FastifyRequest): string {
  return request.url.split('?', 1)[0] ?? '';
}

const KEY = /^[\x21-\x7e]{1,255}$/;

function keyProblems(key: string | undefined): Problem[] {
  if (key === undefined || KEY.test(key)) return [];
  const message = 'must be one key of 1 to 255 visible ASCII characters.';
  return [{ path: 'Idempotency-Key', code: 'pattern', message }];
}
