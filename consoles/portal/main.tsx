import {
  IconBell,
  IconBuilding,
  IconHome,
  IconPackages,
  IconShieldLock,
  IconShoppingCartPlus,
  IconUsers,
} from '@tabler/icons-react';
import { lazy, Suspense } from 'react';
import { Route, Switch, useLocation } from 'wouter';
import { Commands } from '../shared/commands/palette.tsx';
import { startConsole } from '../shared/console.tsx';
import { Page } from '../shared/layout/page.tsx';
import { type Destination, Shell } from '../shared/layout/shell.tsx';
import { SignedIn, useSession } from '../shared/session/session.tsx';
import { Empty } from '../shared/states/answer.tsx';

// A page is loaded when it is first opened, so the pages to come do not make the others slower.
const SignInPage = lazy(async () => ({ default: (await import('./sign-in/page.tsx')).SignInPage }));
const LinkPage = lazy(async () => ({ default: (await import('./link/page.tsx')).LinkPage }));
const ForgottenPage = lazy(async () => ({ default: (await import('./forgotten/page.tsx')).ForgottenPage }));
const SignUpPage = lazy(async () => ({ default: (await import('./sign-up/page.tsx')).SignUpPage }));
const ConfirmPage = lazy(async () => ({ default: (await import('./confirm/page.tsx')).ConfirmPage }));
const HomePage = lazy(async () => ({ default: (await import('./home/page.tsx')).HomePage }));
const OrdersPage = lazy(async () => ({ default: (await import('./orders/page.tsx')).OrdersPage }));
const OrderPage = lazy(async () => ({ default: (await import('./order/page.tsx')).OrderPage }));
const CompanyPage = lazy(async () => ({ default: (await import('./company/page.tsx')).CompanyPage }));
const NotificationsPage = lazy(async () => ({ default: (await import('./notifications/page.tsx')).NotificationsPage }));
const TeamPage = lazy(async () => ({ default: (await import('./team/page.tsx')).TeamPage }));
const NewOrderPage = lazy(async () => ({ default: (await import('./new-order/page.tsx')).NewOrderPage }));
const SecurityPage = lazy(async () => ({ default: (await import('./security/page.tsx')).SecurityPage }));

type Role = ReturnType<typeof useSession>['session']['user']['role'];

/** `isFor`: whose pages it is left out of; the server refuses others anyway. */
const DESTINATIONS: readonly (Destination & { readonly isFor?: (role: Role) => boolean })[] = [
  { path: '/', label: 'Home', icon: IconHome, key: 'h' },
  { path: '/orders', label: 'Orders', icon: IconPackages, key: 'o' },
  { path: '/new-order', label: 'New order', icon: IconShoppingCartPlus, key: 'n', isFor: (role) => role !== 'reader' },
  { path: '/team', label: 'Team', icon: IconUsers, key: 't', isFor: (role) => role === 'owner' || role === 'manager' },
  { path: '/company', label: 'Company', icon: IconBuilding, key: 'c' },
  { path: '/notifications', label: 'Notifications', icon: IconBell, key: 'm' },
  { path: '/security', label: 'Security', icon: IconShieldLock, key: 's' },
];

startConsole(
  '/portal',
  <Suspense fallback={null}>
    <Switch>
      <Route path="/sign-in" component={SignInPage} />
      <Route path="/forgotten" component={ForgottenPage} />
      <Route path="/sign-up" component={SignUpPage} />
      <Route path="/confirm" component={ConfirmPage} />
      <Route path="/link" component={LinkPage} />
      <Route>
        <SignedIn signInPath="/portal/sign-in">
          <Portal />
        </SignedIn>
      </Route>
    </Switch>
  </Suspense>,
);

function Portal() {
  const [, navigate] = useLocation();
  const { role } = useSession().session.user;
  const destinations = DESTINATIONS.filter(({ isFor }) => isFor === undefined || isFor(role));
  const find = (text: string): void => {
    const isOurs = /^(PF-|ord_)/i.test(text);
    navigate(isOurs ? `/orders/${encodeURIComponent(text)}` : `/orders?number=${encodeURIComponent(text)}`);
  };
  return (
    <Shell name="Portal" destinations={destinations} search={{ label: 'Find an order by its number', find }}>
      <Commands />
      <Suspense fallback={null}>
        <Switch>
          <Route path="/" component={HomePage} />
          <Route path="/orders" component={OrdersPage} />
          <Route path="/orders/:name">{({ name }) => <OrderPage key={name} name={name} />}</Route>
          <Route path="/company" component={CompanyPage} />
          <Route path="/notifications" component={NotificationsPage} />
          <Route path="/team" component={TeamPage} />
          <Route path="/new-order" component={NewOrderPage} />
          <Route path="/security" component={SecurityPage} />
          <Route>
            <Page title="Not found">
              <Empty title="There is no page at this address." />
            </Page>
          </Route>
        </Switch>
      </Suspense>
    </Shell>
  );
}
