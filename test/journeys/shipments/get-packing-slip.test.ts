import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { CreatedOrder, Estimate, Order } from '../../../src/orders/schema.ts';
import type { ShippedOrder } from '../../../src/shipments/schema.ts';
import { linesOf, parcelOf } from '../../harness/floor.ts';
import { readBarcodes } from '../../harness/pdf.ts';
import { servePicture } from '../../harness/shop.ts';
import { createBrand } from '../brands/brands.ts';
import { closePapers, openPapers, paperOf, service, shop, textOf, viewer } from './papers.ts';

before(openPapers);
after(closePapers);

const ABROAD = {
  contact_name: '山田太郎',
  line1: '千代田1-1',
  city: '東京都千代田区',
  postcode: '100-0001',
  country_code: 'JP',
  phone: '+81 3 1234 5678',
};

describe('the packing slip', () => {
  test('says who gets what, and its barcodes scan as the order and as its lines; no price, and no notes that are for the shop', async () => {
    const order = await shop.placeStarted([5, 3], { notes: 'The buyer haggled.', external_reference: 'SHOP-7' });
    const { pages, type } = await paperOf(order, 'packing-slip');
    assert.equal(type, 'application/pdf');
    assert.equal(pages.length, 1);
    const text = textOf(pages);
    for (const part of [
      'Packing slip',
      'Platen Print Ltd',
      'Ada Byron',
      'LS1 4DY',
      'United Kingdom (GB)',
      'TOTE-COTTON-NAT',
    ]) {
      assert.ok(text.includes(part), `${part} in ${text}`);
    }
    assert.ok(text.includes('SHOP-7'));
    assert.doesNotMatch(text, /haggled|£|GBP|\d\.\d\d\b/);
    assert.deepEqual(
      pages.flatMap(readBarcodes).map(({ text: scanned }) => scanned),
      [order.reference, ...linesOf(order)],
    );
  });

  test('of a replacement names the order that it replaces, and the number that the recipient knows; so does its job sheet', async () => {
    const torn = await shop.placeStarted([1], { external_reference: 'SHOP-TORN' });
    await shop.ship(torn, parcelOf(torn, [1]));
    const [line] = linesOf(torn);
    const made = await shop.operator.request<ShippedOrder>('POST', `/orders/${torn.id}/replacement`, {
      items: [{ line_id: line, quantity: 1 }],
      reason: 'arrived torn',
    });
    const slip = textOf((await paperOf(made.body, 'packing-slip')).pages).split('\n');
    assert.ok(slip.includes(`Replacement for ${torn.reference}`) && slip.includes('Reference SHOP-TORN'), slip.join());
    const sheet = textOf((await paperOf(made.body, 'job-sheet')).pages);
    assert.ok(sheet.includes(`Replacement for ${torn.reference}`), sheet);
    assert.doesNotMatch(textOf((await paperOf(torn, 'packing-slip')).pages), /Replacement/);
  });

  test('of one parcel lists its pieces alone; an unknown parcel and that of another order are 404', async () => {
    const order = await shop.placeStarted([5, 3]);
    const other = await shop.placeStarted([1]);
    const one = await shop.ship(order, parcelOf(order, [2], { carrier: 'DPD', tracking_number: 'DPD-77' }));
    const two = await shop.ship(order, parcelOf(order, [1, 3]));
    const first = textOf((await paperOf(order, `packing-slip?shipment=${one.body.shipment_id}`)).pages).split('\n');
    assert.ok(first.includes('Parcel 1') && first.includes('DPD DPD-77') && first.includes('2'));
    assert.equal(first.filter((text) => text === 'TOTE-COTTON-NAT').length, 1);
    const second = textOf((await paperOf(order, `packing-slip?shipment=${two.body.shipment_id}`)).pages).split('\n');
    assert.ok(second.includes('Parcel 2') && second.includes('1') && second.includes('3'));
    for (const shipment of ['shp_01h455vb4pex5vsknk084sn02q', 'nonsense']) {
      const answer = await viewer.request('GET', `/orders/${order.id}/packing-slip?shipment=${shipment}`);
      assert.deepEqual([answer.status, answer.body.code], [404, 'not_found']);
    }
    const foreign = `/orders/${other.id}/packing-slip?shipment=${one.body.shipment_id}`;
    assert.equal((await viewer.request('GET', foreign)).status, 404);
  });

  test('of a parcel that has left keeps the address that it left for; what leaves after a change goes to the new one', async () => {
    const order = await shop.placeStarted([3]);
    const one = await shop.ship(order, parcelOf(order, [1]));
    const change = { contact_name: 'Grace Hopper', line1: '1 High Street', city: 'York', postcode: 'YO1 7HH' };
    const changed = await shop.operator.request('PATCH', `/orders/${order.id}/address`, change);
    assert.equal(changed.status, 200, changed.text);
    const two = await shop.ship(order, parcelOf(order, [2]));
    const slipOf = async (query: string) => textOf((await paperOf(order, `packing-slip${query}`)).pages);
    const first = await slipOf(`?shipment=${one.body.shipment_id}`);
    assert.ok(first.includes('Ada Byron') && first.includes('LS1 4DY'), first);
    assert.doesNotMatch(first, /Grace|York/);
    for (const later of [await slipOf(`?shipment=${two.body.shipment_id}`), await slipOf('')]) {
      assert.ok(later.includes('Grace Hopper') && later.includes('YO1 7HH'), later);
      assert.doesNotMatch(later, /Ada|LS1/);
    }
  });

  test('the same parcel is the same bytes, whenever it is printed', async () => {
    const order = await shop.place([1]);
    const first = await paperOf(order, 'packing-slip');
    service.shiftMs(86_400_000);
    assert.ok(first.pdf.equals((await paperOf(order, 'packing-slip')).pdf));
  });
});

