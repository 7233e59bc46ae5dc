/**
 * Splits SQL into its statements, each with the comments above it.
 * Knows comments, quoted names, strings and bodies in dollar quotes; a body of `begin atomic` it would cut.
 */
export function statementsOf(text: string): string[] {
  const statements: string[] = [];
  let begin = 0;
  for (let at = 0; at < text.length; ) {
    const past = pastQuoted(text, at);
    if (past > at) {
      at = past;
      continue;
    }
    if (text[at] === ';') {
      statements.push(text.slice(begin, at).trim());
      begin = at + 1;
    }
    at += 1;
  }
  statements.push(text.slice(begin).trim());
  return statements.filter((statement) => withoutComments(statement) !== '');
}

/** What the words of a statement do: without its comments, with strings and bodies emptied. */
export function bareStatement(statement: string): string {
  return withoutComments(statement)
    .replaceAll(/\$(\w*)\$[\s\S]*?\$\1\$/g, "''")
    .replaceAll(/'(?:[^']|'')*'/g, "''")
    .replaceAll(/\s+/g, ' ');
}

/** The tables that statements alter, drop or give a trigger or an index: each locks its table against writers. */
export function tablesAltered(text: string): string[] {
  const code = statementsOf(text).map(bareStatement);
  return [...new Set(code.flatMap((each) => LOCKS.flatMap((pattern) => pattern.exec(each)?.[1] ?? [])))];
}

const LOCKS = [
  /^(?:alter|drop) table (?:if exists )?(?:only )?(\w+)/i,
  /^create (?:or replace )?(?:constraint )?trigger .*? on (\w+)/i,
  /^create (?:unique )?index .*? on (?:only )?(\w+)/i,
];

function withoutComments(statement: string): string {
  let code = '';
  for (let at = 0; at < statement.length; ) {
    const past = pastQuoted(statement, at);
    const isComment = statement.startsWith('--', at) || statement.startsWith('/*', at);
    code += isComment ? ' ' : statement.slice(at, Math.max(past, at + 1));
    at = Math.max(past, at + 1);
  }
  return code.trim();
}

/** The position behind the comment, string, name or body that begins here, or this position. */
function pastQuoted(text: string, at: number): number {
  const pattern = QUOTED.find((each) => {
    each.lastIndex = at;
    return each.test(text);
  });
  return pattern === undefined ? at : pattern.lastIndex;
}

const QUOTED = [
  /--[^\n]*/y,
  /\/\*[\s\S]*?\*\//y,
  /(?<![A-Za-z0-9_])[eE]'(?:[^'\\]|\\[\s\S]|'')*'/y,
  /'(?:[^']|'')*'/y,
  /"(?:[^"]|"")*"/y,
  /(?<![A-Za-z0-9_])\$(\w*)\$[\s\S]*?\$\1\$/y,
];
