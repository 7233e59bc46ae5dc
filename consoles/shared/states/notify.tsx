import { lazy, type ReactNode, Suspense, useEffect, useSyncExternalStore } from 'react';
import { Failure } from './failure.tsx';

// Most pages are left without a notice, so what draws them is not in the first script.
const load = () => import('@mantine/notifications');
const Drawn = lazy(async () => {
  const { Notifications } = await load();
  return { default: () => <Notifications position="bottom-right" limit={3} /> };
});

/** After the first load of a page. */
const AHEAD_MS = 10_000;

let isWanted = false;
const waiting = new Set<() => void>();
const wait = (look: () => void): (() => void) => {
  waiting.add(look);
  return () => void waiting.delete(look);
};

/** Where notices are drawn, once there is one. */
export function Notices() {
  const isThere = useSyncExternalStore(wait, () => isWanted);
  // A notice may be that the connection is lost: what draws it is here by then.
  useEffect(() => {
    const timer = setTimeout(() => void load().catch(() => undefined), AHEAD_MS);
    return () => clearTimeout(timer);
  }, []);
  if (!isThere) return null;
  return (
    <Suspense fallback={null}>
      <Drawn />
    </Suspense>
  );
}

/** The button of a notice has a name for those who do not see it. */
const closeButtonProps = { 'aria-label': 'Close this notice' };

async function show(message: ReactNode, isKept: boolean): Promise<void> {
  const { notifications } = await load();
  const terms = isKept ? { autoClose: false as const } : {};
  notifications.show({ message, withBorder: true, closeButtonProps, ...terms });
  isWanted = true;
  for (const look of waiting) look();
}

/** Says in a corner of the page that something was done. */
export function notifyOf(message: string): void {
  void show(message, false);
}

/** Says in a corner of the page what a person should read before they go on. */
export function notifyOfWarning(message: string): void {
  void show(message, true);
}

/** Says in a corner of the page why something failed that has no place of its own on it. */
export function notifyOfFailure(error: unknown): void {
  const failure = error instanceof Error ? error : new Error(String(error));
  void show(<Failure error={failure} />, true);
}
