import { countryNamed } from './countries.ts';

/** The members of an address that a pasted block can have; `""` where it says nothing. */
export type ReadAddress = {
  contact_name: string;
  company_name: string;
  line1: string;
  line2: string;
  city: string;
  county: string;
  postcode: string;
  country_code: string;
  phone: string;
  email: string;
};

const NOTHING: ReadAddress = {
  contact_name: '',
  company_name: '',
  line1: '',
  line2: '',
  city: '',
  county: '',
  postcode: '',
  country_code: '',
  phone: '',
  email: '',
};

/** More than any address has: what is longer was pasted by mistake. */
const CHARACTERS_MAX = 2_000;

/**
 * Reads an address that was pasted as a block of text.
 * It understands what shops, mails and address books write: lines or commas, labels, a country by name or code at the end,
 * and the postcode before, behind or below the town. It fills in a form that the person looks at, so it never asks, and
 * what it cannot place becomes a line of the address and not nothing.
 */
export function readAddress(text: string): ReadAddress {
  const address = { ...NOTHING };
  const labelled = readLabels(linesOf(text), address);
  const plain = takeContacts(labelled, address);
  const rest = takeCountry(plain, address);
  const lines = takeTown(rest, address);
  placeLines(lines, address);
  return address;
}

/** The lines of the block; a single one is divided at its commas. */
function linesOf(text: string): string[] {
  const lines = text
    .slice(0, CHARACTERS_MAX)
    .split(/[\r\n\t;|]+/)
    .map(tidy)
    .filter((line) => line !== '');
  return lines.length === 1
    ? (lines[0] ?? '')
        .split(',')
        .map(tidy)
        .filter((part) => part !== '')
    : lines;
}

function tidy(line: string): string {
  return line
    .replaceAll(/\s+/gu, ' ')
    .replaceAll(/^[\s,•*>"“”]+|[\s,"“”]+$/gu, '')
    .trim();
}

