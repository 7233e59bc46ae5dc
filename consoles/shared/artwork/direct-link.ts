/** What a person pasted as the address of a picture, as the service can fetch it. */
export type DirectLink =
  | { readonly kind: 'unchanged'; readonly url: string }
  | { readonly kind: 'direct'; readonly url: string; readonly from: 'Google Drive' | 'Dropbox' }
  /** It can never be a picture; `why` says what to do. */
  | { readonly kind: 'wrong'; readonly url: string; readonly why: string };

/**
 * Turns a share link of Google Drive or Dropbox into the address of the file itself.
 * A share link shows a page about the file, which is no picture. Other addresses stay as they are; whether one can be
 * fetched is the service's decision.
 */
export function directLink(pasted: string): DirectLink {
  const text = pasted.trim();
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) return { kind: 'unchanged', url: text };
  const host = url.hostname.replace(/^www\./, '');
  if (host === 'drive.google.com' || host === 'docs.google.com') return ofDrive(url, text);
  if (host === 'dropbox.com') return ofDropbox(url, text);
  return { kind: 'unchanged', url: text };
}

/** Ids of files are letters, digits, `-` and `_`. */
const DRIVE_ID = /^[\w-]{10,200}$/;

function ofDrive(url: URL, text: string): DirectLink {
  if (/^\/(?:drive\/(?:u\/\d+\/)?folders|embeddedfolderview)/.test(url.pathname)) {
    return { kind: 'wrong', url: text, why: 'This is a folder of Google Drive. Share the picture itself.' };
  }
  if (/^\/(?:document|spreadsheets|presentation)\//.test(url.pathname)) {
    return { kind: 'wrong', url: text, why: 'This is a document of Google. Share the picture itself.' };
  }
  const id = /^\/(?:u\/\d+\/)?file\/(?:u\/\d+\/)?d\/([^/]+)/.exec(url.pathname)?.[1] ?? url.searchParams.get('id');
  if (id === null || !DRIVE_ID.test(id)) return { kind: 'unchanged', url: text };
  const direct = new URL('https://drive.usercontent.google.com/download');
  direct.searchParams.set('id', id);
  direct.searchParams.set('export', 'download');
  // Files that were shared before 2021 need this key beside their id.
  const key = url.searchParams.get('resourcekey');
  if (key !== null) direct.searchParams.set('resourcekey', key);
  return { kind: 'direct', url: direct.href, from: 'Google Drive' };
}

function ofDropbox(url: URL, text: string): DirectLink {
  if (/^\/(?:scl\/fo|sh)\//.test(url.pathname)) {
    return { kind: 'wrong', url: text, why: 'This is a folder of Dropbox. Share the picture itself.' };
  }
  if (!/^\/(?:scl\/fi|s)\//.test(url.pathname)) return { kind: 'unchanged', url: text };
  const direct = new URL(url);
  direct.protocol = 'https:';
  direct.hash = '';
  direct.searchParams.delete('raw');
  direct.searchParams.set('dl', '1');
  return direct.href === text
    ? { kind: 'unchanged', url: text }
    : { kind: 'direct', url: direct.href, from: 'Dropbox' };
}
