import type { ReactNode } from 'react';
import { Link, useLocation } from 'wouter';
import { Page } from '../../shared/layout/page.tsx';
import { useSession } from '../../shared/session/session.tsx';

const TABS = [
  { path: '/developers', label: 'Quick start', isForManagers: false },
  { path: '/developers/webhooks', label: 'Webhooks', isForManagers: false },
  { path: '/developers/events', label: 'Events', isForManagers: false },
  { path: '/developers/requests', label: 'Requests', isForManagers: false },
  { path: '/developers/tokens', label: 'Tokens', isForManagers: true },
  { path: '/developers/apps', label: 'Apps', isForManagers: true },
] as const;

/** A page of the developers' corner, below its tabs. What the server refuses to a role anyway is left out of them. */
export function Corner({ title, aside, children }: { title: string; aside?: ReactNode; children: ReactNode }) {
  const [location] = useLocation();
  const isManager = useIsManager();
  const isAt = (path: string): boolean =>
    location === path || (path !== '/developers' && location.startsWith(`${path}/`));
  return (
    <Page title={title} aside={aside}>
      <nav className="platen-tabs" aria-label="Developers">
        {TABS.filter(({ isForManagers }) => isManager || !isForManagers).map(({ path, label }) => (
          <Link key={path} href={path} aria-current={isAt(path) ? 'page' : undefined}>
            {label}
          </Link>
        ))}
      </nav>
      {children}
    </Page>
  );
}

/** Whether the person manages the account: sees its tokens and apps, and changes its webhooks. */
export function useIsManager(): boolean {
  const { role } = useSession().session.user;
  return role === 'owner' || role === 'manager';
}
