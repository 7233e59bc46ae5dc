import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import chromium from '@sparticuz/chromium';
import { type Browser, chromium as driver } from 'playwright-core';
import { scratchParent } from './scratch.ts';

/** A browser, and its end. */
export type OpenBrowser = { readonly browser: Browser; readonly close: () => Promise<void> };

/**
 * Starts a Chromium without a window: that of `CHROMIUM` where it is set, else the one that the packages bring.
 * That one is unpacked into a directory of its own, since another user of the machine could not run it.
 */
export async function openBrowser(): Promise<OpenBrowser> {
  const own = process.env.CHROMIUM;
  if (own !== undefined) {
    // Chromium refuses to run in its sandbox as root.
    const browser = await driver.launch({ executablePath: own, chromiumSandbox: process.getuid?.() !== 0 });
    return { browser, close: () => browser.close() };
  }
  const directory = mkdtempSync(join(scratchParent(), 'platen-browser-'));
  const executablePath = await unpacked(directory);
  // Not the arguments that its package proposes: they turn off what keeps sites apart. Its sandbox needs a helper that
  // only a package of the system can install; it loads nothing but the service.
  const browser = await driver.launch({ executablePath, args: ['--disable-gpu'], chromiumSandbox: false });
  return {
    browser,
    close: async () => {
      await browser.close();
      rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** The package unpacks into the temporary directory that the environment names at that moment. */
async function unpacked(directory: string): Promise<string> {
  const before = process.env.TMPDIR;
  process.env.TMPDIR = directory;
  try {
    return await chromium.executablePath();
  } finally {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
  }
}
