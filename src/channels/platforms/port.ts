import type { ShopOrder } from '../shop-order.ts';
import type { PublishedProduct, ShopProduct } from './published-product.ts';
import type { ShopCall } from './shop-call.ts';

/** The kinds of shops that are read from and written to. */
export const LINKED_PLATFORMS = ['woocommerce', 'shopify', 'medusa'] as const;
export type LinkedPlatform = (typeof LINKED_PLATFORMS)[number];

/** What a shop lets us in with, as its platform's own code reads it. */
export type Credentials = Readonly<Record<string, string>>;

/** What is known of a shop and kept from one sync to the next. */
export type Facts = Readonly<Record<string, string | number | boolean | readonly string[]>>;

/** A shop under a sync. */
export type Shop = {
  readonly call: ShopCall;
  readonly credentials: Credentials;
  readonly facts: Facts;
  /** Where it sends what has changed. */
  readonly noticeUrl: string;
  /** What it signs that with. */
  readonly noticeSecret: string;
  /** The time of connecting by the shop's own clock. */
  readonly since: Date;
  /** The later of what our clock says and what the shop's said in its last answer; where it is known. */
  readonly latest?: () => Date;
};

/** As what a platform knows us, where it has us register: the operator's, the same for all shops. */
export type OurApp = { readonly clientId: string; readonly clientSecret: string };

/** What a shop says unasked: that an order has changed, that it is to be synchronised, or nothing. */
export type ShopNotice = { readonly orderId: string | undefined; readonly isReasonToSync?: true };

/** A request of a shop, before anything of it is believed. */
export type NoticeRequest = {
  readonly header: (name: string) => string | undefined;
  readonly body: Buffer;
  readonly secrets: readonly string[];
  /** Where the shop is. */
  readonly address: string;
  readonly app: OurApp | undefined;
  readonly now: Date;
};

/**
 * What was read of an order: the order, or in words why it is none of our form.
 * One is withheld where the shop names it and does not give it out with others: it is asked for by itself.
 */
export type ReadOrder =
  | { readonly kind: 'order'; readonly order: ShopOrder }
  | { readonly kind: 'unreadable'; readonly id: string; readonly message: string }
  | { readonly kind: 'withheld'; readonly id: string }
  /** It has nothing to make: it never had, or all of it was taken out. */
  | { readonly kind: 'nothing'; readonly id: string };

/** Where a list of changed orders goes on. */
export type ListPlace = Readonly<Record<string, string | number>>;

export type ChangedOrders = {
  readonly orders: readonly ReadOrder[];
  /** Kept once these orders are. */
  readonly place: ListPlace;
  /** Whether nothing has changed beyond these. */
  readonly isLast: boolean;
};

/** A parcel as it is reported to a shop. */
export type ReportedParcel = {
  readonly id: string;
  readonly carrier: string;
  /** Empty without one. */
  readonly number: string;
  readonly url: string | null;
  /** Pieces by the shop's own ids of its lines. */
  readonly items: readonly { readonly shopItemId: string; readonly title: string; readonly quantity: number }[];
};

/**
 * Pieces of a line that are cancelled here, all so far, and those of it that are made.
 * What the shop has itself besides those that are made is what it does not know to be cancelled.
 */
export type CancelledPieces = {
  readonly shopItemId: string;
  readonly title: string;
  readonly cancelled: number;
  readonly made: number;
};

/** All that a shop is to know of one of its orders, with what it knows already. */
export type OrderReport = {
  readonly shopOrderId: string;
  readonly orderedAt: Date;
  /** The order's reference here. */
  readonly reference: string;
  readonly parcels: readonly ReportedParcel[];
  /** The order was cancelled here as a whole. */
  readonly isCancelled: boolean;
  /** Pieces that are cancelled here, where some of them are news; of a whole order, too. */
  readonly cancelled: readonly CancelledPieces[];
  /** The same, whether or not it is news. */
  readonly everCancelled: readonly CancelledPieces[];
  /** The buyer is given the money back for them by the rule of the shop. */
  readonly isRefunded: boolean;
  /** Nothing of what is ours is left to be sent, and something was. */
  readonly isComplete: boolean;
  /** No line of the shop's order is made by others. */
  readonly isAllOurs: boolean;
  /** The parcels that the shop does not know as they are now. */
  readonly news: ReadonlySet<string>;
};

