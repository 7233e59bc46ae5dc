import { createHash } from 'node:crypto';
import type { Scope } from '../lib/caller.ts';
import { escapeHtml } from '../lib/text/escape-html.ts';

/** A page for a person, with the policy that it needs. */
export type HtmlPage = { readonly html: string; readonly headers: Readonly<Record<string, string>> };

const STYLE = `:root{color-scheme:light dark}
body{font:1.0625rem/1.5 system-ui,sans-serif;margin:0 auto;max-width:34rem;padding:2rem 1.25rem}
h1{font-size:1.5rem;line-height:1.25}
label{display:block;font-weight:600;margin-top:1rem}
input{box-sizing:border-box;font:inherit;min-height:2.75rem;padding:.25rem .6rem;width:100%}
button{font:inherit;margin:1.25rem .5rem 0 0;min-height:2.75rem;padding:.25rem 1.25rem}
:focus-visible{outline:3px solid;outline-offset:2px}
.alert,.live{border-inline-start:.3rem solid;padding:.25rem 0 .25rem .9rem}
code,strong{overflow-wrap:anywhere}`;

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

/** What each scope lets an app do, in words for the consent page (spec 5.3). */
const SCOPE_WORDS: Readonly<Record<Scope, string>> = {
  'orders:read': 'see orders, prices, invoices, events and webhooks, and the balance of the account',
  'orders:write': 'place and cancel orders, which are charged to the account, and change webhooks',
  'products:read': 'see products, the catalogue and stock',
  'products:write': 'create, change and archive products',
  'tax:read': 'ask for tax rates',
  'shipping:read': 'ask for shipping rates',
};

/** The form of a page. Where it is sent, the proof that it is ours, and where the app's own address is. */
export type PageForm = { readonly action: string; readonly proof: string; readonly redirectUri: string };

/** The app that asks: its name, and the account that registered it. */
export type PageClient = { readonly name: string; readonly registeredBy: string };

/**
 * The page where a person signs in.
 * `alert` says why an attempt was refused. The e-mail address is kept, the password is not. `needsCode` asks for the
 * code of a second factor.
 */
export function signInPage(input: {
  form: PageForm;
  client: PageClient;
  email: string;
  alert: string | undefined;
  needsCode: boolean;
}): HtmlPage {
  const { form, client, email, alert, needsCode } = input;
  const described = alert === undefined ? '' : ' aria-describedby="alert"';
  const body = `<h1>Sign in to Platen</h1>
<p><strong>${escapeHtml(client.name)}</strong>, registered by <strong>${escapeHtml(client.registeredBy)}</strong>, asks to use your
account. You decide on the next page.</p>
${alert === undefined ? '' : `<p class="alert" id="alert" role="alert">${escapeHtml(alert)}</p>`}
${openForm(form)}
<label for="email">Email address</label>
<input id="email" name="email" type="email" autocomplete="username" required value="${escapeHtml(email)}"${described}>
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required${described}>
${needsCode ? CODE_FIELD : ''}<button name="action" value="sign_in">Sign in</button>
<button name="action" value="deny" formnovalidate>Cancel</button>
</form>`;
  return page(alert === undefined ? 'Sign in' : 'Sign in: refused', body, form.redirectUri);
}

const CODE_FIELD = `<label for="code">Code of your app, or a recovery code</label>
<input id="code" name="code" autocomplete="one-time-code" required>
`;

/**
 * The page where a signed-in person allows or refuses what an app asks for.
 * It offers `scopes`, and names those that their role withholds. With nothing to offer it cannot be allowed.
 */
export function consentPage(input: {
  form: PageForm;
  client: PageClient;
  user: { readonly email: string; readonly accountName: string };
  scopes: readonly Scope[];
  withheld: readonly Scope[];
}): HtmlPage {
  const { form, client, user, scopes, withheld } = input;
  const offer = `<p>It asks to:</p>
${scopeList(scopes)}
<p class="live"><strong>Every token is live.</strong> There is no test mode: an order that the app places is charged to
your account, made and shipped.</p>`;
  const beyond = `<p>${scopes.length === 0 ? 'It asks for nothing that you can allow' : 'It asks for more, which it does not get'}:
your role in the account does not let you</p>
${scopeList(withheld)}
<p>An owner of the account can change your role, or allow the app.</p>`;
  const body = `<h1>Allow ${escapeHtml(client.name)} to use your account?</h1>
<p>You are signed in as <strong>${escapeHtml(user.email)}</strong>, for the account <strong>${escapeHtml(user.accountName)}</strong>.
The app was registered by <strong>${escapeHtml(client.registeredBy)}</strong>.</p>
${scopes.length === 0 ? '' : `${offer}\n`}${withheld.length === 0 ? '' : `${beyond}\n`}<p>Afterwards you go back to <strong>${escapeHtml(hostOf(form.redirectUri))}</strong>.</p>
${openForm(form)}
${scopes.length === 0 ? '' : '<button name="action" value="approve">Allow</button>\n'}<button name="action" value="deny">Refuse</button>
<button name="action" value="switch">Sign in as someone else</button>
</form>`;
  return page(`Allow ${client.name}?`, body, form.redirectUri);
}

function scopeList(scopes: readonly Scope[]): string {
  const items = scopes.map((scope) => `<li>${SCOPE_WORDS[scope]} (<code>${scope}</code>)</li>`);
  return `<ul>\n${items.join('\n')}\n</ul>`;
}

/** The page for a request that cannot continue, and must not be sent to an address that may be wrong. */
export function errorPage(input: { title: string; text: string; code?: string | undefined }): HtmlPage {
  const code =
    input.code === undefined ? '' : `\n<p>For the app's developer: <code>${escapeHtml(input.code)}</code></p>`;
  return page(input.title, `<h1>${escapeHtml(input.title)}</h1>\n<p>${escapeHtml(input.text)}</p>${code}`, undefined);
}

function openForm({ action, proof }: PageForm): string {
  return `<form method="post" action="${escapeHtml(action)}">\n<input type="hidden" name="proof" value="${escapeHtml(proof)}">`;
}

function page(title: string, body: string, redirectUri: string | undefined): HtmlPage {
  const html = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} – Platen</title>
<style>${STYLE}</style>
</head>
<body>
<main>
${body}
</main>
</body>
</html>
`;
  const policy = [
    "default-src 'none'",
    `style-src 'sha256-${STYLE_HASH}'`,
    `form-action 'self'${redirectUri === undefined ? '' : ` ${formTarget(redirectUri)}`}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ];
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policy.join('; '),
  };
  return { html, headers };
}

/** A browser also checks where a form's answer redirects to, so the app's origin is allowed. */
function formTarget(redirectUri: string): string {
  const { origin, protocol, hostname } = new URL(redirectUri);
  // The policy's grammar has no IPv6 addresses.
  return hostname.startsWith('[') ? protocol : origin;
}

function hostOf(redirectUri: string): string {
  return new URL(redirectUri).host;
}
