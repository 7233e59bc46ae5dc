/** `left_sleeve` as a person writes it; a method of three letters is an abbreviation. */
export function wordsOf(code: string): string {
  return code.length === 3 ? code.toUpperCase() : code.replaceAll('_', ' ');
}
