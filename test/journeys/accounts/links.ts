import assert from 'node:assert/strict';
import type { Link, NewInvitation } from '../../../src/accounts/portal/link-schema.ts';
import type { Session } from '../../../src/accounts/portal/schema.ts';
import { call, type PortalClient } from '../../harness/portal.ts';
import type { Answer, ErrorReply, TestService } from '../../harness/service.ts';
import { service } from './access.ts';

let invited = 0;

/** Invites a new address; an orders person unless told otherwise. */
export async function invite(owner: PortalClient, changes: object = {}): Promise<NewInvitation & { token: string }> {
  invited += 1;
  const body = { email: `new.${invited}@example.com`, role: 'orders', ...changes };
  const answer = await owner.request<NewInvitation>('POST', '/people/invitations', { body });
  assert.equal(answer.status, 201, answer.text);
  return { ...answer.body, token: tokenOf(answer.body.url) };
}

/** The token in a link. */
export function tokenOf(url: string | undefined): string {
  const [address, token = ''] = (url ?? '').split('#');
  assert.equal(address, `${service.ctx.config.baseUrl}/portal/link`, 'the token stands where no server sees it');
  return token;
}

/** What a link is for, as anyone reads it. */
export async function readLink(token: string): Promise<Answer<Link & Partial<ErrorReply>>> {
  return call(service, 'POST', '/portal/api/v1/links/read', { body: { token }, headers: { origin: service.url } });
}

/** Uses a link, at a node. */
export async function useLink(
  token: string,
  body: object,
  node: TestService = service,
): Promise<Answer<Session & Partial<ErrorReply>>> {
  const given = { body: { token, ...body }, headers: { origin: node.url } };
  return call(node, 'POST', '/portal/api/v1/links/accept', given);
}
