import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import sharp from 'sharp';
import type { PersonalisationPreview } from '../../src/checkout/personalisation/preview-schema.ts';
import type { CreatedOrder, Order } from '../../src/orders/schema.ts';
import { eventually } from '../harness/context.ts';
import { basket, servePicture } from '../harness/shop.ts';
import { rows } from '../harness/written.ts';
import { focusOn, press } from './keys.ts';
import { choose, openPremises, type Premises, problemsOfAxe, WAIT_MS } from './premises.ts';

let premises: Premises;
before(async () => {
  // Letters are compared.
  premises = await openPremises({}, { drawn: 'as printed' });
});
after(() => premises.close());

/** A print file is made by a worker, which other tests of the machine slow down. */
const PRINTED_MS = 30_000;
const CAP = 'CAP-TWILL-KHA';
const KHAKI = '#7c7355';
const SCRIPTS: Readonly<Record<string, string>> = {
  Latin: 'Zoë Łukasz',
  Cyrillic: 'Александра',
  Greek: 'Αλεξάνδρα',
  Hebrew: 'שלום עולם',
  Arabic: 'مرحبا بالعالم',
  Devanagari: 'नमस्ते दुनिया',
  Bengali: 'শুভ সকাল',
  Tamil: 'வணக்கம் நண்பா',
  Thai: 'สวัสดีตอนเช้า',
  Georgian: 'გამარჯობა',
};

const isSaved = (page: Page): Promise<void> => page.getByText('The draft is saved').waitFor();
const field = (page: Page, name: string): Locator => page.getByRole('textbox', { name, exact: true });
/** A box on the plane. */
const boxNamed = (page: Page, name: string): Locator =>
  page.getByRole('group', { name: /^Front panels/ }).getByRole('button', { name, exact: true });

async function figureIn(page: Page, name: string): Promise<number> {
  return Number(await field(page, name).inputValue());
}

/** Waits until a field has a number: the page draws it a moment after the key or the pull. */
const untilFigure = (page: Page, name: string, isRight: (figure: number) => boolean): Promise<unknown> =>
  eventually(`${name} is right`, async () => isRight(await figureIn(page, name)), WAIT_MS);

/** Types where a layer lies, and what else of it is a number. */
async function place(page: Page, figures: Readonly<Record<string, number>>): Promise<void> {
  for (const [name, figure] of Object.entries(figures)) {
    await field(page, name).fill(String(figure));
    await page.keyboard.press('Tab');
    await untilFigure(page, name, (now) => Math.abs(now - figure) < 0.3);
  }
}

async function publish(page: Page, version: number): Promise<void> {
  await isSaved(page);
  const button = page.getByRole('main').getByRole('button', { name: 'Publish' });
  await eventually('it can be published', () => button.isEnabled(), WAIT_MS);
  await button.click();
  const dialog = page.getByRole('dialog', { name: 'Publish this template?' });
  await dialog.getByText('Orders that are placed already keep theirs.').waitFor();
  await dialog.getByRole('button', { name: 'Publish' }).click();
  await page.getByText(`Version ${version} is published.`).waitFor();
}

/** The recipe of the print file of an order, and its key. */
async function fileOf({ reference }: CreatedOrder): Promise<{ key: string; recipe: string }> {
  const found = await rows<{ key: string; recipe: string }>(
    premises.service,
    `select encode(f.key, 'hex') as key, f.recipe::text as recipe from print_file f
     join print_job j on j.print_file_key = f.key join orders o on o.account_id = j.account_id and o.id = j.order_id
     where o.reference = $1`,
    [reference],
  );
  return found[0] ?? assert.fail('the order has a print file');
}

/** A picture as its pixels on the colour of the cap, at a size if one is given. */
function pixelsOf(picture: Buffer | string, size?: { width: number; height: number }): Promise<Buffer> {
  const drawn = sharp(picture).flatten({ background: KHAKI }).removeAlpha();
  return (size === undefined ? drawn : drawn.resize(size.width, size.height, { fit: 'fill' })).raw().toBuffer();
}

const shown = async (url: string): Promise<Buffer> => Buffer.from(await (await fetch(url)).arrayBuffer());

