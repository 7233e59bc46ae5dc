import { readFileSync } from 'node:fs';
import { plainPageHtml } from './plain-page.ts';

/** A page that leads through a task: where it is served, and the document that it is made of. */
export type WalkThrough = { readonly url: string; readonly file: string; readonly text: string };

export const WALK_THROUGHS: readonly WalkThrough[] = [
  { url: '/docs/local-artwork', file: 'walk-through-artwork.md', text: 'Artwork from a folder of this machine' },
  { url: '/docs/oauth', file: 'walk-through-oauth.md', text: 'OAuth by curl' },
  { url: '/docs/first-webhook', file: 'walk-through-webhook.md', text: 'The first webhook' },
  { url: '/docs/channels', file: 'walk-through-shop.md', text: 'Connect a shop' },
];

const FOLDER = new URL('../../../docs/', import.meta.url);

/**
 * Writes a walk-through as HTML.
 * A link to another walk-through leads to its page; one to any other file of the repository is text.
 */
export async function walkThroughHtml({ file, text }: WalkThrough): Promise<string> {
  // Loaded with the first page that is asked for: few processes serve one.
  const { Marked } = await import('marked');
  const marked = new Marked({
    renderer: {
      link({ href, tokens }) {
        const inner = this.parser.parseInline(tokens);
        const url = WALK_THROUGHS.find((other) => other.file === href)?.url;
        return url === undefined ? inner : `<a href="${url}">${inner}</a>`;
      },
    },
  });
  const body = marked.parse(readFileSync(new URL(file, FOLDER), 'utf8'), { async: false });
  return plainPageHtml({ title: `${text} – Platen`, navigation: [['/docs', 'API reference']], body });
}
