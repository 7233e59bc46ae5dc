import { createHash } from 'node:crypto';

/** A page that needs no script. `body` is HTML; `navigation` links to other pages of the service. */
export type PlainPage = {
  readonly title: string;
  readonly navigation?: readonly (readonly [url: string, text: string])[];
  readonly body: string;
};

const STYLE =
  ':root{color-scheme:light dark}body{font:1rem/1.5 system-ui,sans-serif;max-width:46rem;margin:2rem auto;padding:0 1rem}' +
  'code{font-family:ui-monospace,monospace}h2{margin-top:2.5rem}h3{margin:2rem 0 .5rem}:target{outline:2px solid;outline-offset:.4rem}' +
  'pre{border:1px solid;overflow-x:auto;padding:.75rem}:focus-visible{outline:3px solid;outline-offset:2px}' +
  'dt{font-weight:600}dd{margin:0 0 .5rem}table{border-collapse:collapse;width:100%;margin:1rem 0}caption{text-align:left;font-weight:600}' +
  'th,td{text-align:left;vertical-align:top;padding:.3rem .8rem .3rem 0;border-bottom:1px solid}';

/** What a browser may load for a plain page: its own style, and nothing from anywhere. */
export const PLAIN_PAGE_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': [
    "default-src 'none'",
    'img-src data:',
    `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
};

/** Writes a plain page as HTML. */
export function plainPageHtml({ title, navigation = [], body }: PlainPage): string {
  const links = navigation.map(([url, text]) => `<a href="${url}">${text}</a>`).join(' · ');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="data:,">
<style>${STYLE}</style>
</head>
<body>
${links === '' ? '' : `<nav>${links}</nav>\n`}<main>
${body}
</main>
</body>
</html>
`;
}
