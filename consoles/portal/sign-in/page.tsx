import { Text, Title } from '@mantine/core';
import { useEffect } from 'react';
import { useSearchParams } from 'wouter';
import { SignInForm } from '../../shared/session/sign-in-form.tsx';

/** Where a person signs in, and goes on to the page that they wanted. */
export function SignInPage() {
  const [params] = useSearchParams();
  useEffect(() => {
    document.title = 'Sign in · Platen';
  }, []);
  return (
    <div className="platen-sign-in">
      <main className="platen-panel">
        <div className="platen-panel-body">
          <Title order={1} mb={4}>
            Sign in
          </Title>
          <Text c="dimmed" size="sm" mb="lg">
            Platen portal
          </Text>
          <SignInForm onSignedIn={() => location.assign(pathOf(params.get('next')))} />
        </div>
      </main>
    </div>
  );
}

/** Only a page of the portal: an address from a link must not lead elsewhere with a fresh session. */
function pathOf(next: string | null): string {
  if (next === null) return '/portal';
  const url = URL.canParse(next, location.origin) ? new URL(next, location.origin) : undefined;
  const isOurs = url?.origin === location.origin && /^\/portal(\/|$)/.test(url.pathname);
  return isOurs && !url.pathname.startsWith('/portal/sign-in') ? url.pathname + url.search : '/portal';
}
