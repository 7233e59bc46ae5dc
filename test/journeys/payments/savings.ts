import assert from 'node:assert/strict';
import { newId } from '../../../src/lib/ids.ts';
import type { MethodSaving, PaymentMethod } from '../../../src/payments/saved-method/saving-schema.ts';
import type { PortalClient } from '../../harness/portal.ts';
import type { FakePage } from '../../harness/provider.ts';
import type { Answer } from '../../harness/service.ts';
import { provider } from './cards.ts';

/** Begins to save a method; the answer as it comes. */
export function beginSaving(client: PortalClient, kind: unknown, key: string = newId()) {
  const headers = { 'idempotency-key': key };
  return client.request<MethodSaving>('POST', '/payment-method/savings', { body: { kind }, headers });
}

/** Begins to save a method; with the page that it is saved on. */
export async function savingOf(
  client: PortalClient,
  kind: 'card' | 'direct_debit' = 'card',
): Promise<{ saving: MethodSaving; page: FakePage }> {
  const answer = await beginSaving(client, kind);
  assert.equal(answer.status, 201, answer.text);
  return { saving: answer.body, page: provider.pages.at(-1) ?? assert.fail() };
}

/** Asks how a saving stands. */
export const lookAt = (client: PortalClient, { id }: Pick<MethodSaving, 'id'>): Promise<Answer<MethodSaving>> =>
  client.request<MethodSaving>('POST', `/payment-method/savings/${id}/look`);

/** The saved method. */
export const methodOf = async (client: PortalClient): Promise<PaymentMethod> =>
  (await client.request<PaymentMethod>('GET', '/payment-method')).body;

/** Saves a card. */
export async function saveCard(client: PortalClient): Promise<void> {
  const { saving, page } = await savingOf(client);
  provider.save(page);
  assert.equal((await lookAt(client, saving)).body.state, 'saved');
}
