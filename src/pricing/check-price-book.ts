import { VAT_STATUSES, type VatStatus } from '../accounts/vat-number.ts';
import { type BaseProductEntry, type CatalogueDocument, VAT_CLASSES } from '../catalogue/document.ts';
import type { Problem } from '../lib/errors.ts';
import { repeatProblems } from '../lib/validation/validate.ts';
import { deliveryProblems, instantProblems, lacksDutyRule } from './check-delivery.ts';
import { type Breaks, type PriceBook, printPriceFinder, printScope } from './price-book.ts';
import { TERRITORIES, type Territory } from './territory.ts';
import { vatKey } from './vat.ts';

/**
 * Problems in the meaning of a well-shaped price book, checked against the catalogue that it prices.
 * Among them are breaks out of order, things without a price or with two, a missing VAT rate, and a zone that cannot
 * send something. If there are none, `quote` finds a price for every variant, area, method and served address.
 */
export function priceBookProblems(book: PriceBook, catalogue: CatalogueDocument, root = ''): Problem[] {
  const at = root === '' ? '' : `${root}.`;
  return [
    ...instantProblems(book.valid_from, `${at}valid_from`),
    ...blankProblems(book, catalogue, at),
    ...printProblems(book, catalogue, at),
    ...setupProblems(book, catalogue, at),
    ...vatProblems(book, at),
    ...deliveryProblems(book, at),
  ];
}

function blankProblems(book: PriceBook, catalogue: CatalogueDocument, at: string): Problem[] {
  const products = new Map(catalogue.base_products.map((product) => [product.master_sku, product]));
  const problems = repeatProblems(
    book.blanks.map((blank) => blank.master_sku),
    (index) => `${at}blanks[${index}].master_sku`,
  );
  book.blanks.forEach((blank, index) => {
    const path = `${at}blanks[${index}]`;
    problems.push(...breaksProblems(blank.breaks, `${path}.breaks`));
    const product = products.get(blank.master_sku);
    if (product === undefined) problems.push(unknownProduct(`${path}.master_sku`, blank.master_sku));
    else problems.push(...surchargeProblems(blank.surcharges, product, path));
  });
  const priced = new Set(book.blanks.map((blank) => blank.master_sku));
  catalogue.base_products.forEach(({ master_sku }, index) => {
    if (priced.has(master_sku)) return;
    const message = `The price book has no blank price for ${master_sku} (base_products[${index}]).`;
    problems.push({ path: `${at}blanks`, code: 'not_priced', message });
  });
  return problems;
}

function surchargeProblems(
  surcharges: PriceBook['blanks'][number]['surcharges'],
  product: BaseProductEntry,
  path: string,
): Problem[] {
  const known = {
    sizes: new Set(product.variants.map(({ size }) => size)),
    colours: new Set(product.variants.map(({ colour }) => colour)),
  };
  return surcharges.flatMap((surcharge, index) => {
    const here = `${path}.surcharges[${index}]`;
    if (surcharge.sizes === undefined && surcharge.colours === undefined) {
      return [{ path: here, code: 'required', message: 'Name the sizes, the colours or both that this is added for.' }];
    }
    return (['sizes', 'colours'] as const).flatMap((member) =>
      (surcharge[member] ?? []).flatMap((name, position) => {
        if (known[member].has(name)) return [];
        const message = `${product.master_sku} does not come in ${name}.`;
        return [
          { path: `${here}.${member}[${position}]`, code: 'unknown_value', message, valid_values: [...known[member]] },
        ];
      }),
    );
  });
}

/**
 * Problems of quantity breaks.
 * They begin at one piece, ascend, and the unit price never rises with the quantity: that would be a slip of the pen.
 */
function breaksProblems(breaks: Breaks, path: string): Problem[] {
  return breaks.flatMap((step, index) => {
    const before = breaks[index - 1];
    if (before === undefined) {
      if (step.from_quantity === 1) return [];
      return [{ path: `${path}[0].from_quantity`, code: 'breaks', message: 'The first break starts at quantity 1.' }];
    }
    const problems: Problem[] = [];
    if (step.from_quantity <= before.from_quantity) {
      const message = `must be above the break before it, ${before.from_quantity}.`;
      problems.push({ path: `${path}[${index}].from_quantity`, code: 'breaks', message });
    }
    if (step.unit_pence > before.unit_pence) {
      const message = `must not be above the price at the smaller quantity, ${before.unit_pence}.`;
      problems.push({ path: `${path}[${index}].unit_pence`, code: 'breaks', message });
    }
    return problems;
  });
}