type Shop = <Body>(method: string, path: string, body?: object) => Promise<Body>;

/** Makes a token on the page of tokens, and returns what calls the public API with it. */
async function tokenOf({ service, openWindow }: Premises): Promise<Shop> {
  const { page, close } = await openWindow();
  await page.goto('/portal/developers/tokens');
  await press(page.getByRole('button', { name: 'Make a token' }));
  const form = page.getByRole('dialog', { name: 'Make a token' });
  await form.locator('input:focus').waitFor();
  await page.keyboard.type('Name shop');
  await focusOn(form.getByRole('checkbox', { name: 'orders:write' }));
  await page.keyboard.press('Space');
  await press(form.getByRole('button', { name: 'Make it' }));
  const token = (await page.getByRole('dialog', { name: 'The token of Name shop' }).locator('pre').textContent()) ?? '';
  await close();
  return async <Body>(method: string, path: string, body?: object): Promise<Body> => {
    const answer = await fetch(`${service.url}/api/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    assert.ok(answer.ok, `${method} ${path}: ${text}`);
    // The service's own document is held to elsewhere.
    return JSON.parse(text) as Body;
  };
}

/** The signed proof of the only line of an order, once its print file is made. */
async function readyProof(shop: Shop, id: string): Promise<string> {
  let proof: string | null | undefined;
  await eventually(
    'the print file is made',
    async () => {
      const { items } = await shop<Order>('GET', `/orders/${id}`);
      proof = items[0]?.artwork?.areas[0]?.proof_url;
      return typeof proof === 'string';
    },
    PRINTED_MS,
  );
  return proof ?? assert.fail();
}

/** Where the print file of an order is stored. */
async function pathOfPrint(order: CreatedOrder): Promise<string> {
  const { key } = await fileOf(order);
  const [{ hash } = assert.fail()] = await rows<{ hash: string }>(
    premises.service,
    "select encode(output_hash, 'hex') as hash from print_file where key = decode($1, 'hex')",
    [key],
  );
  return premises.service.ctx.blobs.path(hash);
}

function difference(one: Buffer, other: Buffer): number {
  assert.equal(one.length, other.length);
  return one.reduce((sum, value, at) => sum + Math.abs(value - (other[at] ?? 0)), 0) / one.length;
}

test('a cap is designed, tried and published; ten scripts print as their proofs, and old orders keep their version', async () => {
  const { service } = premises;
  const { page, faults, close } = await premises.openWindow();
  const star = await servePicture(service, '/star.png', { colour: '#c2255c' });

  await page.goto('/portal/templates');
  await page.getByRole('button', { name: 'New personalised product' }).click();
  await field(page, 'Name').fill('Name cap');
  await page.getByLabel('Printed on').selectOption({ label: 'Twill cap' });
  await page.getByRole('button', { name: 'Create it' }).press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Name cap' }).waitFor();
  await page.getByText('It is not published yet.').waitFor();
  assert.equal(await page.getByRole('main').getByRole('button', { name: 'Publish' }).isDisabled(), true);

  // A text, by keyboard.
  await press(page.getByRole('button', { name: 'Add text' }));
  await field(page, 'Key').fill('Line!');
  await page.keyboard.press('Tab');
  const keyField = field(page, 'Key');
  await eventually('the key is one', async () => (await keyField.inputValue()) === 'line_', WAIT_MS);
  await field(page, 'Key').fill('line');
  await page.keyboard.press('Tab');
  await field(page, 'Characters at most').fill('30');
  await page.getByLabel('An order may choose the font').check();
  await page.getByRole('checkbox', { name: 'Oswald' }).check();
  await page.getByLabel('An order may choose the colour').selectOption({ label: 'Any colour' });
  assert.equal(await page.evaluate('scrollY'), 0, 'the stage stays where it is while its panel scrolls');
  await focusOn(boxNamed(page, 'Your text'));
  const top = await figureIn(page, 'Top');
  await page.keyboard.press('ArrowDown');
  await untilFigure(page, 'Top', (now) => Math.abs(now - top - 1) < 0.25);
  await page.keyboard.press('Control+z');
  await untilFigure(page, 'Top', (now) => now === top);
  await page.keyboard.press('Control+y');

  // A picture from the palette; its corner is pulled and the box is dragged by mouse.
  await choose(page, 'Add image');
  const picture = boxNamed(page, 'Your picture');
  await picture.waitFor();
  const width = await figureIn(page, 'Width');
  await drag(page, page.locator('[data-grip="1,1"]'), -60, -30);
  await untilFigure(page, 'Width', (now) => now < width);
  await drag(page, picture, -400, -200);
  for (const name of ['Left', 'Top']) await untilFigure(page, name, (now) => now === 0);
  const list = page.getByRole('list', { name: 'Layers, the top one first' }).getByRole('listitem');
  const untilListed = (names: readonly string[]): Promise<unknown> =>
    eventually(
      `the list is ${names.join()}`,
      async () => (await list.allTextContents()).join() === names.join(),
      WAIT_MS,
    );
  await untilListed(['Your picture', 'Your text']);
  await page.getByRole('button', { name: 'Down', exact: true }).click();
  await untilListed(['Your text', 'Your picture']);
  await page.getByRole('button', { name: 'Duplicate' }).click();
  await field(page, 'Name').fill('Spare');
  await page.getByRole('button', { name: 'Hide' }).click();
  await boxNamed(page, 'Spare').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Delete' }).click();
  await untilListed(['Your text', 'Your picture']);

  // A choice: nothing can be published until it has a picture.
  const stage = page.getByRole('region', { name: 'Print area' });
  const stands = await stage.boundingBox();
  await page.getByRole('button', { name: 'Add choice' }).click();
  await page.getByText('Before it can be published').waitFor();
  assert.deepEqual(await stage.boundingBox(), stands, 'what is missing moves nothing that is under the hand');
  await page.getByLabel('Another picture', { exact: true }).fill(service.stranger.url('/none.png'));
  await page.getByRole('button', { name: 'Add the picture' }).click();
  await page.getByText(/404/).waitFor();
  await page.getByLabel('Another picture', { exact: true }).fill(star);
  await page.getByRole('button', { name: 'Add the picture' }).click();
  await page.getByLabel('Name of picture 1').fill('Star');
  await page.getByText('Before it can be published').waitFor({ state: 'detached' });
  // It stands in a corner, so that the text is seen, which is as large as its box.
  await place(page, { Width: 15, Height: 15, Left: 0, Top: 0 });
  await focusOn(boxNamed(page, 'Your text'));
  await place(page, { Left: 18, Width: 90, Top: 12, Height: 30, 'Largest size, pt': 60 });
  await isSaved(page);
  assert.deepEqual(await problemsOfAxe(page), []);

  // The trial: the longest text, letters without a font, and the proof.
  const show = page.getByRole('button', { name: 'Show the proof' });
  const line = field(page, 'Your text');
  await page.getByRole('region', { name: 'Try it' }).scrollIntoViewIfNeeded();
  await page.getByLabel('Words of a script').selectOption({ label: 'One without a font' });
  await show.click();
  await page.getByText(/No font here can print/).waitFor();
  await page.getByRole('button', { name: 'Longest text' }).click();
  await eventually('the text is as long as it may be', async () => (await line.inputValue()).length === 30, WAIT_MS);
  await show.click();
  await page.getByRole('img', { name: 'Proof of what is printed' }).waitFor();
  await publish(page, 1);

  // By the API from here on, with a token that was made in the portal.
  const shop = await tokenOf(premises);
  const [{ id } = assert.fail()] = (await shop<{ data: { id: string }[] }>('GET', '/products?limit=1')).data;
  const preview = (inputs: object): Promise<PersonalisationPreview> =>
    shop('POST', `/products/${id}/personalisation/preview`, { inputs, variant_sku: CAP });
  const orders: CreatedOrder[] = [];
  const prints: Buffer[] = [];
  let worst = 0;
  for (const [script, words] of Object.entries(SCRIPTS)) {
    const inputs = { line: words, motif: 'option_1' };
    const { proof_url: proofBefore, warnings } = await preview(inputs);
    assert.deepEqual(
      warnings.filter(({ code }) => /font|glyph/.test(code)),
      [],
      script,
    );
    const item = { product_id: id, variant_sku: CAP, quantity: 1, decoration: { personalisation: { inputs } } };
    const placed = await shop<CreatedOrder>('POST', '/orders', basket(service, { items: [item] }));
    orders.push(placed);
    const proofOfLine = await readyProof(shop, placed.id);
    const printed = await pixelsOf(await pathOfPrint(placed));
    const empty = Buffer.from(printed.map((_, at) => [0x7c, 0x73, 0x55][at % 3] ?? 0));
    const { width, height } = await sharp(await pathOfPrint(placed)).metadata();
    for (const [which, url] of Object.entries({ 'seen before': proofBefore, 'of the line': proofOfLine })) {
      const off = difference(await pixelsOf(await shown(url), { width, height }), printed);
      worst = Math.max(worst, off);
      assert.ok(
        off < 1.5 && difference(printed, empty) > 4 * off,
        `${script}, ${which}: ${off} of 255 at the average pixel`,
      );
    }
    prints.push(printed);
  }
  // Boxes in place of letters would look alike, whatever the script.
  for (const [at, print] of prints.entries()) {
    for (const other of prints.slice(at + 1)) {
      const apart = difference(print, other);
      assert.ok(apart > 2 * worst, `each has letters of its own: ${apart} apart, ${worst} off a proof`);
    }
  }
  const boxed = await fetch(`${service.url}/api/v1/products/${id}/personalisation/preview`, {
    method: 'POST',
    headers: { authorization: `Bearer ${service.demo.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ inputs: { line: 'A \u{13000}', motif: 'option_1' }, variant_sku: CAP }),
  });
  assert.equal(boxed.status, 422, 'what no font has is refused, and never drawn as a box');

  // A second version changes no order that is placed.
  const [first = assert.fail()] = orders;
  const before = await fileOf(first);
  await focusOn(boxNamed(page, 'Your text'));
  await page.getByLabel('Font', { exact: true }).selectOption('Pacifico');
  await publish(page, 2);
  assert.deepEqual(await fileOf(first), before);
  assert.match(before.recipe, /"Noto Sans"/);
  const inputs = { line: SCRIPTS.Latin ?? '', motif: 'option_1' };
  const item = { product_id: id, variant_sku: CAP, quantity: 1, decoration: { personalisation: { inputs } } };
  const later = await service.customer.request<CreatedOrder>('POST', '/orders', basket(service, { items: [item] }));
  assert.match((await fileOf(later.body)).recipe, /"Pacifico"/);

  // Its name and its colours count at once.
  await field(page, 'Name of the product').fill('Club cap');
  await page.getByRole('checkbox', { name: 'Black', exact: true }).uncheck();
  await page.getByRole('button', { name: 'Save name and colours' }).press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Club cap' }).waitFor();
  const renamed = await service.customer.request<{ name: string }>('GET', `/products/${id}`);
  assert.equal(renamed.body.name, 'Club cap');

  // Two windows: the later one is told, keeps what it has, and loads again.
  const other = await premises.openWindow();
  await other.page.goto(page.url());
  await focusOn(boxNamed(other.page, 'Your text'));
  await field(page, 'Name').fill('Club name');
  await isSaved(page);
  await field(other.page, 'Name').fill('Own name');
  await other.page.getByText(/Not saved: This template was changed meanwhile/).waitFor();
  assert.equal(await field(other.page, 'Name').inputValue(), 'Own name');
  await other.page.getByRole('button', { name: 'Load it again' }).click();
  await boxNamed(other.page, 'Club name').waitFor();
  const refusals = /status of 422/;
  assert.deepEqual(
    faults.filter((fault) => !refusals.test(fault)),
    [],
  );
  await other.close();
  await close();
});

/** Pulls something by mouse once it stands still and nothing covers it. */
async function drag(page: Page, what: Locator, byX: number, byY: number): Promise<void> {
  await what.hover();
  const box = (await what.boundingBox()) ?? assert.fail('it is on the page');
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + byX, y + byY, { steps: 4 });
  await page.mouse.up();
}
