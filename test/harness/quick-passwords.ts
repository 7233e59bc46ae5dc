import { createRequire } from 'node:module';

type Library = Pick<typeof import('@node-rs/argon2'), 'hash'>;

/**
 * Makes passwords cheap in this process, before the service loads its library for them.
 * Those of the tests protect nothing: each file makes several people and signs them in, and each time takes 30 ms of a
 * processor at the cost of the service, which `src/accounts/sign-in.test.ts` holds it to.
 */
export function makePasswordsQuick(): void {
  const library = createRequire(import.meta.url)('@node-rs/argon2') as Library;
  const { hash } = library;
  library.hash = (password, cost) => hash(password, { ...cost, memoryCost: 64, timeCost: 1 });
}
