import { CHART_NAMES, chartAccount } from '../../billing/chart.ts';
import { ConfigError } from '../../lib/settings/forms.ts';

/** The code of an account in each accounting system. */
export type Codes = { readonly xero: string; readonly sage: string };

/**
 * Codes as the usual charts of the United Kingdom have them.
 * Xero takes no journal on bank accounts and on its own receivables, so those accounts have codes beside them (8xx),
 * which are added to the chart there. Sage: the default nominal codes of Sage 50, with free ones beside them.
 * `XERO_CODES` and `SAGE_CODES` replace any of them.
 */
const DEFAULTS: Readonly<Record<string, Codes>> = {
  bank: { xero: '891', sage: '1205' },
  card_clearing: { xero: '892', sage: '1251' },
  direct_debit_clearing: { xero: '893', sage: '1252' },
  payouts_in_transit: { xero: '894', sage: '1253' },
  receivables: { xero: '895', sage: '1105' },
  customer_balance: { xero: '896', sage: '2111' },
  order_deposits: { xero: '897', sage: '2112' },
  manual_refunds_owed: { xero: '898', sage: '2113' },
  duty_owed: { xero: '899', sage: '2115' },
  vat_control: { xero: '825', sage: '2202' },
  vat_owed: { xero: '820', sage: '2200' },
  suspense: { xero: '850', sage: '9998' },
  other_books: { xero: '860', sage: '9997' },
  sales: { xero: '200', sage: '4000' },
  setup_fees: { xero: '201', sage: '4001' },
  shipping_income: { xero: '202', sage: '4905' },
  refunds: { xero: '203', sage: '4002' },
  duty_difference: { xero: '311', sage: '5101' },
  provider_fees: { xero: '404', sage: '7902' },
  bank_charges: { xero: '405', sage: '7901' },
  bank_interest: { xero: '270', sage: '4906' },
  written_off: { xero: '406', sage: '8100' },
  unclaimed_balances: { xero: '260', sage: '4907' },
};

/** Codes of operators by account, as the settings give them. */
export type OwnCodes = {
  readonly xeroCodes: ReadonlyMap<string, string>;
  readonly sageCodes: ReadonlyMap<string, string>;
};

/** The codes of an account: those of the settings, else the usual ones. All rates of VAT have the same. */
export function codesOf(account: string, own: OwnCodes): Codes {
  const usual = DEFAULTS[account] ?? { xero: '820', sage: '2200' };
  return { xero: own.xeroCodes.get(account) ?? usual.xero, sage: own.sageCodes.get(account) ?? usual.sage };
}

/** Throws a `ConfigError` for a code of an account that the books do not have: it would do nothing. */
export function refuseUnknownCodes(own: OwnCodes): void {
  for (const [setting, codes] of [
    ['XERO_CODES', own.xeroCodes],
    ['SAGE_CODES', own.sageCodes],
  ] as const) {
    const unknown = [...codes.keys()].find((name) => chartAccount(name) === undefined);
    if (unknown === undefined) continue;
    throw new ConfigError(
      `${setting} names "${unknown}", which is no account: those are ${CHART_NAMES.join(', ')} and vat: with a rate`,
    );
  }
}
