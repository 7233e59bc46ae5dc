import { Button } from '@mantine/core';
import { call } from '../../../shared/api/client.ts';
import { useCommands } from '../../../shared/commands/registry.ts';
import { makeRuns, type RunResult, refusalWords } from '../../../shared/runs/run.ts';
import { RunProgress } from '../../../shared/runs/run-progress.tsx';
import type { Delivery } from './delivery-status.tsx';

type Sent = { readonly webhook: string; readonly delivery: Delivery };

const sendings = makeRuns(sendOne);
/** Of which webhook: a run goes on while the person looks at another one. */
let sending: string | undefined;

async function sendOne({ webhook: id, delivery: { id: delivery, event } }: Sent): Promise<RunResult> {
  const of = { id: delivery, name: `${event} ${delivery}` };
  try {
    const sent = await call('redeliverWebhook', { path: { id, delivery } });
    const words = sent.id === delivery ? 'its next attempt starts now' : `sent again as ${sent.id}`;
    return { ...of, words, isGood: true };
  } catch (error) {
    return { ...of, words: refusalWords(error), isGood: false };
  }
}

/** How far a sending of several deliveries of this webhook is, and what became of each. */
export function SendingAgain({ webhook }: { webhook: string }) {
  const run = sendings.use();
  if (run === undefined || sending !== webhook) return null;
  const many = manyDeliveries(run.total);
  return (
    <RunProgress
      run={run}
      doing={`Sending ${many} again`}
      done={(good) => `${good} of ${many} sent again`}
      onStop={sendings.stop}
      onClose={sendings.close}
    />
  );
}

/** Sends the selected deliveries again, one after another: a refusal of one stops none of the others. */
export function SendAgain({
  webhook,
  deliveries,
  onOver,
}: {
  webhook: string;
  deliveries: readonly Delivery[];
  onOver: () => void;
}) {
  const isUnderWay = sendings.use() !== undefined;
  const send = (): void => {
    sending = webhook;
    void sendings.start(deliveries.map((delivery) => ({ webhook, delivery }))).finally(onOver);
  };
  useCommands(
    isUnderWay ? [] : [{ id: 'send-again', label: 'Send the selected deliveries again', group: 'Selected', run: send }],
  );
  return (
    <Button size="compact-sm" disabled={isUnderWay} onClick={send}>
      Send again
    </Button>
  );
}

function manyDeliveries(count: number): string {
  return count === 1 ? 'one delivery' : `${count} deliveries`;
}
