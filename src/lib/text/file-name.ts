/** Names are cut to this length, which every file system takes. */
const NAME_MAX = 200;

/**
 * A name that every file system and every header takes.
 * Letters, digits, dot, dash and underscore stay; anything else becomes a dash.
 */
export function safeFileName(text: string): string {
  return text
    .replaceAll(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^\.+/, '')
    .slice(0, NAME_MAX);
}

/** Whether a text is a name as `safeFileName` makes them. */
export function isSafeFileName(text: string): boolean {
  return text !== '' && safeFileName(text) === text;
}

/** The header (RFC 6266) by which a browser shows a file, and saves it under its name. */
export function namedAs(fileName: string): { readonly 'content-disposition': string } {
  return { 'content-disposition': `inline; filename="${safeFileName(fileName)}"` };
}
