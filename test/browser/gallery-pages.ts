import type { PageScene } from './page-scene.ts';

/** A page that is drawn, and what its pictures are called. */
export type GalleryPage = { readonly name: string; readonly path: string };

/** What is drawn beside the scene of the pages. */
export type GalleryScene = Omit<PageScene, 'teeId'> & {
  /** The reference of an order whose print file could not be made. */
  readonly failed: string;
  /** An order of a shop that waits for an answer. */
  readonly waiting: string;
};

/** Every page of the portal; the test of the pages finds one that is left out. */
export const galleryPages = ({
  premises,
  shops,
  webhook,
  delivery,
  brand,
  orderFile,
  link,
  failed,
  waiting,
}: GalleryScene): readonly GalleryPage[] => [
  { name: 'home', path: '/portal' },
  { name: 'orders', path: '/portal/orders' },
  { name: 'orders-blocked', path: '/portal/orders?blocked_by=anything' },
  { name: 'order-pending', path: `/portal/orders/${premises.orders.pending.reference}` },
  { name: 'order-held', path: `/portal/orders/${premises.orders.held.reference}` },
  { name: 'order-sent', path: `/portal/orders/${premises.orders.sent.reference}` },
  { name: 'order-asked', path: `/portal/orders/${premises.orders.making.reference}` },
  { name: 'order-failed', path: `/portal/orders/${failed}` },
  { name: 'order-missing', path: '/portal/orders/PF-AAAAAAAA' },
  { name: 'templates', path: '/portal/templates' },
  { name: 'template', path: `/portal/templates/${premises.service.demo.products.personalised}` },
  { name: 'problems', path: '/portal/problems' },
  { name: 'shops', path: '/portal/shops' },
  { name: 'shop', path: `/portal/shops/${shops.shop.id}` },
  { name: 'shop-orders', path: '/portal/shop-orders' },
  { name: 'shop-order', path: `/portal/shop-orders?open=${waiting}` },
  { name: 'team', path: '/portal/team' },
  { name: 'company', path: '/portal/company' },
  { name: 'money', path: '/portal/money' },
  { name: 'money-documents', path: '/portal/money?view=documents' },
  { name: 'money-months', path: '/portal/money?view=months' },
  { name: 'money-spending', path: '/portal/money?view=spending' },
  { name: 'money-top-ups', path: '/portal/money?view=top-ups' },
  { name: 'money-return', path: '/portal/money/return' },
  { name: 'money-saved', path: '/portal/money/saved' },
  { name: 'notifications', path: '/portal/notifications' },
  { name: 'developers', path: '/portal/developers' },
  { name: 'webhooks', path: '/portal/developers/webhooks' },
  { name: 'webhook', path: `/portal/developers/webhooks/${webhook}` },
  { name: 'delivery', path: `/portal/developers/webhooks/${webhook}/deliveries/${delivery}` },
  { name: 'events', path: '/portal/developers/events' },
  { name: 'requests', path: '/portal/developers/requests' },
  { name: 'tokens', path: '/portal/developers/tokens' },
  { name: 'apps', path: '/portal/developers/apps' },
  { name: 'new-order', path: '/portal/new-order' },
  { name: 'products', path: '/portal/products' },
  { name: 'product-new', path: '/portal/products/new' },
  { name: 'product', path: `/portal/products/${premises.service.demo.products.fixed}` },
  { name: 'brands', path: '/portal/brands' },
  { name: 'brand-new', path: '/portal/brands/new' },
  { name: 'brand', path: `/portal/brands/${brand}` },
  { name: 'order-file', path: '/portal/order-file' },
  { name: 'order-file-open', path: `/portal/order-file/${orderFile}` },
  { name: 'security', path: '/portal/security' },
  { name: 'forgotten', path: '/portal/forgotten' },
  { name: 'sign-up', path: '/portal/sign-up' },
  { name: 'link', path: link },
  { name: 'confirm', path: '/portal/confirm#of-a-mail' },
  { name: 'sign-in', path: '/portal/sign-in' },
];

/** The pages of the demo customer, whose month is over. */
export const galleryPagesOfMonth = (
  orders: Readonly<Record<'sent' | 'making' | 'cancelled', string>>,
): readonly GalleryPage[] => [
  { name: 'month-home', path: '/portal' },
  { name: 'month-orders', path: '/portal/orders' },
  { name: 'month-orders-making', path: '/portal/orders?status=in_production' },
  { name: 'month-order-sent', path: `/portal/orders/${orders.sent}` },
  { name: 'month-order-making', path: `/portal/orders/${orders.making}` },
  { name: 'month-order-cancelled', path: `/portal/orders/${orders.cancelled}` },
  { name: 'month-problems', path: '/portal/problems' },
  { name: 'month-products', path: '/portal/products' },
  { name: 'month-templates', path: '/portal/templates' },
  { name: 'month-brands', path: '/portal/brands' },
  { name: 'month-money', path: '/portal/money' },
  { name: 'month-money-documents', path: '/portal/money?view=documents' },
  { name: 'month-money-months', path: '/portal/money?view=months' },
  { name: 'month-money-spending', path: '/portal/money?view=spending' },
  { name: 'month-money-top-ups', path: '/portal/money?view=top-ups' },
  { name: 'month-company', path: '/portal/company' },
  { name: 'month-team', path: '/portal/team' },
  { name: 'month-events', path: '/portal/developers/events' },
  { name: 'month-notifications', path: '/portal/notifications' },
];
