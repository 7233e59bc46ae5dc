import type { ErrorEntry } from './error-entry.ts';

/** Errors of people who sign in. */
export const SESSION_ERRORS = {
  sign_in_refused: {
    status: 401,
    title: 'The sign-in was refused',
    cause:
      'The address, the password or the code is not right, the person is disabled, or the account is suspended; the answer does not say which. Portal only.',
    cure: 'Check the address and the password. Ask an owner of the account if it goes on.',
    retry: 'no',
    headers: ['WWW-Authenticate'],
    example: { detail: 'The address or the password is not right.' },
    api: 'portal',
  },
  second_factor_required: {
    status: 401,
    title: 'The code of the app is missing',
    cause: 'The password is right, and the person has a second factor. Portal only.',
    cure: 'Send the six digits that the app shows as `code` beside the password, or one of the recovery codes.',
    retry: 'once the state allows',
    headers: ['WWW-Authenticate'],
    example: { detail: 'Send the code of your app beside the password, or one of your recovery codes.' },
    api: 'portal',
  },
  csrf_refused: {
    status: 403,
    title: 'The request does not come from the portal',
    cause:
      'A change by a session lacks the header Origin of this service, or the header X-Platen-CSRF with the token of the session. So a page of another site cannot act for who is signed in. Also on the public API, when it is called by a session.',
    cure: 'Send both headers; csrf_token of GET /portal/api/v1/session is the token. Programs use a token of the public API, which needs neither.',
    retry: 'no',
    example: { detail: 'Send the header X-Platen-CSRF with the csrf_token of this session.' },
    api: 'portal',
  },
  proof_required: {
    status: 403,
    title: 'The password must be given again',
    cause: 'The operation needs a password that was given in the last 15 minutes. Portal only.',
    cure: 'Send the password to POST /portal/api/v1/session/proof, and then the same request again.',
    retry: 'once the state allows',
    example: { detail: 'Give your password again: POST /portal/api/v1/session/proof.' },
    api: 'portal',
  },
} satisfies Readonly<Record<string, ErrorEntry>>;
