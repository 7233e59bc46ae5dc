import type { AroundNavHandler } from 'wouter';

/** What has its say before another page is shown; undefined while nothing would be lost. */
export const way: {
  /** Before a link or a command is followed, which `go` does. */
  ask: ((to: string, go: () => void) => void) | undefined;
  /** Once the browser has gone back or forward, and before the page follows. */
  back: ((event: PopStateEvent) => void) | undefined;
} = { ask: undefined, back: undefined };

// Before the router listens: listeners of a window are called in the order in which they came.
addEventListener('popstate', (event) => way.back?.(event));

/** Every link and command of a console goes this way. */
export const goBy: AroundNavHandler = (navigate, to, options) => {
  const go = (): void => navigate(to, options);
  if (way.ask === undefined) go();
  else way.ask(to, go);
};

/** Lets the next step pass without a question, once what was made is stored. */
export function letGo(): void {
  way.ask = undefined;
  way.back = undefined;
}