/** The money of a buyer that a shop is to give back, of all that were given back for an order. */
export type BuyerRefund = {
  readonly shopOrderId: string;
  readonly orderedAt: Date;
  /** The order's reference here, by which our refunds are known in the shop. */
  readonly reference: string;
  /** What this refund is, for a shop that does one of a key once; a UUID. */
  readonly key: string;
  readonly pieces: readonly {
    readonly shopItemId: string;
    /** Pieces for which money is to be given back by us in all, those of before too. */
    readonly refunded: number;
    /** Pieces of the line that are made here, or that the shop has sent itself: money for them stays. */
    readonly made: number;
    /** Pieces that the shop wants of us and that are not made: no more are given back now. */
    readonly most: number;
  }[];
  /** Whether the shop calls the order completed because all that was left of it has left here. */
  readonly isComplete: boolean;
};

/** What is asked of a shop so that it lets us in. */
export type ConsentRequest = {
  readonly address: string;
  /** What the shop sends back, once. */
  readonly state: string;
  /** Who asks, as the shop's people read it. */
  readonly appName: string;
  readonly baseUrl: string;
  readonly app: OurApp | undefined;
};

/** What a shop sends once its people have consented; nothing of it is believed but by its state. */
export type Consent = {
  readonly state: string;
  readonly credentials: Credentials;
  /** The shop that sent it, where that is reported: it must be the one that was asked. */
  readonly address?: string;
};

/** What has become of an order of a shop here, for a shop that asks. */
export type OrderFate =
  /** It waits, or never came: nothing of it is made before that changes. */
  | 'waiting'
  /** It is just being decided, or its cancel is. */
  | 'open'
  /** It is made. */
  | 'taken'
  /** It is made, and its cancel was refused or comes too late. */
  | 'kept'
  /** It is not made. */
  | 'declined';

/** What an order of a shop is here. */
export type OrderHere = {
  readonly fate: OrderFate;
  /** Pieces that are made, or may be, by the shop's ids of its lines; those of its additions too. */
  readonly pieces: ReadonlyMap<string, number>;
};

/** What is known here of orders that a shop asks about. */
export type AskedOrders = {
  /** What they are; of those that never came nothing is said. */
  readonly fatesOf: (orderIds: readonly string[]) => Promise<ReadonlyMap<string, OrderHere>>;
  /** Reads an order as the shop has it now, in case it has not said that it changed. */
  readonly readAnew: (orderId: string) => Promise<void>;
  /** Whether the time of the sync is over. */
  readonly isOver: () => boolean;
  /** Does what a request for an order needs, so that one which the shop answers badly stops no other. */
  readonly apart: (orderId: string, work: () => Promise<void>) => Promise<void>;
};

/** What a platform can do; nothing is assumed of one that does not say so. */
export type Capabilities = {
  /** Parcels are reported by line and quantity. */
  readonly parcelsByLine: boolean;
  /** It gives a buyer's money back for pieces when it is asked to. */
  readonly refunds: boolean;
  /** Where pieces are refunded, it says whether they were sent, or are to be sent yet. */
  readonly namesRefunded: boolean;
  /** It says unasked that an order has changed. One that does not is synchronised more often. */
  readonly notices: boolean;
};

/**
 * A platform of shops, as the rest of the service knows it.
 * Each call to a shop throws `ShopFault` where the shop is at fault. All of them may be repeated: a sync that dies
 * after a call is made again.
 */
