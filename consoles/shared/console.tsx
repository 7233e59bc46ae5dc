import { localStorageColorSchemeManager, MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { Component, type ReactNode, StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Router } from 'wouter';
import { createQueries } from './api/queries.ts';
import { goBy } from './layout/way.ts';
import { Failure } from './states/failure.tsx';
import { Notices } from './states/notify.tsx';
import './styles.ts';
import { theme, variables } from './theme.ts';

/** The nonce of this page: only styles that carry it are applied. */
const nonce = document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.nonce ?? '';
const schemes = localStorageColorSchemeManager({ key: 'platen-colours' });

/** Draws a console whose addresses begin with `base`. */
export function startConsole(base: string, content: ReactNode): void {
  // The library of dialogs that locks scrolling reads it from here.
  Object.assign(globalThis, { __webpack_nonce__: nonce });
  const root = document.querySelector('#app');
  if (root === null) throw new Error('the page has no place for the console');
  createRoot(root).render(
    <StrictMode>
      <MantineProvider
        theme={theme}
        cssVariablesResolver={variables}
        defaultColorScheme="auto"
        colorSchemeManager={schemes}
        getStyleNonce={() => nonce}
      >
        <QueryClientProvider client={createQueries()}>
          <Notices />
          <Guard>
            <Router base={base} aroundNav={goBy}>
              {content}
            </Router>
          </Guard>
        </QueryClientProvider>
      </MantineProvider>
    </StrictMode>,
  );
}

/** Says that a page has failed, in place of an empty one. */
class Guard extends Component<{ children: ReactNode }, { error: Error | undefined }> {
  override state: { error: Error | undefined } = { error: undefined };

  static getDerivedStateFromError(error: unknown): { error: Error } {
    return { error: error instanceof Error ? error : new Error(String(error)) };
  }

  override render(): ReactNode {
    const { error } = this.state;
    return error === undefined ? this.props.children : <Failure error={error} onRetry={() => location.reload()} />;
  }
}
