import { appOpsRoutes } from '../accounts/access/app-ops-routes.ts';
import { operatorOpsRoutes } from '../accounts/access/operator-ops-routes.ts';
import { peopleOpsRoutes } from '../accounts/access/people-ops-routes.ts';
import { tokenOpsRoutes } from '../accounts/access/token-ops-routes.ts';
import { invitationOpsRoutes } from '../accounts/joining/invitation-ops-routes.ts';
import { signUpOpsRoutes } from '../accounts/joining/sign-up-ops-routes.ts';
import { accountsOpsRoutes } from '../accounts/ops-routes.ts';
import { billingOpsRoutes } from '../billing/ops-routes.ts';
import { booksOpsRoutes } from '../books/ops-routes.ts';
import { reportOpsRoutes } from '../books/reports/report-ops-routes.ts';
import { catalogueOpsRoutes } from '../catalogue/ops-routes.ts';
import { channelOpsRoutes } from '../channels/channel-ops-routes.ts';
import { shopOrderOpsRoutes } from '../channels/shop-order-ops-routes.ts';
import { invoiceOpsRoutes } from '../invoices/ops-routes.ts';
import type { OpsRoute } from '../lib/route.ts';
import { ordersOpsRoutes } from '../orders/ops-routes.ts';
import { paymentOpsRoutes } from '../payments/ops-routes.ts';
import { exportsOpsRoutes } from '../privacy/exports/ops-routes.ts';
import { privacyOpsRoutes } from '../privacy/ops-routes.ts';
import { retentionOpsRoutes } from '../privacy/retention/ops-routes.ts';
import { problemOpsRoutes } from '../problems/ops-routes.ts';
import { productionOpsRoutes } from '../production/ops-routes.ts';
import { stationOpsRoutes } from '../production/station-ops-routes.ts';
import { askingOpsRoutes } from '../refunds/asking/ops-routes.ts';
import { refundOpsRoutes } from '../refunds/ops-routes.ts';
import { shipmentsOpsRoutes } from '../shipments/ops-routes.ts';
import { webhookOpsRoutes } from '../webhooks/ops-routes.ts';
import type { AppContext } from './context.ts';
import { secretsOpsRoutes } from './secrets/ops-routes.ts';

/** The operations API, slice by slice. */
export const OPS_ROUTES: readonly OpsRoute<AppContext>[] = [
  ...ordersOpsRoutes,
  ...paymentOpsRoutes,
  ...refundOpsRoutes,
  ...askingOpsRoutes,
  ...invoiceOpsRoutes,
  ...productionOpsRoutes,
  ...stationOpsRoutes,
  ...shipmentsOpsRoutes,
  ...problemOpsRoutes,
  ...channelOpsRoutes,
  ...shopOrderOpsRoutes,
  ...catalogueOpsRoutes,
  // Before the statements of accounts, whose path has any name.
  ...booksOpsRoutes,
  ...reportOpsRoutes,
  ...billingOpsRoutes,
  ...exportsOpsRoutes,
  ...retentionOpsRoutes,
  ...webhookOpsRoutes,
  ...accountsOpsRoutes,
  ...tokenOpsRoutes,
  ...operatorOpsRoutes,
  ...peopleOpsRoutes,
  ...invitationOpsRoutes,
  ...signUpOpsRoutes,
  ...appOpsRoutes,
  ...privacyOpsRoutes,
  ...secretsOpsRoutes,
];
