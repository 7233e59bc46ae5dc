import { useEffect, useRef, useState } from 'react';
import { call } from '../../shared/api/client.ts';
import { Refused } from '../../shared/api/failures.ts';
import { useSettled } from '../../shared/values/settled.ts';
import { type Draft, isSameDraft, type Template } from './model.ts';

/** How long nothing must be changed before it is saved. */
const SETTLE_MS = 600;

export type Saving = {
  /** The service's last answer about the draft: its version, its problems, its pictures. */
  readonly reply: Template;
  /** Whether the draft on the page is the one that is stored. */
  readonly isSaved: boolean;
  readonly failure: Error | undefined;
  /** Whether another person has changed the draft: it must be loaded again. */
  readonly isOutdated: boolean;
  /** Saves what is not saved yet; returns what is stored then. Throws what the service refuses. */
  readonly save: () => Promise<Template>;
  /** Takes another answer of the service about this draft. */
  readonly take: (reply: Template) => void;
  /** Takes what an answer says of the product; the draft is as it was. */
  readonly takeProduct: (reply: Template) => void;
};

/**
 * Saves a draft by itself once it rests, one change after the other.
 * Nobody's work is overwritten: a change names the version that it began from, and a refused one stays on the page.
 */
export function useSaving(template: Template, draft: Draft, mayChange: boolean): Saving {
  const [reply, setReply] = useState(template);
  const [saved, setSaved] = useState(draft);
  const [failure, setFailure] = useState<Error>();
  const latest = useRef(draft);
  latest.current = draft;
  const stored = useRef({ draft, reply: template });
  const running = useRef<Promise<Template>>(undefined);
  const isOutdated = failure instanceof Refused && failure.problem.code === 'conflict';

  const take = (next: Template, sent: Draft): void => {
    stored.current = { draft: sent, reply: next };
    setReply(next);
    setSaved(sent);
    setFailure(undefined);
  };
  const saveAll = async (): Promise<Template> => {
    while (stored.current.draft !== latest.current) {
      const sent = latest.current;
      take(await saveOne(stored.current.reply, sent), sent);
    }
    return stored.current.reply;
  };
  const save = (): Promise<Template> => {
    running.current ??= saveAll()
      .catch((error: unknown) => {
        setFailure(error instanceof Error ? error : new Error(String(error)));
        throw error;
      })
      .finally(() => {
        running.current = undefined;
      });
    return running.current;
  };

  const settled = useSettled(draft, SETTLE_MS);
  const saveLatest = useRef(save);
  saveLatest.current = save;
  useEffect(() => {
    if (!mayChange || isOutdated || settled !== latest.current) return;
    // What is refused is shown, and sent again with the next change.
    saveLatest.current().catch(() => undefined);
  }, [settled, mayChange, isOutdated]);
  const isSaved = saved === draft;
  const takeProduct = ({ name, variants, offered_skus, retail_price, retail_prices }: Template): void => {
    const product = { name, variants, offered_skus, retail_price, retail_prices };
    stored.current = { ...stored.current, reply: { ...stored.current.reply, ...product } };
    setReply(stored.current.reply);
  };
  return { reply, isSaved, failure, isOutdated, save, take: (next) => take(next, stored.current.draft), takeProduct };
}

/** Saves a draft. An answer that was lost is found: the draft that is stored then is the one that was sent. */
async function saveOne({ id, version }: Template, draft: Draft): Promise<Template> {
  try {
    return await call('saveTemplate', { path: { id }, body: { version, template: draft } });
  } catch (error) {
    if (!(error instanceof Refused) || error.problem.code !== 'conflict') throw error;
    const present = await call('getTemplate', { path: { id } });
    if (present.status !== 'archived' && isSameDraft(present.template, draft)) return present;
    throw error;
  }
}
