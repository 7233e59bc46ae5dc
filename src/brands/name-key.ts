/** The name of a brand as two are compared: case, and how many blanks there are, make no difference. */
export function nameKeyOf(name: string): string {
  return name.normalize('NFC').trim().replaceAll(/\s+/g, ' ').toLowerCase();
}