function printProblems(book: PriceBook, catalogue: CatalogueDocument, at: string): Problem[] {
  const masterSkus = new Set(catalogue.base_products.map(({ master_sku }) => master_sku));
  const areas = new Set(
    catalogue.base_products.flatMap((product) => product.print_areas.map((area) => area.print_area)),
  );
  const problems = repeatProblems(book.prints.map(printScope), (index) => `${at}prints[${index}]`);
  book.prints.forEach((print, index) => {
    const path = `${at}prints[${index}]`;
    problems.push(...breaksProblems(print.breaks, `${path}.breaks`), ...methodProblems(print.method, catalogue, path));
    if ((print.print_area === undefined) === (print.size_class === undefined)) {
      problems.push({ path, code: 'required', message: 'Name either a print area or a size class.' });
    }
    if (print.master_sku !== undefined && !masterSkus.has(print.master_sku)) {
      problems.push(unknownProduct(`${path}.master_sku`, print.master_sku));
    }
    if (print.print_area !== undefined && !areas.has(print.print_area)) {
      const message = `No base product has the print area ${print.print_area}.`;
      problems.push({ path: `${path}.print_area`, code: 'unknown_print_area', message });
    }
  });
  return [...problems, ...missingPrints(book, catalogue, at)];
}

function missingPrints(book: PriceBook, catalogue: CatalogueDocument, at: string): Problem[] {
  const find = printPriceFinder(book.prints);
  return catalogue.base_products.flatMap(({ master_sku, print_areas }) =>
    print_areas.flatMap(({ print_area, methods, size_class }) =>
      methods.flatMap((method) => {
        if (find({ method, printArea: print_area, sizeClass: size_class, masterSku: master_sku })) return [];
        const message = `The price book has no print price for ${method} on ${print_area} of ${master_sku}.`;
        return [{ path: `${at}prints`, code: 'not_priced', message }];
      }),
    ),
  );
}

function setupProblems(book: PriceBook, catalogue: CatalogueDocument, at: string): Problem[] {
  return [
    ...repeatProblems(
      book.setups.map(({ method }) => method),
      (index) => `${at}setups[${index}].method`,
    ),
    ...book.setups.flatMap(({ method }, index) => methodProblems(method, catalogue, `${at}setups[${index}]`)),
  ];
}

/** The territories that a book has no duty rule for, or lacks a VAT rate for of any status or class. */
export function lackingTerritories(book: PriceBook): Territory[] {
  const given = new Set(vatKeys(book, '').map(({ key }) => key));
  const needed = (territory: Territory): string[] => VAT_STATUSES.flatMap((status) => ratesOf(status, territory));
  return TERRITORIES.filter(
    (territory) => lacksDutyRule(book, territory) || needed(territory).some((key) => !given.has(key)),
  );
}

function vatProblems(book: PriceBook, at: string): Problem[] {
  const keys = vatKeys(book, at);
  const given = new Set(keys.map(({ key }) => key));
  const missing = VAT_STATUSES.flatMap((status) =>
    TERRITORIES.flatMap((territory) => ratesOf(status, territory)).filter((key) => !given.has(key)),
  );
  return [
    ...repeatProblems(
      keys.map(({ key }) => key),
      (index) => keys[index]?.path ?? '',
    ),
    ...missing.map((key) => ({
      path: `${at}vat_rates`,
      code: 'missing_rate',
      message: `There is no rate for ${key}.`,
    })),
  ];
}

/** The key of each rate that a book gives, and where it stands. */
function vatKeys(book: PriceBook, at: string): { key: string; path: string }[] {
  return book.vat_rates.flatMap((rate, index) =>
    rate.vat_statuses.flatMap((status) =>
      rate.territories.flatMap((territory) =>
        rate.vat_classes.map((vatClass) => ({
          key: vatKey(status, territory, vatClass),
          path: `${at}vat_rates[${index}]`,
        })),
      ),
    ),
  );
}

/** The keys of the rates that a territory needs for a status. */
function ratesOf(status: VatStatus, territory: Territory): string[] {
  return VAT_CLASSES.map((vatClass) => vatKey(status, territory, vatClass));
}

function methodProblems(method: string, catalogue: CatalogueDocument, path: string): Problem[] {
  const methods = catalogue.methods.map((entry) => entry.method);
  if (methods.includes(method)) return [];
  const message = `${method} is not among the methods of the catalogue.`;
  return [{ path: `${path}.method`, code: 'unknown_method', message, valid_values: methods }];
}

function unknownProduct(path: string, masterSku: string): Problem {
  return {
    path,
    code: 'unknown_base_product',
    message: `${masterSku} is not among the base products of the catalogue.`,
  };
}
