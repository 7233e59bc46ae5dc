import assert from 'node:assert/strict';
import { linkIn, type Mailbox, openMailbox } from '../../harness/mailbox.ts';
import { call } from '../../harness/portal.ts';
import { type Answer, type ErrorReply, startTestService, type TestService } from '../../harness/service.ts';

/** A service where people sign up, with what came to their mailboxes. */
export type Entrance = {
  readonly service: TestService;
  readonly mailbox: Mailbox;
  /** Signs an address up. */
  readonly ask: (email: string, changes?: object) => Promise<Answer<ErrorReply>>;
  /** Signs an address up, and returns the token of the mail. */
  readonly tokenFor: (email: string) => Promise<string>;
  /** Confirms it. */
  readonly confirm: <Body>(token: string, password?: string) => Promise<Answer<Body & Partial<ErrorReply>>>;
  readonly close: () => Promise<void>;
};

export const PASSWORD_CHOSEN = 'a password of their own';

/** Opens it; `setting` is `SIGN_UP`. */
export async function openEntrance(setting: 'approval' | 'open'): Promise<Entrance> {
  const mailbox = await openMailbox();
  const service = await startTestService({ env: { ...mailbox.env, SIGN_UP: setting, SELLER_NAME: 'Harbour Press' } });
  const post = <Body>(path: string, body: object) =>
    call<Body & Partial<ErrorReply>>(service, 'POST', `/portal/api/v1${path}`, {
      body,
      headers: { origin: service.url },
    });
  const ask = (email: string, changes: object = {}) =>
    post<ErrorReply>('/sign-ups', { email, name: 'Ada', company: 'Byron Ltd', country_code: 'GB', ...changes });
  return {
    service,
    mailbox,
    ask,
    tokenFor: async (email) => {
      const { status, text } = await ask(email);
      assert.deepEqual([status, text], [202, '']);
      return new URL(linkIn(await mailbox.mailTo(email))).hash.slice(1);
    },
    confirm: (token, password = PASSWORD_CHOSEN) => post('/sign-ups/confirm', { token, password }),
    close: async () => {
      await service.stop();
      await mailbox.close();
    },
  };
}
