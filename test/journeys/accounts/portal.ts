import { eventually } from '../../harness/context.ts';
import type { PortalClient } from '../../harness/portal.ts';
import { otherNode, service } from './access.ts';

// The journeys of the portal run on two nodes of one service, as those of withdrawn access do.

/** What the portal and the public API answer to a session: two statuses. */
async function statusesAt(client: PortalClient): Promise<number[]> {
  const answers = [await client.request('GET', '/session'), await client.api('GET', '/orders?limit=1')];
  return answers.map(({ status }) => status);
}

/** Whether both APIs of a node take a session. */
export async function isSignedIn(client: PortalClient): Promise<boolean> {
  return (await statusesAt(client)).every((status) => status === 200);
}

/** Waits until neither API of either node takes a session, for two seconds at most. */
export async function untilSignedOut(client: PortalClient): Promise<void> {
  for (const node of [service, otherNode]) {
    const isOver = async (): Promise<boolean> => (await statusesAt(client.at(node))).every((status) => status === 401);
    await eventually('the session is over', isOver, 2_000);
  }
}

/** Waits until both APIs of the first node take a session again. */
export async function untilSignedIn(client: PortalClient): Promise<void> {
  await eventually('the session goes on', () => isSignedIn(client), 2_000);
}
