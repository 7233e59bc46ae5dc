import type { Locator } from 'playwright-core';

/** A dialog takes the focus when it opens, and gives it back when it closes: some milliseconds later. */
const SETTLES_MS = 30;
const TRIES_MAX = 50;

/**
 * Focuses what stands there, once the focus stays.
 * A key that is pressed before would go where a dialog that opens or closes has put the focus meanwhile.
 */
export async function focusOn(target: Locator): Promise<void> {
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    await target.focus();
    await target.page().evaluate(`new Promise((done) => setTimeout(done, ${SETTLES_MS}))`);
    if ((await target.and(target.page().locator(':focus')).count()) === 1) return;
  }
  throw new Error(`the focus does not stay on ${String(target)}`);
}

/** Presses Enter on what stands there. */
export async function press(target: Locator): Promise<void> {
  await focusOn(target);
  await target.page().keyboard.press('Enter');
}
