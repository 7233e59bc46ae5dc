import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openSandboxProvider } from './provider.ts';

const asked = { key: 'k', method: 'card' as const, customer: '', amountPence: 1_250, description: '' };

async function intentId(reference: string): Promise<string> {
  const made = await openSandboxProvider().createIntent({ ...asked, reference }, 1_000);
  assert.ok(made.kind === 'ok');
  assert.deepEqual([made.value.state, made.value.amount, made.value.currency], ['unconfirmed', 1_250, 'gbp']);
  return made.value.id;
}

test('the reference of the method decides, also for a provider that did not make the intent', async () => {
  const provider = openSandboxProvider();
  const stateOf = async (id: string): Promise<string> => {
    const result = await provider.confirmIntent(id, 1_000);
    return result.kind === 'ok' ? result.value.state : result.kind;
  };
  assert.equal(await stateOf(await intentId('pm_card_ok')), 'accepted');
  assert.equal(await stateOf(await intentId('pm_card_declined')), 'declined');
  const processing = await intentId('pm_card_processing');
  assert.deepEqual([await stateOf(processing), await stateOf(processing)], ['no_answer', 'declined']);
});

test('an unknown method and an unknown intent are rejected', async () => {
  const provider = openSandboxProvider();
  assert.equal((await provider.findMethod('pm_real', 1_000)).kind, 'rejected');
  assert.equal((await provider.createIntent({ ...asked, reference: 'toString' }, 1_000)).kind, 'rejected');
  assert.equal((await provider.confirmIntent('pi_real', 1_000)).kind, 'rejected');
});
