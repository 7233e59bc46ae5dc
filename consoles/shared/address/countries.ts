/** The countries that mail goes to, by their ISO code: the two letters that the browser has a name for. */
const NAMES = new Intl.DisplayNames('en-GB', { type: 'region', fallback: 'none' });
const LETTERS = Array.from({ length: 26 }, (_, index) => String.fromCodePoint(65 + index));
/** Codes that the browser names and that are no country of ISO 3166-1, or stand for more than one. */
const NO_COUNTRY: ReadonlySet<string> = new Set(
  'AC AN BU CP CQ CS DD DG DY EA EU EZ FX HV IC NH NT QO QU RH SU TA TP UK UN VD XA XB XK YD YU ZR ZZ'.split(' '),
);

/** Every country with its name in English, by name. */
export const COUNTRIES: readonly { readonly code: string; readonly name: string }[] = LETTERS.flatMap((first) =>
  LETTERS.map((second) => first + second),
)
  .filter((code) => !NO_COUNTRY.has(code))
  .flatMap((code) => {
    const name = NAMES.of(code);
    return name === undefined ? [] : [{ code, name }];
  })
  .toSorted((one, other) => one.name.localeCompare(other.name, 'en'));

/** The choices of a field for a country, with none chosen first. */
export const COUNTRY_CHOICES = [{ value: '', label: 'Choose a country' }].concat(
  COUNTRIES.map(({ code, name }) => ({ value: code, label: name })),
);

/** What people write for a country beside its name and its code. */
const ALSO: Readonly<Record<string, string>> = {
  uk: 'GB',
  'u.k.': 'GB',
  'great britain': 'GB',
  england: 'GB',
  scotland: 'GB',
  wales: 'GB',
  'northern ireland': 'GB',
  usa: 'US',
  'u.s.a.': 'US',
  'u.s.': 'US',
  america: 'US',
  'united states of america': 'US',
  deutschland: 'DE',
  österreich: 'AT',
  schweiz: 'CH',
  suisse: 'CH',
  svizzera: 'CH',
  españa: 'ES',
  italia: 'IT',
  nederland: 'NL',
  'the netherlands': 'NL',
  holland: 'NL',
  belgië: 'BE',
  belgique: 'BE',
  danmark: 'DK',
  sverige: 'SE',
  norge: 'NO',
  suomi: 'FI',
  polska: 'PL',
  éire: 'IE',
  'republic of ireland': 'IE',
  'czech republic': 'CZ',
  türkiye: 'TR',
  turkey: 'TR',
};

const BY_NAME: ReadonlyMap<string, string> = new Map([
  ...COUNTRIES.map(({ code, name }) => [name.toLowerCase(), code] as const),
  ...Object.entries(ALSO),
]);

/** The code of a country that is written as a name or as a code in capitals; undefined when it is none. */
export function countryNamed(text: string): string | undefined {
  const written = text.trim().replace(/\.$/, '');
  if (/^[A-Z]{2}$/.test(written) && COUNTRIES.some(({ code }) => code === written)) return written;
  const name = text.trim().toLowerCase();
  return BY_NAME.get(name) ?? BY_NAME.get(name.replace(/\.$/, ''));
}
