import { escapeHtml } from '../text/escape-html.ts';

/** What a mail says. The same is made into plain text and HTML. */
export type Message = {
  readonly subject: string;
  /** Plain sentences; each is a paragraph. */
  readonly paragraphs: readonly string[];
  /** What the reader is to do, as one link. */
  readonly action?: { readonly label: string; readonly url: string };
  /** Small print below: why this person gets it, and how it ends. */
  readonly footer: string;
};

export type Rendered = { readonly subject: string; readonly text: string; readonly html: string };

const SUBJECT_CHARACTERS_MAX = 150;

/** Writes a message as plain text and as HTML without pictures, style sheets or foreign hosts. */
export function renderMessage(message: Message): Rendered {
  const { paragraphs, action, footer } = message;
  const subject = oneLine(message.subject);
  const text = [...paragraphs, ...(action === undefined ? [] : [`${action.label}:\n${action.url}`]), `-- \n${footer}`];
  const html = [
    ...paragraphs.map((paragraph) => `<p>${escapeHtml(paragraph)}</p>`),
    ...(action === undefined ? [] : [button(action)]),
    `<p style="color:#666;font-size:13px;margin-top:32px">${escapeHtml(footer)}</p>`,
  ];
  return {
    subject,
    text: `${text.join('\n\n')}\n`,
    html: `<!doctype html><html lang="en-GB"><head><meta charset="utf-8"><title>${escapeHtml(subject)}</title></head><body style="${BODY}">${html.join('')}</body></html>`,
  };
}

const BODY =
  'font-family:system-ui,sans-serif;font-size:16px;line-height:1.5;color:#1a1a1a;max-width:560px;margin:24px auto;padding:0 16px';

function button({ label, url }: { readonly label: string; readonly url: string }): string {
  const style =
    'display:inline-block;background:#1c4ed8;color:#fff;padding:10px 18px;border-radius:6px;text-decoration:none';
  // The address stands beside it: some programs show no buttons, and a reader may want to see where it leads.
  return `<p><a href="${escapeHtml(url)}" style="${style}">${escapeHtml(label)}</a></p><p style="font-size:13px;word-break:break-all">${escapeHtml(url)}</p>`;
}

/** A name from a customer may stand in a subject: line breaks there would begin another header. */
function oneLine(text: string): string {
  const line = text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim();
  return Array.from(line).slice(0, SUBJECT_CHARACTERS_MAX).join('');
}
