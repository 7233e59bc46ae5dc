import { accountsOpsRoutes } from '../accounts/ops-routes.ts';
import { catalogueOpsRoutes } from '../catalogue/ops-routes.ts';
import type { OpsRoute } from '../lib/ops-route.ts';
import { orderMoneyOpsRoutes } from '../orders/ops-money-routes.ts';
import { ordersOpsRoutes } from '../orders/ops-routes.ts';
import { paymentOpsRoutes } from '../orders/payment-ops-routes.ts';
import { productionOpsRoutes } from '../production/ops-routes.ts';
import { shipmentsOpsRoutes } from '../shipments/ops-routes.ts';
import { webhookOpsRoutes } from '../webhooks/ops-routes.ts';
import type { AppContext } from './context.ts';

/** The operations API, slice by slice. */
export const OPS_ROUTES: readonly OpsRoute<AppContext>[] = [
  ...ordersOpsRoutes,
  ...orderMoneyOpsRoutes,
  ...productionOpsRoutes,
  ...shipmentsOpsRoutes,
  ...catalogueOpsRoutes,
  ...paymentOpsRoutes,
  ...webhookOpsRoutes,
  ...accountsOpsRoutes,
];
