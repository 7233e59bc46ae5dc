import { Agent, getGlobalDispatcher, setGlobalDispatcher } from 'undici';

/**
 * Closes the connections that `fetch` keeps for its next request, once those under way are answered. A service that
 * stops would otherwise wait a second for what might still come on them.
 */
export function closeIdleConnections(): void {
  const kept = getGlobalDispatcher();
  setGlobalDispatcher(new Agent());
  void kept.close();
}
