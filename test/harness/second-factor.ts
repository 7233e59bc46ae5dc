import assert from 'node:assert/strict';
import type { NewSecondFactor, RecoveryCodes } from '../../src/accounts/second-factor/factor-schema.ts';
import { totpCode, totpStep } from '../../src/accounts/second-factor/totp.ts';
import type { Person } from './oauth.ts';
import { openRole, type PortalClient } from './portal.ts';
import type { TestService } from './service.ts';

/** A person with a second factor. */
export type Protected = {
  readonly client: PortalClient;
  readonly person: Person;
  readonly secret: string;
  readonly codes: readonly string[];
  /** The next code of the app, which counts already and was not used. */
  readonly code: () => string;
};

/** Signs in a new owner and gives them a second factor. */
export async function openProtected(service: TestService): Promise<Protected> {
  const client = await openRole(service, 'owner');
  const { secret } = await beginFactor(client);
  const at = (later: number): string => totpCode(secret, totpStep(service.ctx.clock.now()) + later);
  const confirmed = await client.request<RecoveryCodes>('POST', '/second-factor/confirm', { body: { code: at(0) } });
  assert.equal(confirmed.status, 200, confirmed.text);
  return { client, person: client.person, secret, codes: confirmed.body.recovery_codes, code: () => at(1) };
}

/** Begins a second factor of a person who is signed in. */
export async function beginFactor(client: PortalClient): Promise<NewSecondFactor> {
  const begun = await client.request<NewSecondFactor>('POST', '/second-factor');
  assert.equal(begun.status, 201, begun.text);
  return begun.body;
}
