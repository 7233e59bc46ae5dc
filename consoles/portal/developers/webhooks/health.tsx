import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Reply } from '../../../shared/api/client.ts';
import { Moment } from '../../../shared/values/moment.tsx';

export type Webhook = Reply<'listWebhooks'>['data'][number];

/** How a subscription does, in a word, and why. */
export function Health({ webhook }: { webhook: Webhook }) {
  const { active, disabled_reason: reason, failing_since: since } = webhook;
  if (!active && reason === null) {
    return (
      <Said tone="still" word="Paused">
        Nothing is sent until it is resumed. What happens meanwhile is never sent by itself; replay it afterwards.
      </Said>
    );
  }
  if (!active) {
    return (
      <Said tone="bad" word="Disabled">
        {reason}
      </Said>
    );
  }
  if (since === null) {
    return (
      <Said tone="good" word="Active">
        {null}
      </Said>
    );
  }
  return (
    <Said tone="wait" word="Failing">
      Every attempt since <Moment at={since} /> has failed.
    </Said>
  );
}

function Said({ tone, word, children }: { tone: string; word: string; children: ReactNode }) {
  return (
    <Text size="sm" component="div">
      <span className="platen-status" data-tone={tone}>
        {word}
      </span>{' '}
      {children}
    </Text>
  );
}
