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
    if (await hasFocusThatStays(target)) return;
  }
  throw new Error(`the focus does not stay on ${String(target)}`);
}

async function hasFocusThatStays(target: Locator): Promise<boolean> {
  await target.page().evaluate(`new Promise((done) => setTimeout(done, ${SETTLES_MS}))`);
  return hasFocus(target);
}

async function hasFocus(target: Locator): Promise<boolean> {
  return (await target.and(target.page().locator(':focus')).count()) === 1;
}

/** Waits until the focus has come to something by itself, and stays. */
export async function focusStays(target: Locator): Promise<void> {
  await target.and(target.page().locator(':focus')).waitFor();
  if (!(await hasFocusThatStays(target))) throw new Error(`the focus does not stay on ${String(target)}`);
}

/** Presses Enter on what stands there. */
export async function press(target: Locator): Promise<void> {
  await focusOn(target);
  await target.page().keyboard.press('Enter');
}

/** Goes down an open menu to an entry by the arrow key, and presses it once the focus stays. */
export async function pressDownTo(entry: Locator): Promise<void> {
  const { keyboard } = entry.page();
  await entry.waitFor();
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    if ((await hasFocus(entry)) && (await hasFocusThatStays(entry))) return keyboard.press('Enter');
    await keyboard.press('ArrowDown');
  }
  throw new Error(`the arrow key does not reach ${String(entry)}`);
}
