import { notifications } from '@mantine/notifications';
import { Failure } from './failure.tsx';

/** Says in a corner of the page why something failed that has no place of its own on it. */
export function notifyOfFailure(error: unknown): void {
  const failure = error instanceof Error ? error : new Error(String(error));
  notifications.show({ message: <Failure error={failure} />, autoClose: false, withBorder: true });
}
