import assert from 'node:assert/strict';
import type { RegisteredApp } from '../../../src/accounts/own-apps/app-schema.ts';
import { parseId } from '../../../src/lib/ids.ts';
import { type App, REDIRECT } from '../../harness/oauth.ts';
import type { PortalClient } from '../../harness/portal.ts';

/** An app as a form registers it: confidential, with one redirect address. */
export const APP = {
  name: 'Shirt Planner',
  confidential: true,
  redirect_uris: [REDIRECT],
  scopes: ['orders:read', 'products:read'],
} as const;

/** Registers an app by the portal. */
export async function registerApp(client: PortalClient, changes: object = {}): Promise<RegisteredApp> {
  const answer = await client.request<RegisteredApp>('POST', '/apps', { body: { ...APP, ...changes } });
  assert.equal(answer.status, 201, answer.text);
  return answer.body;
}

/** A registered app, as the flows of OAuth use it. */
export function asApp({ client_id: clientId, client_secret: secret }: RegisteredApp): App {
  const id = parseId('client', clientId);
  assert.ok(id !== undefined, clientId);
  return { id, clientId, secret: secret ?? undefined };
}
