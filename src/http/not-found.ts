import type { FastifyInstance, FastifyRequest, RouteHandlerMethod } from 'fastify';
import { ApiError } from '../lib/errors.ts';
import { type AllowedMethods, createAllowedMethods } from './allowed-methods.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Takes every path under its own that no other route has, so it says nothing of their methods. */
    takesRest?: boolean;
  }
}

/** An operation by its method and its path with the prefix, parameters as `:id`. */
export type MountedPath = { readonly method: string; readonly url: string };

/**
 * Answers a request that no route takes: 405 with `Allow` for a path that has other methods, else
 * 404. Call it before the routes are mounted; the function that it returns is called with the
 * operations of the APIs.
 */
export function handleNotFound(app: FastifyInstance): (mounted: readonly MountedPath[]) => void {
  const allowed = createAllowedMethods();
  // Handlers that only report the methods of a path; they are not methods of it.
  const refusals = new WeakSet<RouteHandlerMethod>();
  app.addHook('onRoute', (route) => {
    if (!refusals.has(route.handler) && route.config?.takesRest !== true) allowed.add(route.url, route.method);
  });
  app.setNotFoundHandler((request) => {
    throw missing(request, allowed);
  });
  return (mounted) => {
    for (const { method, url } of shadowedPaths(mounted)) {
      const handler = (request: FastifyRequest): never => {
        throw missing(request, allowed);
      };
      refusals.add(handler);
      app.route({ method, url, handler });
    }
  };
}

/**
 * Literal paths that another path's parameter would match, with the methods they lack.
 * `GET /orders/estimate` must not fetch an order called `estimate`.
 */
function shadowedPaths(mounted: readonly MountedPath[]): MountedPath[] {
  const has = new Set(mounted.map(({ method, url }) => `${method} ${url}`));
  const patterns = mounted
    .filter(({ url }) => url.includes(':'))
    .map(({ method, url }) => ({ method, test: new RegExp(`^${url.replaceAll(/:[^/]+/g, '[^/]+')}$`) }));
  const paths = new Set(mounted.filter(({ url }) => !url.includes(':')).map(({ url }) => url));
  return [...paths].flatMap((url) =>
    [...new Set(patterns.filter(({ test }) => test.test(url)).map(({ method }) => method))]
      .filter((method) => !has.has(`${method} ${url}`))
      .map((method) => ({ method, url })),
  );
}

function missing(request: FastifyRequest, allowed: AllowedMethods): ApiError {
  const path = (request.raw.url ?? '/').replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?]*/i, '').split('?', 1)[0] ?? '/';
  const methods = allowed.of(path);
  if (methods.length === 0 || methods.includes(request.method)) {
    return new ApiError(
      'not_found',
      'There is nothing at this path. Paths begin with /api/v1, those of the operations API with /ops/v1, and none ends with a slash.',
    );
  }
  const names = methods.join(', ');
  return new ApiError('method_not_allowed', `This path takes ${names}.`, { headers: { allow: names } });
}
