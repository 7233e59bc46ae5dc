/** Beginnings of JSON that are tried: a warning may have brackets of its own. */
const BEGINNINGS_MAX = 50;
/** How often an answer of some megabytes is gone through at the most. */
const PASSES_MAX = 4;

/**
 * The JSON in an answer of a shop; undefined for an answer without any, and for a page for people.
 * Plug-ins print warnings, pages of debugging and byte order marks before the JSON and after it. What is between is the
 * largest value that can be read; a page has scripts with values of their own, and is never looked through. Pure.
 */
export function jsonWithin(text: string): unknown {
  const whole = parsed(text);
  if (whole !== undefined || isPage(text)) return whole;
  let best: { readonly value: unknown; readonly length: number } = { value: undefined, length: 0 };
  let from = 0;
  let signs = 0;
  for (let tried = 0; tried < BEGINNINGS_MAX && signs < text.length * PASSES_MAX; tried += 1) {
    const at = beginningFrom(text, from);
    if (at < 0) break;
    const end = endOf(text, at);
    signs += (end < 0 ? text.length : end) - at;
    const value = end < 0 || isWithinOther(text, at) ? undefined : parsed(text.slice(at, end));
    if (value !== undefined && end - at > best.length) best = { value, length: end - at };
    from = value === undefined ? at + 1 : end;
  }
  return best.value;
}

/** Whether a text is a page of a site, and not a warning with some marks of HTML. Pure. */
export function isPage(text: string): boolean {
  const [beginning = ''] = text.slice(0, 1_000).split('{', 1);
  return /<(!doctype|html|head|body)\b/i.test(beginning);
}

/** Whether what begins at a place is a part of JSON that has no end, since the answer was cut off. */
function isWithinOther(text: string, at: number): boolean {
  return /[[{:,]\s*$/.test(text.slice(Math.max(at - 200, 0), at));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function beginningFrom(text: string, from: number): number {
  const places = [text.indexOf('{', from), text.indexOf('[', from)].filter((place) => place >= 0);
  return places.length === 0 ? -1 : Math.min(...places);
}

/** Behind the bracket that closes the one at a place; -1 without one. */
function endOf(text: string, at: number): number {
  let depth = 0;
  let isText = false;
  for (let place = at; place < text.length; place += 1) {
    const sign = text[place];
    if (isText) {
      if (sign === '\\') place += 1;
      else if (sign === '"') isText = false;
    } else if (sign === '"') isText = true;
    else if (sign === '{' || sign === '[') depth += 1;
    else if (sign === '}' || sign === ']') {
      depth -= 1;
      if (depth === 0) return place + 1;
    }
  }
  return -1;
}
