import { ERROR_CODES, ERRORS, type ErrorCode } from '../../lib/error-catalogue.ts';
import { escapeHtml } from '../../lib/text/escape-html.ts';
import { type CodeMeaning, PROBLEM_GUIDE, WARNING_GUIDE } from '../../lib/validation/problem-codes.ts';
import { plainPageHtml } from './plain-page.ts';

/** A block of the page, before it is written as Markdown or HTML. Text in backquotes is code in both. */
type Block =
  | { readonly kind: 'heading'; readonly level: 1 | 2 | 3; readonly id: string; readonly text: string }
  | { readonly kind: 'paragraph'; readonly text: string }
  | { readonly kind: 'facts'; readonly rows: readonly (readonly [name: string, text: string])[] }
  | {
      readonly kind: 'table';
      readonly caption: string;
      readonly idPrefix: string;
      readonly codes: readonly CodeMeaning[];
    };

/** Writes `docs/generated/errors.md`: every error code with cause and cure, problem codes and warnings. */
export function errorsMarkdown(): string {
  return `${blocks().map(markdown).join('\n\n')}\n`;
}

/** The same page as HTML, with an anchor for each code: the target of an error's `type`. */
export function errorsPage(): string {
  return plainPageHtml({
    title: 'Errors of the Platen API',
    navigation: [['/docs', 'API reference']],
    body: blocks().map(html).join('\n'),
  });
}

function blocks(): readonly Block[] {
  return [
    { kind: 'heading', level: 1, id: 'errors', text: 'Errors' },
    {
      kind: 'paragraph',
      text: 'Every error is one flat JSON object with the members of RFC 9457 (`type`, `title`, `status`, `detail`) and ours: `code` for programs, `request_id` for support, and those that a code below names. Distinguish errors by `code`, never by their text. The status says whether a retry can help. An order with an `external_reference` can always be sent again and is never placed twice.',
    },
    { kind: 'heading', level: 2, id: 'codes', text: 'Codes' },
    ...ERROR_CODES.flatMap(codeBlocks),
    { kind: 'heading', level: 2, id: 'problems', text: 'Problems of a request' },
    {
      kind: 'paragraph',
      text: 'A `validation_failed` lists all problems in `errors`. Each entry has a `path` in the notation of the request (`items[0].quantity`, empty for the body itself), one of the codes below, a `message`, and `valid_values` where the choice is finite. More codes may be added.',
    },
    ...PROBLEM_GUIDE.map(
      ({ about, codes }) => ({ kind: 'table', caption: about, idPrefix: 'problem', codes }) as const,
    ),
    { kind: 'heading', level: 2, id: 'warnings', text: 'Warnings' },
    {
      kind: 'paragraph',
      text: 'Orders, estimates and checked artwork carry `warnings` about input that was accepted but may not be what you meant. Each has a `code`, a `path` and a `message`. More codes may be added.',
    },
    { kind: 'table', caption: 'Codes of warnings', idPrefix: 'warning', codes: WARNING_GUIDE },
  ];
}

function codeBlocks(code: ErrorCode): readonly Block[] {
  const { status, title, cause, cure, retry, extras = {} } = ERRORS[code];
  const members = Object.entries(extras).map(([name, schema]) => {
    const words = 'description' in schema ? String(schema.description) : '';
    return `\`${name}\`: ${words}`;
  });
  return [
    { kind: 'heading', level: 3, id: code, text: `\`${code}\`` },
    {
      kind: 'facts',
      rows: [
        ['Status', `${status}. ${title}.`],
        ['Cause', cause],
        ['Cure', cure],
        ['Retry', retry],
        ...(members.length === 0 ? [] : [['Also in the body', members.join(' ')] as const]),
      ],
    },
  ];
}

function markdown(block: Block): string {
  if (block.kind === 'heading') return `${'#'.repeat(block.level)} ${block.text}`;
  if (block.kind === 'paragraph') return block.text;
  if (block.kind === 'facts') return block.rows.map(([name, text]) => `- **${name}:** ${text}`).join('\n');
  const rows = block.codes.map(({ code, meaning }) => `| \`${code}\` | ${meaning} |`);
  return [`**${block.caption}**`, '', '| Code | Meaning |', '|---|---|', ...rows].join('\n');
}

function html(block: Block): string {
  if (block.kind === 'heading') return `<h${block.level} id="${block.id}">${inline(block.text)}</h${block.level}>`;
  if (block.kind === 'paragraph') return `<p>${inline(block.text)}</p>`;
  if (block.kind === 'facts') {
    const rows = block.rows.map(([name, text]) => `<dt>${name}</dt><dd>${inline(text)}</dd>`);
    return `<dl>\n${rows.join('\n')}\n</dl>`;
  }
  const rows = block.codes.map(({ code, meaning }) => {
    const head = `<th scope="row"><code>${code}</code></th>`;
    return `<tr id="${block.idPrefix}-${code}">${head}<td>${inline(meaning)}</td></tr>`;
  });
  const head = '<tr><th scope="col">Code</th><th scope="col">Meaning</th></tr>';
  const caption = `<caption>${inline(block.caption)}</caption>`;
  return `<table>\n${caption}\n<thead>${head}</thead>\n<tbody>\n${rows.join('\n')}\n</tbody>\n</table>`;
}

function inline(text: string): string {
  return escapeHtml(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>');
}
