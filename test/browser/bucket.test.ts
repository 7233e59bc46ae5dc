import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { BrowserContext, Page } from 'playwright-core';
import { createAuthority } from '../harness/authority.ts';
import { type Bucket, startBucket } from '../harness/bucket.ts';
import { eventually } from '../harness/context.ts';
import { flat } from '../harness/pictures.ts';
import { press } from './keys.ts';
import { listenForFaults, openPremises, type Premises, problemsOfAxe, signIn, WAIT_MS } from './premises.ts';

let bucket: Bucket;
let premises: Premises;
before(async () => {
  const authority = createAuthority();
  bucket = await startBucket(authority);
  premises = await openPremises(bucket.env, { authority });
  bucket.state.origins.push(premises.service.url);
});
after(async () => {
  await premises?.close();
  await bucket.close();
});

type Opened = { readonly context: BrowserContext; readonly page: Page; readonly faults: string[] };

/** A window that takes the certificate of the tests, on the page where a product is made of a tee. */
async function openGarment(): Promise<Opened> {
  const context = await premises.browser.newContext({
    baseURL: premises.service.url,
    ignoreHTTPSErrors: true,
    locale: 'en-GB',
    reducedMotion: 'reduce',
  });
  context.setDefaultTimeout(WAIT_MS);
  await signIn(premises.service, context, premises.person.email);
  const page = await context.newPage();
  const faults = listenForFaults(page);
  await page.goto('/portal/products');
  await page.getByRole('link', { name: 'Make a product' }).click();
  await page.getByRole('button', { name: /^Classic tee/ }).click();
  return { context, page, faults };
}

const address = (page: Page) => page.locator('input[type=url]').first();

/** A file dragged from the computer onto the field. */
async function dropFile(page: Page, bytes: Buffer, name = 'circle.png'): Promise<void> {
  // Text, since it is the browser that has these names.
  const held = await page.evaluateHandle(`(() => {
    const bytes = Uint8Array.from(atob(${JSON.stringify(bytes.toString('base64'))}), (c) => c.charCodeAt(0));
    const data = new DataTransfer();
    data.items.add(new File([bytes], ${JSON.stringify(name)}, { type: 'image/png' }));
    return data;
  })()`);
  await page
    .getByRole('region', { name: /^Address or file/ })
    .first()
    .dispatchEvent('drop', { dataTransfer: held });
}

describe('with a bucket for dropped files', () => {
  test('a file dragged onto the product page goes straight to the bucket, and the garment wears it', async () => {
    const { context, page, faults } = await openGarment();
    const png = await flat(900, 900, 'plum').png().toBuffer();
    await dropFile(page, png);
    await eventually('the address', async () => (await address(page).inputValue()).startsWith(bucket.url), WAIT_MS);
    assert.deepEqual([...bucket.objects.values()][0]?.bytes, png);
    await page.locator('.platen-readout').first().waitFor();
    assert.deepEqual(await problemsOfAxe(page), []);
    assert.deepEqual(faults, []);
    await context.close();
  });

  test('a try that was refused or lost is sent again by keyboard, and one that had arrived counts as left', async () => {
    const { context, page } = await openGarment();
    const before = bucket.objects.size;
    const permits: string[] = [];
    page.on('request', (request) => {
      if (new URL(request.url()).pathname.endsWith('/uploads')) permits.push(request.url());
    });
    bucket.state.failures.push(503);
    await dropFile(page, await flat(300, 300, 'teal').png().toBuffer());
    await page.getByText('The place for files did not take it. Try again').waitFor();
    assert.deepEqual(await problemsOfAxe(page), []);
    // The second try arrives, and its answer is lost.
    await page.route(`${bucket.url}/**`, async (route) => {
      await route.fetch();
      await route.abort('connectionreset');
    });
    const again = page.getByRole('button', { name: /^Try again/ });
    await press(again);
    await page.getByText('The file did not arrive. Check the connection').waitFor();
    assert.equal(bucket.objects.size, before + 1);
    await page.unroute(`${bucket.url}/**`);
    await press(again);
    await eventually('the address', async () => (await address(page).inputValue()).startsWith(bucket.url), WAIT_MS);
    assert.equal(bucket.objects.size, before + 1, 'one file by one permit');
    assert.equal(permits.length, 1);
    await context.close();
  });

  test('a file on its way shows how much has gone, and is stopped by keyboard', async () => {
    const { context, page } = await openGarment();
    let release = (): void => {};
    await page.route(`${bucket.url}/**`, async (route) => {
      await new Promise<void>((resolve) => {
        release = resolve;
      });
      await route.abort().catch(() => {});
    });
    const before = bucket.objects.size;
    await dropFile(page, await flat(300, 300, 'navy').png().toBuffer(), 'slow.png');
    await page.getByRole('progressbar', { name: 'Sending slow.png' }).waitFor();
    assert.deepEqual(await problemsOfAxe(page), []);
    await press(page.getByRole('button', { name: /^Stop/ }));
    await page.getByRole('progressbar').waitFor({ state: 'detached' });
    assert.equal(await page.evaluate('document.activeElement.innerText'), 'Choose a file', 'the focus is not lost');
    assert.equal(await address(page).inputValue(), '');
    assert.equal(bucket.objects.size, before);
    release();
    await context.close();
  });
});
