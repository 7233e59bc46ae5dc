import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useSearchParams } from 'wouter';
import { reading } from '../../shared/api/queries.ts';
import { Entry } from '../../shared/layout/entry.tsx';
import { SignInForm } from '../../shared/session/sign-in-form.tsx';

/** Where a person signs in, and goes on to the page that they wanted. */
export function SignInPage() {
  const [params] = useSearchParams();
  const { data: entrance } = useQuery(reading('getEntrance', {}));
  const below = entrance && (
    <>
      {entrance.password_reset ? <Link href="/forgotten">Forgotten your password?</Link> : null}
      {entrance.sign_up === 'closed' ? null : <Link href="/sign-up">Open an account</Link>}
    </>
  );
  return (
    <Entry title="Sign in" below={below}>
      <Text c="dimmed" size="sm" mb="lg">
        Platen portal
      </Text>
      <SignInForm onSignedIn={() => location.assign(pathOf(params.get('next')))} />
    </Entry>
  );
}

/** Only a page of the portal: an address from a link must not lead elsewhere with a fresh session. */
function pathOf(next: string | null): string {
  if (next === null) return '/portal';
  const url = URL.canParse(next, location.origin) ? new URL(next, location.origin) : undefined;
  const isOurs = url?.origin === location.origin && /^\/portal(\/|$)/.test(url.pathname);
  return isOurs && !url.pathname.startsWith('/portal/sign-in') ? url.pathname + url.search : '/portal';
}
