import type { Authority } from '../authority.ts';

/** A shop beside a service in a process of its own, whatever platform it is of. */
export type LinkedShop = {
  /** Sells a piece of the product that it was opened with, and tells no one; the shop's id of the order. */
  readonly sell: () => string;
  /** Says that an order has changed, if the service is there. */
  readonly tell: (orderId: string) => Promise<void>;
  /** Answers so many requests badly: with pages in place of answers, or with no answer at all. */
  readonly fail: (times: number, how: 'page' | 'reset') => void;
  /** It fails no more. */
  readonly mend: () => void;
  /** The tracking numbers that it has of an order, each as often as its buyer was written to. */
  readonly parcelsOf: (orderId: string) => readonly string[];
  /** Whether it counts an order as sent, and knows of all that was reported of it. */
  readonly isDone: (orderId: string) => boolean;
};

/** A service process to be linked, and the product of its demo account. */
export type ServiceThere = { readonly url: string; readonly sku: string };

/** The server of a shop, before there is a service. */
export type ShopServer = {
  /** Settings by which a service reaches it. */
  readonly settings: Readonly<Record<string, string>>;
  /** Opens the shop for a service. */
  readonly open: (service: ServiceThere) => OpenShop;
  readonly close: () => Promise<void>;
};

export type OpenShop = {
  /** How it is named when a link with it is begun. */
  readonly named: { readonly platform: string; readonly address: string };
  /** Its people consent on the page that they are led to; `cookie` is of the browser that does. */
  readonly consent: (consentUrl: string, cookie: string) => Promise<void>;
  /** Whether the service has set up what it needs in it. */
  readonly isSetUp: () => boolean;
  readonly shop: LinkedShop;
};

export type StartShop = (authority: Authority) => Promise<ShopServer>;