export type Platform = {
  readonly name: LinkedPlatform;
  /** What people call it. */
  readonly title: string;
  readonly capabilities: Capabilities;
  /** Whether the operator must have registered us with the platform. */
  readonly needsApp: boolean;
  /** One link of a shop at a time: another takes the place of what the first was let in with. */
  readonly isLinkedOnce: boolean;
  /**
   * The address of a shop from what a person typed; undefined for what is none.
   * Its scheme is https, and it ends without a slash.
   */
  readonly addressOf: (typed: string) => string | undefined;
  /** An address, for who typed none. */
  readonly addressExample: string;
  /** The page of the shop on which its people let us in; absent where they copy a key. */
  readonly consentUrl?: (request: ConsentRequest) => string;
  /** Reads a key that a person has copied; undefined for what is none. Absent where people consent. Pure. */
  readonly readKey?: (typed: string) => Credentials | undefined;
  /** Reads what the shop sends then; undefined for anything else. Pure. */
  readonly readConsent: (body: unknown, app: OurApp | undefined) => Consent | undefined;
  /** Whether the browser of who consents brings the consent; it is then led back to the portal. */
  readonly isConsentByBrowser: boolean;
  /** Makes credentials of what a consent has. Without it those of the consent are good. */
  readonly exchange?: (
    call: ShopCall,
    credentials: Credentials,
    app: OurApp | undefined,
    now: Date,
  ) => Promise<Credentials>;
  /** For credentials that end. A renewal that was lost may be repeated with those of before. */
  readonly renewal?: {
    readonly isDue: (credentials: Credentials, now: Date) => boolean;
    readonly renew: (
      call: ShopCall,
      credentials: Credentials,
      app: OurApp | undefined,
      now: Date,
    ) => Promise<Credentials>;
  };
  /** Whether the JSON of a 401 or 403 is the platform's, and no firewall's. Any is when left out. */
  readonly isRefusal?: (json: Readonly<Record<string, unknown>>) => boolean;
  /** The header by which a shop lets us in. */
  readonly authorise: (credentials: Credentials) => Readonly<Record<string, string>>;
  /** What a request says; undefined unless it is signed. Pure. */
  readonly readNotice: (request: NoticeRequest) => ShopNotice | undefined;
  /**
   * What a shop calls itself, the same by each of its addresses; undefined where it does not say.
   * Absent where it has one address alone.
   */
  readonly ownName?: (shop: Shop) => Promise<string | undefined>;
  /** For hints that name an order by something of it; absent where each names the order itself. */
  readonly hints?: {
    /** Whether a hint names its order itself. Pure. */
    readonly areOfOrder: (hinted: string) => boolean;
    /** The order that any other hint names; undefined for none. */
    readonly orderOf: (shop: Shop, hinted: string) => Promise<string | undefined>;
  };
  /** Whether nothing works before it was set up once. */
  readonly needsSetUp: boolean;
  /** Sets up what we need in the shop, and mends what is off; returns the facts that were learnt. */
  readonly setUp: (shop: Shop) => Promise<Facts>;
  /** Orders that have changed, the earliest change first, from a place on; the first place is `{}`. */
  readonly listChanged: (shop: Shop, place: ListPlace) => Promise<ChangedOrders>;
  /**
   * An order as it is now.
   * `gone` once its shop has deleted it; undefined for what is none, and where it cannot be said that it was deleted.
   */
  readonly readOrder: (shop: Shop, id: string) => Promise<ReadOrder | 'gone' | undefined>;
  /**
   * Answers what a shop asks of its orders: whether we make them, and whether we stop.
   * A bounded number; true where there may be more to answer at once.
   */
  readonly answer?: (shop: Shop, here: AskedOrders) => Promise<boolean>;
  /** Reports an order to a shop; returns the facts that were learnt. */
  readonly report: (shop: Shop, report: OrderReport) => Promise<Facts>;
  /**
   * Has a shop give its buyer the money back for pieces. There where the capability is.
   * Looks first which of it the shop has given back already, by us or by its people, and never more than what is left
   * of a line beside the pieces that are made. Calls `begin` just before it asks for money: what was asked then may be
   * done later, whatever is answered. Throws a `ShopFault` of the kind rejected where nothing was given back.
   */
  readonly refund?: (shop: Shop, refund: BuyerRefund, begin: () => Promise<void>) => Promise<void>;
  /**
   * Publishes a product, or brings what is ours of it up to date.
   * Answers `gone` when the shop's people have deleted it, and where one that is offered no more was never made. A
   * product that is not known in the shop yet is looked for by its id, so that a lost answer makes no second one. It is
   * made as a draft without a price: prices, texts, pictures and the time of its sale are the merchant's, and are never
   * written again. Later calls add variants that are new and say which are in stock.
   */
  readonly publish: (
    shop: Shop,
    product: PublishedProduct,
    known: ShopProduct | undefined,
  ) => Promise<ShopProduct | 'gone'>;
  /** Takes away what was set up in the shop. */
  readonly takeDown: (shop: Shop) => Promise<void>;
};
