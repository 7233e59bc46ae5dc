import { notifications } from '@mantine/notifications';
import { Failure } from './failure.tsx';

/** The button of a notice has a name for those who do not see it. */
const closeButtonProps = { 'aria-label': 'Close this notice' };

/** Says in a corner of the page that something was done. */
export function notifyOf(message: string): void {
  notifications.show({ message, withBorder: true, closeButtonProps });
}

/** Says in a corner of the page why something failed that has no place of its own on it. */
export function notifyOfFailure(error: unknown): void {
  const failure = error instanceof Error ? error : new Error(String(error));
  notifications.show({ message: <Failure error={failure} />, autoClose: false, withBorder: true, closeButtonProps });
}
