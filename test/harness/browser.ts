import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import chromium from '@sparticuz/chromium';
import { type Browser, chromium as driver } from 'playwright-core';
import { SERVER_VARIABLE } from './database.ts';
import { scratchParent } from './scratch.ts';

/** A browser, and its end. */
export type OpenBrowser = { readonly browser: Browser; readonly close: () => Promise<void> };

/**
 * Starts a Chromium without a window: that of `CHROMIUM` where it is set, else the one that the packages bring.
 * That one is unpacked into a scratch directory, since another user of the machine could not run it where it was.
 */
export async function openBrowser(): Promise<OpenBrowser> {
  const own = process.env.CHROMIUM;
  if (own !== undefined) {
    // Chromium refuses to run in its sandbox as root.
    const browser = await driver.launch({ executablePath: own, chromiumSandbox: process.getuid?.() !== 0 });
    return { browser, close: () => browser.close() };
  }
  const { executablePath, remove } = await programs();
  // Not the arguments that its package proposes: they turn off what keeps sites apart. Its sandbox needs a helper that
  // only a package of the system can install; it loads nothing but the service.
  const browser = await driver.launch({ executablePath, args: ['--disable-gpu'], chromiumSandbox: false });
  return {
    browser,
    close: async () => {
      await browser.close();
      remove();
    },
  };
}

/** In a run of many files it is unpacked once, which takes as long as a short test; its scratch goes with the run. */
async function programs(): Promise<{ readonly executablePath: string; readonly remove: () => void }> {
  const directory = mkdtempSync(join(scratchParent(), 'platen-browser-'));
  const remove = (): void => rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
  if (process.env[SERVER_VARIABLE] === undefined) return { executablePath: await unpacked(directory), remove };
  const shared = join(scratchParent(), 'platen-browser');
  if (!existsSync(shared)) {
    await unpacked(directory);
    // Several files may come to it at once: the first that is whole is taken.
    await rename(directory, shared).catch((error: unknown) => {
      if (!existsSync(shared)) throw error;
    });
  }
  remove();
  return { executablePath: await unpacked(shared), remove: () => {} };
}

/** The package unpacks into the temporary directory that the environment names at that moment, unless it has before. */
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
