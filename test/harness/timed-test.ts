import { test } from 'node:test';

/** How long a test of something that can hang may take. */
export const TEST_TIMEOUT_MS = 30_000;

/** A test with a time-out of its own: when something in it hangs, it fails soon and by its own name. */
export function timedTest(title: string, work: () => Promise<void> | void): void {
  void test(title, { timeout: TEST_TIMEOUT_MS }, work);
}
