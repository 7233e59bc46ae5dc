import { companyPortalRoutes } from '../accounts/company/company-portal-routes.ts';
import { entrancePortalRoutes } from '../accounts/joining/entrance-portal-routes.ts';
import { noticePortalRoutes } from '../accounts/notices/notice-portal-routes.ts';
import { ownAppPortalRoutes } from '../accounts/own-apps/app-portal-routes.ts';
import { invitationPortalRoutes, linkPortalRoutes } from '../accounts/portal/link-portal-routes.ts';
import { peoplePortalRoutes } from '../accounts/portal/people-portal-routes.ts';
import { sessionPortalRoutes, signInPortalRoutes } from '../accounts/portal/session-portal-routes.ts';
import { tokenPortalRoutes } from '../accounts/portal/token-portal-routes.ts';
import { requestPortalRoutes } from '../accounts/requests/requests-portal-routes.ts';
import { savedViewPortalRoutes } from '../accounts/saved-views/saved-view-portal-routes.ts';
import { factorPortalRoutes } from '../accounts/second-factor/factor-portal-routes.ts';
import { signInLogPortalRoutes } from '../accounts/sign-in-log/sign-in-log-portal-routes.ts';
import { dropPortalRoutes } from '../artwork/drop/drop-portal-routes.ts';
import { statementPortalRoutes } from '../billing/statement/statement-portal-routes.ts';
import { channelPortalRoutes } from '../channels/channel-portal-routes.ts';
import { channelProductRoutes } from '../channels/channel-product-routes.ts';
import { againPortalRoutes } from '../checkout/again/again-portal-routes.ts';
import { newArtworkPortalRoutes } from '../checkout/new-artwork/new-artwork-portal-routes.ts';
import { orderFilePortalRoutes } from '../checkout/order-files/order-file-portal-routes.ts';
import { tryPortalRoutes } from '../checkout/personalisation/try-portal-routes.ts';
import { documentPortalRoutes } from '../invoices/documents-portal-routes.ts';
import { monthPortalRoutes } from '../invoices/months/month-portal-routes.ts';
import { spendingPortalRoutes } from '../invoices/spending/spending-portal-routes.ts';
import type { PortalRoute } from '../lib/route.ts';
import { addressBookPortalRoutes } from '../orders/address-book/address-book-portal-routes.ts';
import { ownHistoryPortalRoutes } from '../orders/own-history/own-history-portal-routes.ts';
import { autoTopUpPortalRoutes } from '../payments/auto-top-ups/auto-top-up-portal-routes.ts';
import { lowBalancePortalRoutes } from '../payments/low-balance/low-balance-portal-routes.ts';
import { moneyPortalRoutes } from '../payments/money/money-portal-routes.ts';
import { savedMethodPortalRoutes } from '../payments/saved-method/saved-method-portal-routes.ts';
import { topUpPortalRoutes } from '../payments/top-ups/top-up-portal-routes.ts';
import { preferencePortalRoutes } from '../pricing/preferred/preference-portal-routes.ts';
import { sellingPortalRoutes } from '../pricing/selling/selling-portal-routes.ts';
import { firstPagePortalRoutes } from '../problems/first-page/first-page-portal-routes.ts';
import { designerPortalRoutes } from '../products/designer/designer-portal-routes.ts';
import { templatePortalRoutes } from '../products/template/template-portal-routes.ts';
import { sampleSlipPortalRoutes } from '../shipments/documents/sample-slip-portal-routes.ts';
import type { AppContext } from './context.ts';

/** What only the portal has, slice by slice. The rest of what it does is the public API. */
export const PORTAL_ROUTES: readonly PortalRoute<AppContext>[] = [
  ...entrancePortalRoutes,
  ...signInPortalRoutes,
  ...sessionPortalRoutes,
  ...factorPortalRoutes,
  ...signInLogPortalRoutes,
  ...tokenPortalRoutes,
  ...ownAppPortalRoutes,
  ...requestPortalRoutes,
  ...peoplePortalRoutes,
  ...invitationPortalRoutes,
  ...linkPortalRoutes,
  ...noticePortalRoutes,
  ...savedViewPortalRoutes,
  ...companyPortalRoutes,
  ...preferencePortalRoutes,
  ...dropPortalRoutes,
  ...firstPagePortalRoutes,
  ...orderFilePortalRoutes,
  ...newArtworkPortalRoutes,
  ...againPortalRoutes,
  ...templatePortalRoutes,
  ...tryPortalRoutes,
  ...topUpPortalRoutes,
  ...savedMethodPortalRoutes,
  ...autoTopUpPortalRoutes,
  ...designerPortalRoutes,
  ...sellingPortalRoutes,
  ...addressBookPortalRoutes,
  ...ownHistoryPortalRoutes,
  ...moneyPortalRoutes,
  ...lowBalancePortalRoutes,
  ...statementPortalRoutes,
  ...documentPortalRoutes,
  ...channelPortalRoutes,
  ...channelProductRoutes,
  ...monthPortalRoutes,
  ...spendingPortalRoutes,
  ...sampleSlipPortalRoutes,
];
