import { useQuery, useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useEffect } from 'react';
import { call } from '../api/client.ts';
import { isRefusedWith } from '../api/failures.ts';
import { sessionQuery } from '../api/queries.ts';
import { Answer } from '../states/answer.tsx';
import { PasswordAgain, SignInAgain } from './ask-again.tsx';
import type { Session } from './sign-in-form.tsx';

const SessionContext = createContext<{ session: Session; signOut: () => void } | undefined>(undefined);

/** Who is signed in, and how they leave. Only below `SignedIn`. */
export function useSession(): { readonly session: Session; readonly signOut: () => void } {
  const value = useContext(SessionContext);
  if (value === undefined) throw new Error('a page without a session');
  return value;
}

/** Other tabs of this browser hear of a sign-out. */
const TABS = 'platen-session';

/**
 * Shows its children to a person who is signed in, and sends anyone else to the sign-in page.
 * When the session ends meanwhile, it asks for the password on the spot: what was typed stays, and what was sent is
 * sent again.
 */
export function SignedIn({ signInPath, children }: { signInPath: string; children: ReactNode }) {
  const queries = useQueryClient();
  const query = useQuery(sessionQuery);
  const isOut = isRefusedWith(query.error, 'unauthorized') && query.data === undefined;
  const leave = (): void => leaveFor(signInPath);
  useEffect(() => {
    if (isOut) leaveFor(`${signInPath}?next=${encodeURIComponent(location.pathname + location.search)}`);
  }, [isOut, signInPath]);
  useEffect(() => {
    const tabs = new BroadcastChannel(TABS);
    tabs.onmessage = () => leaveFor(signInPath);
    return () => tabs.close();
  }, [signInPath]);
  const signOut = async (): Promise<void> => {
    // A session that is over is signed out already.
    await call('signOut', {}).catch(() => undefined);
    const tabs = new BroadcastChannel(TABS);
    tabs.postMessage('signed out');
    tabs.close();
    leave();
  };
  if (isOut) return null;
  return (
    <Answer query={query}>
      {(session) => (
        <SessionContext.Provider value={{ session, signOut: () => void signOut() }}>
          {children}
          <SignInAgain
            email={session.user.email}
            onSignedIn={(again) => queries.setQueryData(sessionQuery.queryKey, again)}
            onGivenUp={leave}
          />
          <PasswordAgain onGiven={(again) => queries.setQueryData(sessionQuery.queryKey, again)} />
        </SessionContext.Provider>
      )}
    </Answer>
  );
}

/** Loads the page anew: nothing of the person before stays in memory. */
function leaveFor(address: string): void {
  location.assign(address);
}
