import { Text } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { Confirm, type Question } from '../dialog/confirm.tsx';
import { letGo, way } from '../layout/way.ts';

type Unsaved = {
  /** Parameters of the address that name what is worked on, where the path alone does not. */
  readonly named?: readonly string[];
  /** Saves it: the person is asked only where that is refused. */
  readonly save?: () => Promise<unknown>;
};

/** While there is something unsaved, a link, a command, the browser's back and its closing ask before it is lost. */
export function KeepUnsaved({ isUnsaved, ...unsaved }: Unsaved & { readonly isUnsaved: boolean }) {
  return isUnsaved ? <Keep {...unsaved} /> : null;
}

function Keep(unsaved: Unsaved) {
  const [question, setQuestion] = useState<Question>();
  const latest = useRef(unsaved);
  latest.current = unsaved;
  useEffect(() => guard(latest, setQuestion), []);
  return (
    <Confirm question={question} onClose={() => setQuestion(undefined)}>
      <Text size="sm">What you changed here is not saved, and is lost with the page.</Text>
    </Confirm>
  );
}

/** Watches every way out of the page. Returns what ends that. */
function guard(unsaved: { readonly current: Unsaved }, setQuestion: (question: Question) => void): () => void {
  let here = new URL(location.href);
  const isElsewhere = (to: URL): boolean =>
    to.pathname !== here.pathname ||
    (unsaved.current.named ?? []).some((name) => to.searchParams.get(name) !== here.searchParams.get(name));
  const leave = (go: () => void): void => {
    letGo();
    go();
  };
  const ask = (go: () => void): void => {
    const act = async (): Promise<void> => leave(go);
    const asked = { title: 'Leave without saving?', label: 'Leave', keepLabel: 'Stay', act };
    const { save } = unsaved.current;
    if (save === undefined) setQuestion(asked);
    else
      save().then(
        () => leave(go),
        () => setQuestion(asked),
      );
  };
  const step = (to: string, go: () => void): void => {
    if (isElsewhere(new URL(to, here))) {
      ask(go);
      return;
    }
    go();
    here = new URL(location.href);
  };
  const goneBack = (event: PopStateEvent): void => {
    const there = new URL(location.href);
    if (!isElsewhere(there)) {
      here = there;
      return;
    }
    // The browser has the other address already. This one is put on top of it before anything is drawn anew, so that the
    // other is one step back, whichever way it was reached.
    event.stopImmediatePropagation();
    history.pushState(null, '', here);
    ask(() => history.back());
  };
  const close = (event: BeforeUnloadEvent): void => event.preventDefault();
  way.ask = step;
  way.back = goneBack;
  addEventListener('beforeunload', close);
  return () => {
    if (way.ask === step) letGo();
    removeEventListener('beforeunload', close);
  };
}
