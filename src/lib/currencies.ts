// ISO 4217, list one: currencies and funds. Kept as data, because the list that comes with the runtime changes
// with it, still has currencies that are gone, and lacks some that are not. Left out, since nothing is sold in
// them: metals, units of account of banks, and the codes for tests and for no currency.
const CURRENCY_CODES: ReadonlySet<string> = new Set(
  [
    'AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF CHE CHF',
    'CHW CLF CLP CNY COP COU CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD',
    'HNL HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL',
    'MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON',
    'RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX',
    'USD USN UYI UYU UYW UZS VED VES VND VUV WST XAF XCD XCG XOF XPF YER ZAR ZMW ZWG',
  ].flatMap((line) => line.split(' ')),
);

/** Whether a text is the ISO 4217 code of a currency, in capitals: `GBP` is, `gbp` and `UKP` are not. */
export function isCurrencyCode(text: string): boolean {
  return CURRENCY_CODES.has(text);
}
