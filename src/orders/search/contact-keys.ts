/** The longest key of a phone number; no number is longer. */
const DIGITS_MAX = 20;
const EMAIL_KEY_MAX = 254;

/**
 * The normal form of a phone number:
 * its digits, without the zeros before them and the code of the United Kingdom. `+44 7700 900123`, `0044 (0)7700
 * 900123` and `07700 900123` are one number. `""` where there is no digit.
 */
export function phoneKey(phone: string): string {
  const plain = phone.normalize('NFKC').replaceAll('(0)', '').replaceAll(/\D/g, '').replace(/^0+/, '');
  const national = plain.length > 9 ? plain.replace(/^440?/, '') : plain;
  return national.slice(0, DIGITS_MAX);
}

/**
 * The normal form of an e-mail address:
 * without white space, in small letters. `""` where there is none.
 */
export function emailKey(email: string): string {
  return email.normalize('NFKC').replaceAll(/\s/gu, '').toLowerCase().slice(0, EMAIL_KEY_MAX);
}
