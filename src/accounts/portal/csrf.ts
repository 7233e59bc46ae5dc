import type { Context } from '../../lib/context.ts';
import type { Uuid } from '../../lib/ids.ts';

/**
 * The token that a page of ours sends with each change, and a page of another site cannot know.
 * It is derived from the session with our key, and stored nowhere.
 */
export function csrfToken({ secrets }: Pick<Context, 'secrets'>, sessionId: Uuid): string {
  return secrets.sign(textOf(sessionId));
}

/** Whether a text is that token, by the present key or an earlier one. */
export function isCsrfToken({ secrets }: Pick<Context, 'secrets'>, sessionId: Uuid, text: string): boolean {
  return secrets.verify(textOf(sessionId), text);
}

function textOf(sessionId: Uuid): string {
  return `portal csrf ${sessionId}`;
}
