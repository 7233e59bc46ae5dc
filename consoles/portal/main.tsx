import {
  IconBell,
  IconBuilding,
  IconCode,
  IconFileSpreadsheet,
  IconFlag,
  IconHome,
  IconInbox,
  IconPackages,
  IconPlugConnected,
  IconShieldLock,
  IconShirt,
  IconShoppingCartPlus,
  IconTag,
  IconTypography,
  IconUsers,
  IconWallet,
} from '@tabler/icons-react';
import { lazy, Suspense } from 'react';
import { Route, Switch, useLocation } from 'wouter';
import { Commands } from '../shared/commands/commands.tsx';
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
const ProblemsPage = lazy(async () => ({ default: (await import('./problems/page.tsx')).ProblemsPage }));
const ShopOrdersPage = lazy(async () => ({ default: (await import('./shop-orders/page.tsx')).ShopOrdersPage }));
const ShopsPage = lazy(async () => ({ default: (await import('./shops/page.tsx')).ShopsPage }));
const ShopPage = lazy(async () => ({ default: (await import('./shops/shop.tsx')).ShopPage }));
const OrderPage = lazy(async () => ({ default: (await import('./order/page.tsx')).OrderPage }));
const CompanyPage = lazy(async () => ({ default: (await import('./company/page.tsx')).CompanyPage }));
const MoneyPage = lazy(async () => ({ default: (await import('./money/page.tsx')).MoneyPage }));
const MethodSavedPage = lazy(async () => ({ default: (await import('./money/saved.tsx')).MethodSavedPage }));
const MoneyReturnPage = lazy(async () => ({ default: (await import('./money/return.tsx')).MoneyReturnPage }));
const NotificationsPage = lazy(async () => ({ default: (await import('./notifications/page.tsx')).NotificationsPage }));
const TeamPage = lazy(async () => ({ default: (await import('./team/page.tsx')).TeamPage }));
const DevelopersPage = lazy(async () => ({ default: (await import('./developers/page.tsx')).DevelopersPage }));
const BrandsPage = lazy(async () => ({ default: (await import('./brands/page.tsx')).BrandsPage }));
const BrandPage = lazy(async () => ({ default: (await import('./brands/brand.tsx')).BrandPage }));
const NewBrandPage = lazy(async () => ({ default: (await import('./brands/brand.tsx')).NewBrandPage }));
const NewOrderPage = lazy(async () => ({ default: (await import('./new-order/page.tsx')).NewOrderPage }));
const OrderFilesPage = lazy(async () => ({ default: (await import('./order-file/page.tsx')).OrderFilesPage }));
const OrderFilePage = lazy(async () => ({ default: (await import('./order-file/file.tsx')).OrderFilePage }));
const TemplatesPage = lazy(async () => ({ default: (await import('./templates/page.tsx')).TemplatesPage }));
const TemplatePage = lazy(async () => ({ default: (await import('./template/page.tsx')).TemplatePage }));
const ProductsPage = lazy(async () => ({ default: (await import('./products/page.tsx')).ProductsPage }));
const ProductPage = lazy(async () => ({ default: (await import('./product/page.tsx')).ProductPage }));
const NewProductPage = lazy(async () => ({ default: (await import('./product/page.tsx')).NewProductPage }));
const SecurityPage = lazy(async () => ({ default: (await import('./security/page.tsx')).SecurityPage }));

type Role = ReturnType<typeof useSession>['session']['user']['role'];

/** `isFor`: whose pages it is left out of; the server refuses others anyway. */
const DESTINATIONS: readonly (Destination & { readonly isFor?: (role: Role) => boolean })[] = [
  { path: '/', label: 'Home', icon: IconHome, key: 'h' },
  { path: '/orders', label: 'Orders', icon: IconPackages, key: 'o' },
  { path: '/new-order', label: 'New order', icon: IconShoppingCartPlus, key: 'n', isFor: (role) => role !== 'reader' },
  { path: '/order-file', label: 'Orders from a file', icon: IconFileSpreadsheet, key: 'f' },
  { path: '/shop-orders', label: 'Shop orders', icon: IconInbox, key: 'a' },
  { path: '/problems', label: 'Problems', icon: IconFlag, key: 'r' },
  { path: '/products', label: 'Products', icon: IconShirt, key: 'p' },
  { path: '/templates', label: 'Personalised', icon: IconTypography, key: 'e' },
  { path: '/brands', label: 'Brands', icon: IconTag, key: 'l' },
  { path: '/money', label: 'Money', icon: IconWallet, key: 'b' },
  { path: '/shops', label: 'Connected shops', icon: IconPlugConnected, key: 'i' },
  { path: '/team', label: 'Team', icon: IconUsers, key: 't', isFor: (role) => role === 'owner' || role === 'manager' },
  { path: '/company', label: 'Company', icon: IconBuilding, key: 'c' },
  { path: '/developers', label: 'Developers', icon: IconCode, key: 'd', isFor: (role) => role !== 'orders' },
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

/** A reference or an id of ours, whole; numbers of the account's own may begin like one. */
const OURS = /^(PF-[2-9A-HJKMNP-TV-Z]{8}|ord_[0-7][0-9a-hjkmnp-tv-z]{25})$/i;

function Portal() {
  const [, navigate] = useLocation();
  const { role } = useSession().session.user;
  const destinations = DESTINATIONS.filter(({ isFor }) => isFor === undefined || isFor(role));
  const find = (text: string): void => {
    navigate(OURS.test(text) ? `/orders/${encodeURIComponent(text)}` : `/orders?number=${encodeURIComponent(text)}`);
  };
  return (
    <Shell name="Portal" destinations={destinations} search={{ label: 'Find an order by its number', find }}>
      <Commands />
      <Suspense fallback={null}>
        <Switch>
          <Route path="/" component={HomePage} />
          <Route path="/orders" component={OrdersPage} />
          <Route path="/orders/:name">{({ name }) => <OrderPage key={name} name={name} />}</Route>
          <Route path="/problems" component={ProblemsPage} />
          <Route path="/shop-orders" component={ShopOrdersPage} />
          <Route path="/shops" component={ShopsPage} />
          <Route path="/shops/:id">{({ id }) => <ShopPage key={id} id={id} />}</Route>
          <Route path="/money" component={MoneyPage} />
          <Route path="/money/return" component={MoneyReturnPage} />
          <Route path="/money/saved" component={MethodSavedPage} />
          <Route path="/company" component={CompanyPage} />
          <Route path="/notifications" component={NotificationsPage} />
          <Route path="/team" component={TeamPage} />
          <Route path="/products" component={ProductsPage} />
          <Route path="/products/new" component={NewProductPage} />
          <Route path="/products/:id">{({ id }) => <ProductPage key={id} id={id} />}</Route>
          <Route path="/brands" component={BrandsPage} />
          <Route path="/brands/new" component={NewBrandPage} />
          <Route path="/brands/:id">{({ id }) => <BrandPage key={id} id={id} />}</Route>
          <Route path="/new-order" component={NewOrderPage} />
          <Route path="/order-file" component={OrderFilesPage} />
          <Route path="/order-file/:id">{({ id }) => <OrderFilePage key={id} id={id} />}</Route>
          <Route path="/developers/*?" component={DevelopersPage} />
          <Route path="/templates" component={TemplatesPage} />
          <Route path="/templates/:id">{({ id }) => <TemplatePage key={id} id={id} />}</Route>
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