describe('the packing slip of a branded order', () => {
  const BRAND = {
    name: 'Fern & Fable',
    message: 'Thank you for your order.',
    support_email: 'help@fern.example',
    website: 'https://fern.example',
    return_lines: ['Fern & Fable Returns', '2 Quay Street'],
  };

  test('carries the brand in place of the print shop, with its logo once, and stays what it was when the brand changes or ends', async () => {
    const logo_url = await servePicture(service, '/brand.png', { widthPx: 900, heightPx: 300, colour: 'teal' });
    const { id } = await createBrand(shop, { ...BRAND, logo_url });
    const order = await shop.placeStarted([5], { brand: id });
    const before = await paperOf(order, 'packing-slip');
    const text = textOf(before.pages);
    const parts = [BRAND.name, BRAND.message, BRAND.support_email, BRAND.website, 'Returns to', ...BRAND.return_lines];
    for (const part of parts) assert.ok(text.includes(part), `${part} in ${text}`);
    assert.doesNotMatch(text, /Platen|Press Yard/);
    assert.equal(before.pdf.toString('latin1').split('/Subtype /Image').length, 2);
    await shop.request('PATCH', `/brands/${id}`, { name: 'Fable', message: '', logo_url: null });
    await shop.request('DELETE', `/brands/${id}`);
    assert.ok(before.pdf.equals((await paperOf(order, 'packing-slip')).pdf));
  });

  test('shows only what the brand has; a replacement has the brand of its order; the customs form and the job sheet stay the shop’s', async () => {
    const { id } = await createBrand(shop, { name: 'Bare' });
    const torn = await shop.placeStarted([1], { brand: id, shipping_address: ABROAD });
    const sent = await shop.ship(torn, parcelOf(torn, [1]));
    const [line] = linesOf(torn);
    const made = await shop.operator.request<ShippedOrder>('POST', `/orders/${torn.id}/replacement`, {
      items: [{ line_id: line, quantity: 1 }],
      reason: 'arrived torn',
    });
    const text = textOf((await paperOf(made.body, 'packing-slip')).pages);
    assert.ok(text.includes('Bare'));
    assert.doesNotMatch(text, /Platen|Returns/);
    const [slip = [], form = []] = (await paperOf(torn, `packing-slip?shipment=${sent.body.shipment_id}`)).pages.map(
      ({ texts }) => texts,
    );
    assert.ok(slip.includes('Bare') && !slip.join().includes('Platen'));
    assert.ok(form.join().includes('Platen Print Ltd') && !form.join().includes('Bare'), form.join());
  });
});