const LABELS: readonly (readonly [label: RegExp, member: keyof ReadAddress])[] = [
  [/^(?:full |contact |recipient(?:'s)? )?name$|^recipient$|^attn$|^attention$|^to$/i, 'contact_name'],
  [/^company(?: name)?$|^organi[sz]ation$|^business$/i, 'company_name'],
  [/^(?:street )?address(?: line)?(?: ?1)?$|^street$|^line ?1$/i, 'line1'],
  [/^(?:street )?address(?: line)? ?2$|^line ?2$|^apartment$|^flat$/i, 'line2'],
  [/^city$|^town$|^(?:post )?town(?:\/city)?$|^city\/town$|^suburb$/i, 'city'],
  [/^county$|^state$|^province$|^region$|^state\/province$/i, 'county'],
  [/^post ?code$|^zip(?: ?code)?$|^postal code$|^postcode\/zip$/i, 'postcode'],
  [/^country$/i, 'country_code'],
  [/^(?:tele)?phone(?: number)?$|^tel\.?$|^mobile$|^cell$/i, 'phone'],
  [/^e-?mail(?: address)?$/i, 'email'],
];

/** Takes `Name: …` lines, and returns the others. */
function readLabels(lines: readonly string[], address: ReadAddress): string[] {
  return lines.filter((line) => {
    const [, label = '', value = ''] = /^([^:]{1,30}):\s*(.*)$/u.exec(line) ?? [];
    const member = LABELS.find(([pattern]) => pattern.test(label.trim()))?.[1];
    if (member === undefined) return true;
    if (member === 'country_code') address.country_code = countryNamed(value) ?? '';
    else if (address[member] === '') address[member] = value;
    return false;
  });
}

/** Takes mail addresses and phone numbers, and returns the other lines. */
function takeContacts(lines: readonly string[], address: ReadAddress): string[] {
  return lines.flatMap((line) => {
    const email = /[^\s<>,]+@[^\s<>,]+\.[^\s<>,]+/u.exec(line)?.[0];
    if (email !== undefined && address.email === '') {
      address.email = email;
      const left = tidy(line.replace(email, '').replaceAll(/[<>()]|mailto:/gi, ''));
      return left === '' ? [] : [left];
    }
    const digits = line.replaceAll(/\D/g, '').length;
    const isPhone = digits >= 8 && digits <= 15 && /^\+?[\d\s()./-]+$/.test(line);
    if (!isPhone || address.phone !== '') return [line];
    address.phone = line;
    return [];
  });
}

/** Takes the country, which is the last line or the last part of it. */
function takeCountry(lines: readonly string[], address: ReadAddress): string[] {
  const last = lines.at(-1);
  if (last === undefined || address.country_code !== '') return [...lines];
  const whole = countryNamed(last);
  if (whole !== undefined && lines.length > 1) {
    address.country_code = whole;
    return lines.slice(0, -1);
  }
  const [, before = '', after = ''] = /^(.*),\s*([^,]+)$/u.exec(last) ?? [];
  const part = countryNamed(after);
  // `CA` behind a town is California rather than Canada, and `DE` Delaware.
  if (part === undefined || (after.length === 2 && STATES.has(after))) return [...lines];
  address.country_code = part;
  return [...lines.slice(0, -1), tidy(before)];
}

const BRITISH = /\b([A-Z]{1,2}\d[A-Z\d]?) ?(\d[A-Z]{2})\b|\b(GIR) ?(0AA)\b/i;
const CANADIAN = /\b([ABCEGHJ-NPRSTVXY]\d[A-Z]) ?(\d[A-Z]\d)\b/i;
const AMERICAN = /^(.*?)[, ]+([A-Z]{2})\.?[, ]+(\d{5}(?:-\d{4})?)$/u;
const AUSTRALIAN = /^(.*?)[, ]+(NSW|VIC|QLD|SA|WA|TAS|NT|ACT)[, ]+(\d{4})$/u;
const DUTCH = /^(?:NL-)?(\d{4} ?[A-Z]{2}) +(\D.*)$/u;
/** `12345 Town`, `D-12345 Town`, `110 00 Town`, `00-001 Town`. */
const BEFORE_TOWN = /^(?:[A-Z]{1,2}-)?(\d{2}-\d{3}|\d{4}-\d{3}|\d{3} \d{2}|\d{4,6}) +(\D.*)$/u;
const BEHIND_TOWN = /^(\D+?)[, ]+(\d{3} \d{2}|\d{4,6})$/u;
const ALONE = /^(?:[A-Z]{1,2}-)?(\d{2}-\d{3}|\d{3} \d{2}|\d{4,7}|\d{3}-\d{4}|\d{5}-\d{3,4})$/u;

/** States of the USA, with the district and the territories. */
const STATES: ReadonlySet<string> = new Set(
  (
    'AL AK AZ AR CA CO CT DE FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND OH OK OR PA ' +
    'RI SC SD TN TX UT VT VA WA WV WI WY DC PR'
  ).split(' '),
);
const PROVINCES: ReadonlySet<string> = new Set('AB BC MB NB NL NS NT NU ON PE QC SK YT'.split(' '));

/** Takes postcode, town and state, which stand together at the end, and returns the lines above. */
function takeTown(lines: readonly string[], address: ReadAddress): string[] {
  const found = lines.findLastIndex((line) => takePostcode(line, address) !== undefined);
  if (found < 0) return takeBareTown(lines, address);
  const left = takePostcode(lines[found] ?? '', address);
  if (left === undefined) return [...lines];
  Object.assign(address, left.taken);
  const above = lines.slice(0, found);
  // What stands below the postcode is a county, as some write it.
  const below = lines.slice(found + 1);
  if (below.length === 1 && address.county === '' && left.town !== '') address.county = below[0] ?? '';
  if (address.city !== '') return left.town === '' ? above : [...above, left.town];
  if (left.town !== '') {
    const parts = left.town
      .split(',')
      .map(tidy)
      .filter((part) => part !== '');
    address.city = parts.pop() ?? '';
    if (parts.length === 0) return above;
    // `12 High Street, Leeds LS1 1AA`, and `Leeds, West Yorkshire LS1 1AA` when a street stands above.
    if (/\d/.test(parts[0] ?? '') || above.length < 2) return [...above, ...parts];
    address.county = address.county === '' ? address.city : address.county;
    address.city = parts.pop() ?? '';
    return [...above, ...parts];
  }
  return takeTownAbove(above, address);
}

/** A postcode on a line of its own: the town stands above it, and between them perhaps the county. */
function takeTownAbove(above: readonly string[], address: ReadAddress): string[] {
  const lines = [...above];
  const last = lines.pop() ?? '';
  const state = /^(.*?)[, ]+([A-Z]{2,3})$/u.exec(last);
  if (
    state !== null &&
    (STATES.has(state[2] ?? '') || PROVINCES.has(state[2] ?? '')) &&
    address.country_code !== 'GB'
  ) {
    address.city = tidy(state[1] ?? '');
    address.county = state[2] ?? '';
    return lines;
  }
  const isCounty = lines.length > 2 && COUNTY.test(last);
  address.city = isCounty ? (lines.pop() ?? '') : last;
  if (isCounty && address.county === '') address.county = last;
  return lines;
}

/** Names that are a county of Britain and no town. */
const COUNTY =
  /shire$|^(?:(?:east|west) )?(?:kent|essex|surrey|sussex|norfolk|suffolk|cornwall|devon|dorset|somerset|cumbria|merseyside|rutland|fife|powys|gwent|gwynedd|dyfed|clwyd)$|^(?:west|greater|county|co\.?|tyne|isle|north|south|east) (?:midlands|manchester|london|durham|down|antrim|armagh|tyrone|and wear|of wight|glamorgan|lothian|.*shire)$/i;

/** No postcode anywhere: the last line is the town, if there is a street above it. */
function takeBareTown(lines: readonly string[], address: ReadAddress): string[] {
  const street = lines.findLastIndex((line) => /\d/.test(line));
  if (address.city !== '' || lines.length < 3 || street === lines.length - 1) return [...lines];
  address.city = lines.at(-1) ?? '';
  return lines.slice(0, -1);
}

type Postcode = { readonly taken: Partial<ReadAddress>; readonly town: string };

/** The postcode of a line, and what is left of the line; undefined when it has none. */
function takePostcode(line: string, { country_code: country, postcode }: ReadAddress): Postcode | undefined {
  if (postcode !== '') return undefined;
  const british = BRITISH.exec(line);
  if (british !== null && (country === '' || ['GB', 'JE', 'GG', 'IM'].includes(country))) {
    const code = `${british[1] ?? british[3] ?? ''} ${british[2] ?? british[4] ?? ''}`.toUpperCase();
    const crown = /^(JE|GY|IM)\d/.exec(code)?.[1];
    const own = crown === undefined ? 'GB' : crown === 'GY' ? 'GG' : crown;
    return {
      taken: { postcode: code, country_code: country === '' ? own : country },
      town: tidy(line.replace(british[0], '')),
    };
  }
  const canadian = CANADIAN.exec(line);
  if (canadian !== null && (country === '' || country === 'CA')) {
    const town = tidy(line.replace(canadian[0], ''));
    const [, city = town, province = ''] = /^(.*?)[, ]+([A-Z]{2})$/u.exec(town) ?? [];
    const code = `${canadian[1] ?? ''} ${canadian[2] ?? ''}`.toUpperCase();
    return { taken: { postcode: code, country_code: 'CA', county: province }, town: tidy(city) };
  }
  const state = AMERICAN.exec(line);
  if (state !== null && STATES.has(state[2] ?? '') && (country === '' || country === 'US')) {
    const [, city = '', county = '', zip = ''] = state;
    return { taken: { postcode: zip, county, country_code: 'US' }, town: tidy(city) };
  }
  const australian = AUSTRALIAN.exec(line);
  if (australian !== null && (country === '' || country === 'AU')) {
    const [, city = '', county = '', code = ''] = australian;
    return { taken: { postcode: code, county, country_code: 'AU' }, town: tidy(city) };
  }
  const dutch = DUTCH.exec(line);
  if (dutch !== null && (country === '' || country === 'NL')) {
    return { taken: { postcode: dutch[1] ?? '', country_code: 'NL' }, town: tidy(dutch[2] ?? '') };
  }
  if (['GB', 'US', 'CA'].includes(country)) {
    return country === 'US' ? aloneIn(line) : undefined;
  }
  return elsewhere(line, country);
}

/** A postcode of digits counts only where a country is known: a house number looks the same. */
function elsewhere(line: string, country: string): Postcode | undefined {
  if (country === '') return undefined;
  const before = BEFORE_TOWN.exec(line);
  if (before !== null) return { taken: { postcode: before[1] ?? '' }, town: tidy(before[2] ?? '') };
  const behind = BEHIND_TOWN.exec(line);
  // `Hauptstraße 1234` is a street; a postcode behind a town is usual in a few countries.
  if (behind !== null && ['NZ', 'AU', 'IN', 'ZA', 'SG', 'JP', 'IE'].includes(country)) {
    return { taken: { postcode: behind[2] ?? '' }, town: tidy(behind[1] ?? '') };
  }
  return aloneIn(line);
}

function aloneIn(line: string): Postcode | undefined {
  const alone = ALONE.exec(line)?.[1];
  return alone === undefined ? undefined : { taken: { postcode: alone }, town: '' };
}

const COMPANY =
  /\b(?:ltd|limited|llp|plc|inc|gmbh|bv|b\.v\.|s\.?a\.?r\.?l|llc|corp|co\.|company|studio|university|school)\b\.?/i;

/** The lines above the town: who, perhaps a company, and the street. */
function placeLines(lines: readonly string[], address: ReadAddress): void {
  const left = [...lines];
  if (address.contact_name === '' && left.length > 1 && !/^\d/.test(left[0] ?? '')) {
    address.contact_name = left.shift() ?? '';
  }
  const company = left.findIndex((line, index) => index < left.length - 1 && COMPANY.test(line) && !/^\d/.test(line));
  if (address.company_name === '' && company >= 0) address.company_name = left.splice(company, 1)[0] ?? '';
  if (address.line1 === '') address.line1 = left.shift() ?? '';
  const more = left.join(', ');
  if (more !== '') address.line2 = address.line2 === '' ? more : `${address.line2}, ${more}`;
}