describe('parcels that leave the customs territory', () => {
  let order: CreatedOrder;
  let shipped: ShippedOrder;
  before(async () => {
    order = await shop.placeStarted([4, 2], { shipping_address: ABROAD });
    const answer = await shop.ship(order, parcelOf(order, [3]));
    assert.equal(answer.status, 201, answer.text);
    shipped = answer.body;
  });

  test('are declared at what was charged for their pieces, with tariff code, origin and weight', async () => {
    const { catalogue } = await service.ctx.prices.latest();
    const blank = catalogue.bySku.get('TOTE-COTTON-NAT');
    assert.ok(blank);
    const { entry } = blank.baseProduct;
    const unit = order.items.lineItems[0]?.unit_price ?? Number.NaN;
    const grams = blank.variant.entry.weight_grams * 3;
    const customs = shipped.shipments[0]?.customs;
    assert.ok(customs);
    const { gross_weight_grams: gross, incoterm, ...rest } = customs;
    assert.deepEqual(rest, {
      form: 'CN22',
      currency: 'GBP',
      declared_value: Math.round(unit * 300) / 100,
      net_weight_grams: grams,
      seller: { name: customs.seller?.name, eori_number: '', ioss_number: '' },
      items: [
        {
          line_id: linesOf(order)[0],
          variant_sku: 'TOTE-COTTON-NAT',
          description: entry.title,
          material: entry.material,
          hs_code: entry.hs_code,
          origin_country: entry.origin_country,
          quantity: 3,
          value: Math.round(unit * 300) / 100,
          weight_grams: grams,
        },
      ],
    });
    assert.ok(gross > grams);
    const isDue = order.warnings.some(({ code }) => code === 'duties_on_delivery');
    assert.equal(incoterm, isDue ? 'DAP' : 'DDP');
  });

  test('have a customs form on a page of its own behind the slip, in both scripts', async () => {
    const { pages } = await paperOf(order, `packing-slip?shipment=${shipped.shipment_id}`);
    assert.equal(pages.length, 2);
    const [slip, form] = pages.map((page) => textOf([page]));
    assert.doesNotMatch(slip ?? '', /CN22|\d\.\d\d\b/);
    assert.equal(form?.split('United Kingdom').length, 2, 'the country of the sender once');
    const sentAt = shipped.shipments[0]?.shipped_at ?? '';
    assert.ok(slip?.includes(`Sent ${sentAt.slice(0, 10)}`), slip);
    for (const part of [
      'Customs declaration CN22',
      `Date of issue: ${sentAt.slice(0, 10)}`,
      '山田太郎',
      'Japan (JP)',
      'Platen Print Ltd',
      'GB123456782',
      'Total',
    ]) {
      assert.ok(form?.includes(part), `${part} in ${form}`);
    }
  });

  test('the customs form names the seller of record with the numbers that the order was placed with', async () => {
    const FRANCE = { ...ABROAD, contact_name: 'Sophie Germain', city: 'Paris', postcode: '75001', country_code: 'FR' };
    const finance = await service.openOperator('finance');
    const account = `/accounts/${(await shop.see(order)).account.id}`;
    const given = { eori_number: 'GB123456789000', ioss_number: 'IM0360000001' };
    assert.equal((await finance.request('PATCH', account, given)).status, 200);
    const ofAccount = await shop.placeStarted([1], { shipping_address: FRANCE });
    const own = { eori_number: 'FR12345678900011', ioss_number: null };
    const ofOrder = await shop.placeStarted([1], { shipping_address: FRANCE, customs: own });
    // Later orders alone have other numbers.
    assert.equal((await finance.request('PATCH', account, { eori_number: null, ioss_number: null })).status, 200);
    const later = await shop.place([1]);

    const customsOf = async (id: string) => (await shop.request<Order>('GET', `/orders/${id}`)).body.customs;
    assert.deepEqual(await customsOf(ofAccount.id), given);
    assert.deepEqual(await customsOf(ofOrder.id), { eori_number: 'FR12345678900011', ioss_number: '' });
    assert.deepEqual(await customsOf(later.id), { eori_number: '', ioss_number: '' });

    for (const [placed, line] of [
      [ofAccount, /^Seller: .+, EORI GB123456789000, IOSS IM0360000001$/m],
      [ofOrder, /^Seller: .+, EORI FR12345678900011$/m],
    ] as const) {
      const sent = await shop.ship(placed, parcelOf(placed, [1]));
      assert.equal(sent.status, 201, sent.text);
      assert.match(textOf((await paperOf(placed, `packing-slip?shipment=${sent.body.shipment_id}`)).pages), line);
    }
  });

  test('the customs form of a parcel names the recipient that it left for, whoever the order goes to now', async () => {
    const changed = await shop.operator.request('PATCH', `/orders/${order.id}/address`, { contact_name: '佐藤花子' });
    assert.equal(changed.status, 200, changed.text);
    const ofParcel = textOf((await paperOf(order, `packing-slip?shipment=${shipped.shipment_id}`)).pages);
    assert.ok(ofParcel.includes('山田太郎') && !ofParcel.includes('佐藤花子'), ofParcel);
    const [slip, form] = (await paperOf(order, 'packing-slip')).pages.map((page) => textOf([page]));
    assert.ok(slip?.includes('佐藤花子') && form?.includes('山田太郎') && !form.includes('佐藤花子'), form);
  });

  test('a parcel that makes good for one that was lost is declared at what the first was charged, not at nothing', async () => {
    const lost = await shop.placeStarted([2], { shipping_address: ABROAD });
    const first = await shop.ship(lost, parcelOf(lost, [2]));
    const [line_id = ''] = linesOf(lost);
    const made = await shop.operator.request<ShippedOrder>('POST', `/orders/${lost.id}/replacement`, {
      items: [{ line_id, quantity: 1 }],
      reason: 'lost in the post',
    });
    assert.equal(made.status, 201, made.text);
    const replacement = made.body;
    assert.equal(replacement.total, 0);
    const at = `/orders/${replacement.id}`;
    const [line] = replacement.lines;
    assert.equal((await shop.operator.request('POST', `${at}/promote`)).status, 200);
    assert.equal((await shop.operator.request('POST', `${at}/lines/${line?.id}/start`)).status, 200);
    const items = [{ line_id: line?.id ?? '', quantity: 1 }];
    const again = await shop.ship(replacement, { carrier: 'DPD', tracking_number: 'AGAIN', items });
    assert.equal(again.status, 201, again.text);
    const value = first.body.shipments[0]?.customs?.declared_value ?? Number.NaN;
    assert.equal(again.body.shipments[0]?.customs?.declared_value, value / 2);
  });

  test('a line is declared at the price that the consumer paid, and so is the piece that replaces one of it', async () => {
    const [product] = order.items.lineItems;
    const item = { product_id: product?.product_id, variant_sku: 'TOTE-COTTON-NAT', print_jobs: [] };
    const items = [
      { ...item, quantity: 2, declared_unit_price: 19.5 },
      { ...item, quantity: 1 },
    ];
    const body = { items, shipping_address: { ...ABROAD, country_code: 'US', county: 'NY' } };
    const estimate = await shop.request<Estimate>('POST', '/orders/estimate', body);
    const sold = await shop.placeStarted([], body);
    assert.equal(sold.charged.total, estimate.body.total);
    const read = await shop.request<Order>('GET', `/orders/${sold.id}`);
    assert.deepEqual(
      read.body.items.map(({ declared_unit_price: price }) => price),
      [19.5, null],
    );
    const sent = await shop.ship(sold, parcelOf(sold, [2, 1]));
    const charged = sold.items.lineItems[1]?.unit_price ?? Number.NaN;
    assert.deepEqual(
      sent.body.shipments[0]?.customs?.items.map(({ value }) => value),
      [39, charged],
    );
    const [line_id = ''] = linesOf(sold);
    const made = await shop.operator.request<ShippedOrder>('POST', `/orders/${sold.id}/replacement`, {
      items: [{ line_id, quantity: 1 }],
      reason: 'lost in the post',
    });
    assert.equal(made.status, 201, made.text);
    const at = `/orders/${made.body.id}`;
    const again = made.body.lines[0]?.id ?? '';
    assert.equal((await shop.operator.request('POST', `${at}/promote`)).status, 200);
    assert.equal((await shop.operator.request('POST', `${at}/lines/${again}/start`)).status, 200);
    const parcel = { carrier: 'DPD', tracking_number: 'AGAIN-2', items: [{ line_id: again, quantity: 1 }] };
    const replaced = await shop.ship(made.body, parcel);
    assert.equal(replaced.body.shipments[0]?.customs?.declared_value, 19.5);
  });

  test('what was declared is kept with the parcel, and is not shown to the owner of the order', async () => {
    const seen = (await shop.see(order)).shipments[0]?.customs;
    assert.deepEqual(seen, shipped.shipments[0]?.customs);
    const owners = await shop.request<{ shipments: object[] }>('GET', `/orders/${order.id}`);
    assert.ok(!('customs' in (owners.body.shipments[0] ?? {})));
  });
});
