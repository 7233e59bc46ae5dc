// Made by sdk/generate.ts from docs/generated/openapi.json. Do not edit it: change the schemas of the service and make it anew.

/** One of these words, or one that is newer than this client. */
type Open<Known extends string> = Known | (string & Record<never, never>);

export type AccountBalance = {
  account_id: string;
  /** GBP in major units, rounded to 2 decimals. */
  balance: number;
  currency: 'GBP';
  /** ISO 8601, UTC, with milliseconds and Z. */
  as_of: string;
};

export type AccountBilling = {
  account_id: string;
  /** "" where there is none. */
  vat_number: string;
  billing: BillingIdentity | null;
};

/** A postal address. */
export type Address = {
  /** Who receives the parcel. */
  contact_name: string;
  /** Street and number. */
  line1: string;
  /** Town or city. */
  city: string;
  /** Postcode; where a country has none, any non-blank text. */
  postcode: string;
  /** ISO 3166-1 alpha-2, upper case. */
  country_code: string;
  /** Company. */
  company_name?: string | undefined;
  /** Second address line. */
  line2?: string | undefined;
  /** County, state or province. */
  county?: string | undefined;
  /** Phone number; carriers ask for it abroad. */
  phone?: string | undefined;
  /** E-mail address of the recipient. Nothing is sent to it: it names the recipient, for support and for requests about personal data. */
  email?: string | undefined;
};

/** The address, with the names that an order shows. */
export type AddressChange = {
  /** Who receives the parcel. */
  contact_name?: string | undefined;
  /** Street and number. */
  line1?: string | undefined;
  /** Town or city. */
  city?: string | undefined;
  /** Postcode; where a country has none, any non-blank text. */
  postcode?: string | undefined;
  /** ISO 3166-1 alpha-2, upper case. */
  country_code?: string | undefined;
  /** Company. */
  company_name?: string | undefined;
  /** Second address line. */
  line2?: string | undefined;
  /** County, state or province. */
  county?: string | undefined;
  /** Phone number; carriers ask for it abroad. */
  phone?: string | undefined;
  /** E-mail address of the recipient. Nothing is sent to it: it names the recipient, for support and for requests about personal data. */
  email?: string | undefined;
};

/** The members of RFC 9457 and ours. Some codes add members of their own. */
export type ApiError = {
  /** Link to the description of the error: /docs/errors#code. */
  type: string;
  /** The same for every error of this code. */
  title: string;
  status: number;
  /** Identifies the error for programs; more codes may be added. */
  code: string;
  /** What went wrong this time and what to change, for a person. */
  detail: string;
  /** Quote it to support; the same as the header X-Request-Id. */
  request_id: string;
};

export type AreaActions = {
  replace: {
    /** Whether other artwork would be taken now: it failed or has expired, and nothing started. */
    available: boolean;
  };
};

export type AreaArtwork = {
  print_area: string;
  method: string;
  /** ready once the print file is made; expired once it was deleted because its time was over. */
  state: Open<'pending' | 'ready' | 'expired'>;
  source: ArtworkSource | null;
  print: PrintedArtwork | null;
  proof_url: string | null;
  failure: string | null;
  replaced_at: string | null;
  actions: AreaActions;
};

/** The image that it is made from; null for a personalised piece, which may have several. */
export type ArtworkSource = {
  /** In pixels, after any rotation that EXIF asks for. */
  width: number;
  /** In pixels, after any rotation that EXIF asks for. */
  height: number;
  /** Hash of the file, in hex. Equal files are one design. */
  sha256: string;
  /** Whether the file has an alpha channel. */
  has_transparency: boolean;
  background: string | null;
  colour_space: Open<'rgb' | 'grey' | 'cmyk'>;
  colour_profile: string | null;
};

export type AskToCancelBody = {
  /** buyer_cancelled: who ordered from you has cancelled. wrong_item: product, size or artwork. other: say it in text. */
  reason:
    | 'changed_mind'
    | 'buyer_cancelled'
    | 'ordered_twice'
    | 'wrong_item'
    | 'wrong_address'
    | 'takes_too_long'
    | 'other';
  /** What the shop should know; required with the reason other. */
  text?: string | undefined;
};

export type BaseProduct = {
  id: string;
  master_sku: string;
  title: string;
  description: string;
  /** Details at /print-areas. */
  print_areas: string[];
  /** The methods of all its print areas. */
  methods: string[];
  variants: BlankVariant[];
};

export type BaseProductPage = {
  data: BaseProduct[];
  /** True when another page exists. */
  has_more: boolean;
  next_cursor: string | null;
};

export type BillingAddress = {
  line1: string;
  /** "" where there is none. */
  line2: string;
  city: string;
  /** "" where there is none. */
  county: string;
  postcode: string;
  /** ISO 3166-1 alpha-2, upper case. */
  country_code: string;
};

export type BillingContact = {
  name: string;
  email: string;
};

/** Null while it is not known. */
export type BillingIdentity = {
  /** The name of the business, or of the person who trades. */
  legal_name: string;
  address: BillingAddress;
  /** Its number in the register of companies; "" where there is none. */
  company_number: string;
  contact: BillingContact | null;
};

export type BlankVariant = {
  id: string;
  /** Send it in variant_skus of a product. */
  sku: string;
  colour: string;
  colour_hex: string;
  size: string;
  weight_grams: number;
  /** Whether it is offered. */
  active: boolean;
};

export type Brand = {
  id: string;
  /** Stands on the packing slip in place of the name of the print shop. */
  name: string;
  message: string;
  support_email: string;
  website: string;
  return_lines: string[];
  logo_url: string | null;
  /** Whether orders that name no brand have this one. */
  is_default: boolean;
  status: Open<'active' | 'archived'>;
  /** ISO 8601, UTC, with milliseconds and Z. */
  created_at: string;
  /** ISO 8601, UTC, with milliseconds and Z. */
  updated_at: string;
};

export type BrandPage = {
  data: Brand[];
  /** True when another page exists. */
  has_more: boolean;
  next_cursor: string | null;
};

export type Cancellation = {
  id: string;
  reference: string;
  status: 'cancelled';
  /** Always true. */
  cancelled: boolean;
  /** Credited straight back to the account balance, in GBP. */
  refunded_gbp: number;
  /** Charges to be paid back by hand. If it is not empty, you are still owed money: contact support. */
  pending_manual_refund: ManualRefund[];
  /** When the cancellation window closes or closed. */
  cancellable_until: string;
  /** True if the order had already been cancelled. */
  already_cancelled?: boolean;
};

export type CancellationRequest = {
  id: string;
  /** open until it is answered: accepted or refused. withdrawn: by you. lapsed: the order was cancelled or dispatched first. */
  state: Open<'open' | 'accepted' | 'refused' | 'withdrawn' | 'lapsed'>;
  /** buyer_cancelled: who ordered from you has cancelled. wrong_item: product, size or artwork. other: say it in text. */
  reason: Open<
    'changed_mind' | 'buyer_cancelled' | 'ordered_twice' | 'wrong_item' | 'wrong_address' | 'takes_too_long' | 'other'
  >;
  /** Empty once the personal data of the order is erased. */
  text: string;
  /** ISO 8601, UTC, with milliseconds and Z. */
  asked_at: string;
  /** Until when the shop means to answer. */
  answer_by: string;
  answer: string | null;
  answered_at: string | null;
  ended_at: string | null;
  actions: {
    withdraw: {
      /** Whether it can be withdrawn now. */
      available: boolean;
    };
  };
};

/** The cancellation window of the order has passed: an hour from placing, unless the print shop sets another. */
export type CancellationWindowClosedError = {
  /** Link to the description of the error: /docs/errors#code. */
  type: string;
  /** The same for every error of this code. */
  title: string;
  status: 409;
  code: 'cancellation_window_closed';
  /** What went wrong this time and what to change, for a person. */
  detail: string;
  /** Quote it to support; the same as the header X-Request-Id. */
  request_id: string;
  /** When the order was placed. */
  placed_at: string;
  /** When the window closed. */
  cancellable_until: string;
};

export type ChangeAddressBody = {
  /** Who receives the parcel. */
  contact_name?: string | undefined;
  /** Street and number. */
  line1?: string | undefined;
  /** Town or city. */
  city?: string | undefined;
  /** Postcode; where a country has none, any non-blank text. */
  postcode?: string | undefined;
  /** ISO 3166-1 alpha-2, upper case. */
  country_code?: string | undefined;
  /** Company. */
  company_name?: string | undefined;
  /** Second address line. */
  line2?: string | undefined;
  /** County, state or province. */
  county?: string | undefined;
  /** Phone number; carriers ask for it abroad. */
  phone?: string | undefined;
  /** E-mail address of the recipient. Nothing is sent to it: it names the recipient, for support and for requests about personal data. */
  email?: string | undefined;
  shipping_address?: AddressChange | undefined;
};

export type ChangeSubscriptionBody = {
  /** Where deliveries are posted to; https. */
  url?: string | undefined;
  /** Which events to send, of order.created, order.payment_failed, order.in_production, order.shipment_created, order.dispatched, order.cancelled, order.on_hold. An empty list means all, future ones included. */
  events?: readonly string[] | undefined;
  /** A label of your own. */
  description?: string | undefined;
  /** false pauses; true resumes and resets the failure count. */
  active?: boolean | undefined;
};

export type ChangeWebhookReplayBody = {
  /** running resumes a paused replay. */
  status: 'running' | 'paused' | 'cancelled';
};

export type ChangedWebhookSubscription = {
  id: string;
  url: string;
  /** Empty means all events, future ones included. */
  events: string[];
  description: string;
  active: boolean;
  disabled_reason: string | null;
  failing_since: string | null;
  /** ISO 8601, UTC, with milliseconds and Z. */
  created_at: string;
  /** ISO 8601, UTC, with milliseconds and Z. */
  updated_at: string;
  /** What was accepted but may not be what was meant. */
  warnings: Warning[];
};

export type Charge = {
  payment_id: string | null;
  method: Open<'balance' | 'card' | 'direct_debit'>;
  /** GBP in major units, rounded to 2 decimals. */
  amount: number;
  currency: 'GBP';
  /** ISO 8601, UTC, with milliseconds and Z. */
  charged_at: string;
};

export type ColourMockup = {
  colour: string;
  colour_hex: string;
  mockup_url: string;
};

/** The resource is in a state that does not allow this: an order that is dispatched or delivered cannot be cancelled, a product that is archived or personalised cannot be changed. */
export type ConflictError = {
  /** Link to the description of the error: /docs/errors#code. */
  type: string;
  /** The same for every error of this code. */
  title: string;
  status: 409;
  code: 'conflict';
  /** What went wrong this time and what to change, for a person. */
  detail: string;
  /** Quote it to support; the same as the header X-Request-Id. */
  request_id: string;
};

export type CreateBrandRequest = {
  /** Stands on the packing slip. No two brands of an account have the same, whatever its case. */
  name: string;
  /** To the recipient, below the pieces; at most 20 lines. */
  message?: string | undefined;
  /** Where the recipient asks for help; "" is none. */
  support_email?: string | undefined;
  /** The address of the shop, printed as it stands; "" is none. */
  website?: string | undefined;
  /** Where returns go, line by line, as it is printed. */
  return_lines?: readonly string[] | undefined;
  logo_url?: (string | null) | undefined;
  /** Orders that name no brand have this one, in place of the one before. */
  is_default?: boolean | undefined;
};

export type CreateProductBody = {
  /** Id of a catalogue product, bprod_…. */
  base_product_id: string;
  /** What the product is called; the label of its order lines. */
  name: string;
  /** Blank variants to offer, in this order: active ones of the base product, each once. */
  variant_skus: readonly string[];
  /** In your own words. */
  description?: string | undefined;
  retail_price?: (number | null) | undefined;
  /** Labels of your own. */
  tags?: readonly string[] | undefined;
  mockup_url?: (string | null) | undefined;
  decoration?: ProductDecoration | undefined;
  /** active by default at creation. */
  status?: ('active' | 'draft') | undefined;
};

export type CreateSubscriptionBody = {
  /** Where deliveries are posted to; https. */
  url: string;
  /** Which events to send, of order.created, order.payment_failed, order.in_production, order.shipment_created, order.dispatched, order.cancelled, order.on_hold. An empty list means all, future ones included. */
  events?: readonly string[] | undefined;
  /** A label of your own. */
  description?: string | undefined;
};

export type CreatedOrder = {
  id: string;
  reference: string;
  type: Open<'sample' | 'bulk'>;
  status: Open<'pending' | 'confirmed' | 'in_production' | 'dispatched' | 'delivered' | 'cancelled'>;
  items: {
    lineItems: {
      id: string;
      product_id: string;
      variant_sku: string;
      quantity: number;
      name: string;
      colour: string;
      size: string;
      print_jobs: {
        area: string;
        method: string;
      }[];
      /** GBP in major units, rounded to 2 decimals. */
      unit_price: number;
      /** GBP in major units, rounded to 2 decimals. */
      line_price: number;
      artwork_ready: boolean;
      mock_url: string | null;
      declared_unit_price: number | null;
    }[];
    shippingAddress: OrderAddress;
  };
  notes: string;
  brand: OrderBrand | null;
  external_reference: string;
  /** failed: the order is kept and waits; it moves on once it is paid. */
  payment_status: Open<'paid' | 'processing' | 'failed' | 'refunded' | 'part_refunded'>;
  charged: {
    currency: 'GBP';
    lines: PricedLine[];
    /** The sum of the lines, in GBP, net of VAT. */
    subtotal: number;
    /** Setups that are due for the first time: one for each design and method. */
    setup_total: number;
    /** Each setup that the lines need, one for each design and method: those charged with this order, then those paid before. While the order waits for payment and another pays the same setup, it comes off the price. */
    setups: SetupFee[];
    /** In GBP, net of VAT. */
    shipping_cost: number;
    shipping_service: string;
    shipping_option: ShippingOption;
    /** VAT in GBP. Read it; do not derive it by subtraction. */
    vat_amount: number;
    /** Duty charged with the order, in GBP. */
    duty_amount: number;
    /** subtotal + setup_total + shipping_cost + vat_amount + duty_amount. */
    total: number;
  };
  /** ISO 8601, UTC, with milliseconds and Z. */
  cancellable_until: string;
  customs: OrderCustoms;
  metadata: Record<string, string>;
  /** What was accepted but may not be what was meant. */
  warnings: Warning[];
  /** ISO 8601, UTC, with milliseconds and Z. */
  created_at: string;
  /** ISO 8601, UTC, with milliseconds and Z. */
  updated_at: string;
};

export type CreatedWebhookSubscription = {
  id: string;
  url: string;
  /** Empty means all events, future ones included. */
  events: string[];
  description: string;
  active: boolean;
  disabled_reason: string | null;
  failing_since: string | null;
  /** ISO 8601, UTC, with milliseconds and Z. */
  created_at: string;
  /** ISO 8601, UTC, with milliseconds and Z. */
  updated_at: string;
  /** The key of svc-signature. It is shown this once. */
  secret: string;
  /** What was accepted but may not be what was meant. */
  warnings: Warning[];
};

export type CreditNote = {
  id: string;
  /** From one series without gaps, shared with invoices. */
  number: string;
  invoice_number: string;
  invoice_issued_at: string | null;
  order_id: string;
  order_reference: string;
  external_reference: string;
  /** ISO 8601, UTC, with milliseconds and Z. */
  issued_at: string;
  /** The date of issue, YYYY-MM-DD, where the seller is. */
  issued_on: string;
  /** The date of the credit for VAT, YYYY-MM-DD. */
  tax_point: string;
  reason: string;
  seller: {
    name: string;
    lines: string[];
    /** "" where there is none. */
    vat_number: string;
  };
  /** The account, by its legal name and address; `lines` is empty where they were not known. */
  customer: {
    name: string;
    lines: string[];
    /** "" where there is none. */
    vat_number: string;
  };
  deliver_to: {
    name: string;
    lines: string[];
  } | null;
  delivery_country: string | null;
  currency: 'GBP';
  lines: {
    description: string;
    /** "" for a line that is not a garment. */
    variant_sku: string;
    quantity: number;
    /** GBP in major units, rounded to 2 decimals. */
    unit_price: number;
    /** GBP in major units, rounded to 2 decimals. */
    net: number;
    vat_rate: number | null;
  }[];
  vat: {
    /** Per cent. */
    rate: number;
    /** GBP in major units, rounded to 2 decimals. */
    net: number;
    /** GBP in major units, rounded to 2 decimals. */
    vat: number;
    /** Why this rate applies, such as zero-rated, reverse charge, or that the seller was not registered for VAT; "" without a note. */
    note: string;
  }[];
  /** GBP in major units, rounded to 2 decimals. */
  net_total: number;
  /** GBP in major units, rounded to 2 decimals. */
  vat_total: number;
  /** GBP in major units, rounded to 2 decimals. */
  duty_total: number;
  /** GBP in major units, rounded to 2 decimals. */
  total: number;
};

export type CreditNotePage = {
  data: CreditNote[];
  /** True when another page exists. */
  has_more: boolean;
  next_cursor: string | null;
};

/** Your numbers as the seller of record, for the customs forms of this order. One that is left out is that of your account; null is none. */
export type CustomsNumbers = {
  eori_number?: (string | null) | undefined;
  ioss_number?: (string | null) | undefined;
};

/** Exactly one of areas and personalisation. */
export type Decoration = {
  /** Artwork for this order: these areas are printed and billed, whatever print_jobs says. */
  areas?: readonly DecorationArea[] | undefined;
  personalisation?: PersonalisationInputs | undefined;
};

export type DecorationArea = {
  /** A print area configured on the product. */
  print_area: string;
  /** Decoration method for that area. */
  method: string;
  /** Print-ready artwork, fetched over https. */
  artwork_url: string;
  /** Garment mock; the first one becomes the mock of the line. */
  mock_url?: string | undefined;
  position?: PositionBody | undefined;
};

/** Another account has used this external_reference; references are unique across the whole platform. The answer says nothing about the other order. */
export type DuplicateExternalReferenceError = {
  /** Link to the description of the error: /docs/errors#code. */
  type: string;
  /** The same for every error of this code. */
  title: string;
  status: 409;
  code: 'duplicate_external_reference';
  /** What went wrong this time and what to change, for a person. */
  detail: string;
  /** Quote it to support; the same as the header X-Request-Id. */
  request_id: string;
};

export type Estimate = {
  currency: 'GBP';
  lines: EstimatedLine[];
  /** The sum of the lines, in GBP, net of VAT. */
  subtotal: number;
  /** Setups that are due for the first time: one for each design and method. */
  setup_total: number;
  /** Each setup that the lines need, one for each design and method: those charged with this order, then those paid before. While the order waits for payment and another pays the same setup, it comes off the price. */
  setups: SetupFee[];
  /** In GBP, net of VAT. */
  shipping_cost: number;
  shipping_service: string;
  shipping_option: ShippingOption;
  /** VAT in GBP. Read it; do not derive it by subtraction. */
  vat_amount: number;
  /** Duty charged with the order, in GBP. */
  duty_amount: number;
  /** subtotal + setup_total + shipping_cost + vat_amount + duty_amount. */
  total: number;
  /** Always true. */
  estimate: boolean;
  /** Says that prices, stock and shipping can change and nothing is reserved. */
  notice: string;
  /** The other services for the destination, the cheapest first. */
  shipping_options: ShippingOption[];
  /** What was accepted but may not be what was meant. */
  warnings: Warning[];
  /** The order that already has this external_reference. */
  existing_order?: {
    id: string;
    reference: string;
  };
};

export type EstimatedLine = {
  variant_sku: string;
  quantity: number;
  /** Of one piece with its prints, in GBP, net of VAT. */
  unit_price: number;
  /** unit_price times quantity. */
  line_price: number;
  print_jobs: {
    area: string;
    method: string;
  }[];
  /** How large and sharp it prints. */
  artwork: PlannedArtwork[];
};

export type OrderEvent =
  | OrderCreatedEvent
  | OrderPaymentFailedEvent
  | OrderInProductionEvent
  | OrderShipmentCreatedEvent
  | OrderDispatchedEvent
  | OrderCancelledEvent
  | OrderOnHoldEvent;

export type EventPage = {
  data: OrderEvent[];
  /** True when another page exists. */
  has_more: boolean;
  next_cursor: string | null;
  /** The log is whole from this time on; events that were recorded before have ended. If your cursor or since is older, read what you missed with GET /orders?updated_since=. */
  log_begins_at: string;
};

/** When it is due to arrive: by the days of its service from the placing or a later payment; once it is dispatched, from its latest parcel. Null while it waits for payment, and once it is cancelled. */
export type ExpectedDelivery = {
  /** The first day, where the shop is. */
  earliest: string;
  /** The last day. */
  latest: string;
};

/** Why and since when work is stopped: on the order before production, or on a line in production. */
export type Hold = {
  code: string;
  reason: string;
  /** ISO 8601, UTC, with milliseconds and Z. */
  opened_at: string;
};

export type ImageLayer = {
  /** The key of its value in decoration.personalisation.inputs. */
  id: string;
  /** A label for the buyer. */
  name: string;
  /** false: null, or no value, leaves the layer empty. */
  required: boolean;
  print_area: string;
  /** Where it is printed, in pixels of the print area's template. */
  box: {
    x_px: number;
    y_px: number;
    width_px: number;
    height_px: number;
  };
  type: 'image';
  /** Whether the picture is shown whole or fills its box. */
  fit: Open<'contain' | 'cover'>;
};

export type ImageSelectLayer = {
  /** The key of its value in decoration.personalisation.inputs. */
  id: string;
  /** A label for the buyer. */
  name: string;
  /** false: null, or no value, leaves the layer empty. */
  required: boolean;
  print_area: string;
  /** Where it is printed, in pixels of the print area's template. */
  box: {
    x_px: number;
    y_px: number;
    width_px: number;
    height_px: number;
  };
  type: 'image_select';
  options: {
    /** The value to send. */
    id: string;
    name: string;
    /** Signed, valid for one hour. Do not store it. */
    image_url: string;
  }[];
};

/** The token is valid, but lacks the scope of this endpoint. */
export type InsufficientScopeError = {
  /** Link to the description of the error: /docs/errors#code. */
  type: string;
  /** The same for every error of this code. */
  title: string;
  status: 403;
  code: 'insufficient_scope';
  /** What went wrong this time and what to change, for a person. */
  detail: string;
  /** Quote it to support; the same as the header X-Request-Id. */
  request_id: string;
  /** The scope that the token lacks. */
  required_scope: string;
};

/** Something went wrong on our side. It is logged with the request id. */
export type InternalError = {
  /** Link to the description of the error: /docs/errors#code. */
  type: string;
  /** The same for every error of this code. */
  title: string;
  status: 500;
  code: 'internal_error';
  /** What went wrong this time and what to change, for a person. */
  detail: string;
  /** Quote it to support; the same as the header X-Request-Id. */
  request_id: string;
};

/** The body is not valid JSON, is empty or is not UTF-8; or the request is not well-formed HTTP, such as one with two Host headers. */
export type InvalidRequestError = {
  /** Link to the description of the error: /docs/errors#code. */
  type: string;
  /** The same for every error of this code. */
  title: string;
  status: 400;
  code: 'invalid_request';
  /** What went wrong this time and what to change, for a person. */
  detail: string;
  /** Quote it to support; the same as the header X-Request-Id. */
  request_id: string;
};

export type Invoice = {
  /** From one series without gaps, shared with credit notes. */
  number: string;
  order_id: string;
  order_reference: string;
  external_reference: string;
  /** ISO 8601, UTC, with milliseconds and Z. */
  issued_at: string;
  /** The date of issue, YYYY-MM-DD, where the seller is. */
  issued_on: string;
  /** The tax point, YYYY-MM-DD: the day of payment, where the seller is. */
  tax_point: string;
  /** A VAT invoice has the address of the customer; a simplified one, up to £250 within the United Kingdom, may lack it. An invoice that is neither lacks the VAT number of the seller or the address of the customer. */
  form: Open<'vat_invoice' | 'simplified_vat_invoice' | 'invoice'>;
  /** What the order was paid with; empty on older documents. */
  paid_with: Open<'balance' | 'card' | 'direct_debit'>[];
  seller: {
    name: string;
    lines: string[];
    /** "" where there is none. */
    vat_number: string;
  };
  /** The account, by its legal name and address; `lines` is empty where they were not known. */
  customer: {
    name: string;
    lines: string[];
    /** "" where there is none. */
    vat_number: string;
  };
  deliver_to: {
    name: string;
    lines: string[];
  } | null;
  delivery_country: string | null;
  currency: 'GBP';
  lines: {
    description: string;
    /** "" for a line that is not a garment. */
    variant_sku: string;
    quantity: number;
    /** GBP in major units, rounded to 2 decimals. */
    unit_price: number;
    /** GBP in major units, rounded to 2 decimals. */
    net: number;
    vat_rate: number | null;
  }[];
  vat: {
    /** Per cent. */
    rate: number;
    /** GBP in major units, rounded to 2 decimals. */
    net: number;
    /** GBP in major units, rounded to 2 decimals. */
    vat: number;
    /** Why this rate applies, such as zero-rated, reverse charge, or that the seller was not registered for VAT; "" without a note. */
    note: string;
  }[];
  /** GBP in major units, rounded to 2 decimals. */
  net_total: number;
  /** GBP in major units, rounded to 2 decimals. */
  vat_total: number;
  /** GBP in major units, rounded to 2 decimals. */
  duty_total: number;
  /** GBP in major units, rounded to 2 decimals. */
  total: number;
};

/** What is printed on the line. Lists of operators leave it out, and so does the answer to placing an order. */
export type LineArtwork = {
  /** ready once the print file is made; expired once it was deleted because its time was over. */
  state: Open<'pending' | 'ready' | 'expired'>;
  areas: AreaArtwork[];
};

export type ManualRefund = {
  payment_id: string;
  method: Open<'card' | 'direct_debit'>;
  /** GBP in major units, rounded to 2 decimals. */
  amount_gbp: number;
  /** The payment provider's id of the payment. */
  reference: string;
  /** ISO 8601, UTC, with milliseconds and Z. */
  paid_at: string;
};

/** The path or the resource does not exist, or the resource belongs to another account; the answer does not say which. Also the answer to an order that names an unknown product. */
export type NotFoundError = {
  /** Link to the description of the error: /docs/errors#code. */
  type: string;
  /** The same for every error of this code. */
  title: string;
  status: 404;
  code: 'not_found';
  /** What went wrong this time and what to change, for a person. */
  detail: string;
  /** Quote it to support; the same as the header X-Request-Id. */
  request_id: string;
  /** Each line of an order that names an unknown product, by its path. */
  errors?: Problem[];
};

/** Live shipping and tax quotes do not exist yet. The request was valid. */
export type NotImplementedError = {
  /** Link to the description of the error: /docs/errors#code. */
  type: string;
  /** The same for every error of this code. */
  title: string;
  status: 501;
  code: 'not_implemented';
  /** What went wrong this time and what to change, for a person. */
  detail: string;
  /** Quote it to support; the same as the header X-Request-Id. */
  request_id: string;
};

export type Order = {
  id: string;
  reference: string;
  type: Open<'sample' | 'bulk'>;
  /** Where it came from. replacement: the shop makes pieces of another order again, at a total of 0. */
  source: Open<'api' | 'portal' | 'channel' | 'replacement'>;
  replaces: OrderName | null;
  status: Open<'pending' | 'confirmed' | 'in_production' | 'dispatched' | 'delivered' | 'cancelled'>;
  items: OrderLine[];
  notes: string;
  brand: OrderBrand | null;
  external_reference: string;
  /** The number that the buyer knows, as papers show it: of an order of a connected shop its number there, else external_reference. */
  shop_number: string;
  /** failed: the order is kept and waits; it moves on once it is paid. */
  payment_status: Open<'paid' | 'processing' | 'failed' | 'refunded' | 'part_refunded'>;
  /** GBP in major units, rounded to 2 decimals. */
  total: number;
  currency: 'GBP';
  shipping_address: OrderAddress;
  erased_at: string | null;
  shipments: Shipment[];
  expected_delivery: ExpectedDelivery | null;
  /** ISO 8601, UTC, with milliseconds and Z. */
  cancellable_until: string;
  actions: {
    cancel: {
      /** Whether a cancel would be accepted now. */
      available: boolean;
      /** ISO 8601, UTC, with milliseconds and Z. */
      until: string;
    };
    change_address: {
      /** Whether the delivery address could be changed now. */
      available: boolean;
      /** ISO 8601, UTC, with milliseconds and Z. */
      until: string;
    };
    ask_to_cancel: {
      /** Whether the shop can be asked to cancel it now: after its window, until it is dispatched. */
      available: boolean;
    };
  };
  cancellation_request: CancellationRequest | null;
  hold: Hold | null;
  /** All that keeps it from going on. Filter the list by `blocked_by`. */
  blocked_by: OrderBlock[];
  charges: Charge[];
  refunds: Refund[];
  customs: OrderCustoms;
  metadata: Record<string, string>;
  /** What was accepted but may not be what was meant. */
  warnings: Warning[];
  /** Grows by one with each event of the order. */
  version: number;
  /** ISO 8601, UTC, with milliseconds and Z. */
  created_at: string;
  /** ISO 8601, UTC, with milliseconds and Z. */
  updated_at: string;
};

/** A member that was not given is "". */
export type OrderAddress = {
  contact_name: string;
  company_name: string;
  line1: string;
  line2: string;
  city: string;
  county: string;
  postcode: string;
  country_code: string;
  phone: string;
  email: string;
};

export type OrderBlock = {
  /** payment: it is not paid. hold: the shop holds it, or some lines. artwork: it could not be made. */
  kind: Open<'payment' | 'hold' | 'artwork'>;
  /** In words. */
  reason: string;
  /** The lines that it is about; none: the whole order. */
  line_ids: string[];
  /** What its customer can do: top up the balance, send other artwork, or nothing but wait for the shop. */
  cure: Open<'pay' | 'replace_artwork' | 'wait'>;
};

/** The brand on the packing slip. */
export type OrderBrand = {
  id: string;
  /** As it was when the order was placed. */
  name: string;
};

export type OrderCancelledEvent = {
  /** Stable across retries and replays: deduplicate by it. */
  id: string;
  event: 'order.cancelled';
  /** ISO 8601, UTC, with milliseconds and Z. */
  created_at: string;
  data: {
    /** The id of the order, ord_…. */
    order_id: string;
    /** The human reference of the order, PF-…. */
    reference: string;
    /** The order's status when the event was recorded, not what has just happened. */
    status: string;
    /** GBP in major units, rounded to 2 decimals. */
    refunded_gbp: number;
    /** api or ops. */
    cancelled_by: string;
  };
  /** Grows by one with each event of an order: put events in order by it. */
  sequence: number;
  /** true in an event of POST /webhooks/{id}/test, which never happened; absent otherwise. */
  test?: boolean;
};

export type OrderCreatedEvent = {
  /** Stable across retries and replays: deduplicate by it. */
  id: string;
  event: 'order.created';
  /** ISO 8601, UTC, with milliseconds and Z. */
  created_at: string;
  data: {
    /** The id of the order, ord_…. */
    order_id: string;
    /** The human reference of the order, PF-…. */
    reference: string;
    /** "" when the order has none. */
    external_reference: string;
    /** The order's status when the event was recorded, not what has just happened. */
    status: string;
    /** GBP in major units, rounded to 2 decimals. */
    total: number;
    currency: 'GBP';
    /** The number of lines. */
    item_count: number;
  };
  /** Grows by one with each event of an order: put events in order by it. */
  sequence: number;
  /** true in an event of POST /webhooks/{id}/test, which never happened; absent otherwise. */
  test?: boolean;
};

/** The numbers of the seller of record; "" where there is none. */
export type OrderCustoms = {
  eori_number: string;
  ioss_number: string;
};

export type OrderDispatchedEvent = {
  /** Stable across retries and replays: deduplicate by it. */
  id: string;
  event: 'order.dispatched';
  /** ISO 8601, UTC, with milliseconds and Z. */
  created_at: string;
  data: {
    /** The human reference of the order, PF-…. */
    reference: string;
    /** The order's status when the event was recorded, not what has just happened. */
    status: string;
    /** The carrier of the latest shipment. */
    carrier: string;
    tracking_numbers: string[];
  };
  /** Grows by one with each event of an order: put events in order by it. */
  sequence: number;
  /** true in an event of POST /webhooks/{id}/test, which never happened; absent otherwise. */
  test?: boolean;
};

export type OrderInProductionEvent = {
  /** Stable across retries and replays: deduplicate by it. */
  id: string;
  event: 'order.in_production';
  /** ISO 8601, UTC, with milliseconds and Z. */
  created_at: string;
  data: {
    /** The id of the order, ord_…. */
    order_id: string;
    /** The human reference of the order, PF-…. */
    reference: string;
    /** The order's status when the event was recorded, not what has just happened. */
    status: string;
  };
  /** Grows by one with each event of an order: put events in order by it. */
  sequence: number;
  /** true in an event of POST /webhooks/{id}/test, which never happened; absent otherwise. */
  test?: boolean;
};

export type OrderItem = {
  /** A customer product of the account. */
  product_id: string;
  /** A blank_variant_sku of the product's variants. */
  variant_sku: string;
  /** Pieces. */
  quantity: number;
  /** Label of the line; the product name when left out. */
  name?: string | undefined;
  /** Display label recorded on the line. */
  colour?: string | undefined;
  /** Display label recorded on the line. */
  size?: string | undefined;
  /** The areas to print and bill. Send every one; [] is a deliberately blank garment. */
  print_jobs?: readonly PrintJob[] | undefined;
  decoration?: Decoration | undefined;
  /** What the consumer paid for one piece without tax, in GBP, at most 2 decimals: its value for customs and duty abroad. What is charged for it when left out. */
  declared_unit_price?: number | undefined;
};

export type OrderLine = {
  blank_variant_sku: string;
  qty: number;
  /** Pieces of these that are in parcels on their way. */
  qty_shipped: number;
  /** Pieces of these that are not made any more. */
  qty_cancelled: number;
  /** The product that was ordered; it may have changed since. */
  product_id: string;
  id: string;
  name: string;
  print_jobs: {
    area: string;
    method: string;
  }[];
  /** True once every print file of the line is ready. */
  artwork_ready: boolean;
  artwork?: LineArtwork;
  mock_url: string | null;
  thumbnail_url: string | null;
  declared_unit_price: number | null;
  status: Open<'queued' | 'printing' | 'part_shipped' | 'shipped' | 'cancelled'>;
  hold: Hold | null;
};

/** The order that a replacement makes good for. */
export type OrderName = {
  id: string;
  reference: string;
};

export type OrderOnHoldEvent = {
  /** Stable across retries and replays: deduplicate by it. */
  id: string;
  event: 'order.on_hold';
  /** ISO 8601, UTC, with milliseconds and Z. */
  created_at: string;
  data: {
    /** The human reference of the order, PF-…. */
    reference: string;
    /** The order's status when the event was recorded, not what has just happened. */
    status: string;
    reason: string;
  };
  /** Grows by one with each event of an order: put events in order by it. */
  sequence: number;
  /** true in an event of POST /webhooks/{id}/test, which never happened; absent otherwise. */
  test?: boolean;
};

export type OrderPage = {
  data: Order[];
  /** True when another page exists. */
  has_more: boolean;
  next_cursor: string | null;
};

export type OrderPaymentFailedEvent = {
  /** Stable across retries and replays: deduplicate by it. */
  id: string;
  event: 'order.payment_failed';
  /** ISO 8601, UTC, with milliseconds and Z. */
  created_at: string;
  data: {
    /** The id of the order, ord_…. */
    order_id: string;
    /** The human reference of the order, PF-…. */
    reference: string;
    /** GBP in major units, rounded to 2 decimals. */
    amount_gbp: number;
    /** GBP in major units, rounded to 2 decimals. */
    paid_gbp: number;
    /** GBP in major units, rounded to 2 decimals. */
    remaining_gbp: number;
    failed_method: string;
    reason: string;
  };
  /** Grows by one with each event of an order: put events in order by it. */
  sequence: number;
  /** true in an event of POST /webhooks/{id}/test, which never happened; absent otherwise. */
  test?: boolean;
};

export type OrderProblem = {
  id: string;
  order: ProblemOrder;
  /** damaged, wrong_item or print_fault: of the pieces. missing: not in the parcel. late or lost: the parcel. other: see the text. */
  kind: Open<'damaged' | 'wrong_item' | 'print_fault' | 'missing' | 'late' | 'lost' | 'other'>;
  /** open until it is answered: replaced (the pieces are made again), refunded or refused. withdrawn: by you, before an answer. */
  status: Open<'open' | 'replaced' | 'refunded' | 'refused' | 'withdrawn'>;
  /** Empty once the personal data of the order is erased. */
  text: string;
  items: ProblemItem[];
  /** Deleted some months after the answer. */
  photos: ProblemPhoto[];
  external_reference: string;
  /** ISO 8601, UTC, with milliseconds and Z. */
  reported_at: string;
  /** By when the shop means to answer. */
  answer_due_at: string;
  ended_at: string | null;
  answer: ProblemAnswer | null;
  actions: {
    withdraw: {
      /** Whether it can be withdrawn now. */
      available: boolean;
    };
  };
};

export type OrderProblemPage = {
  data: OrderProblem[];
  /** True when another page exists. */
  has_more: boolean;
  next_cursor: string | null;
};

export type OrderShipmentCreatedEvent = {
  /** Stable across retries and replays: deduplicate by it. */
  id: string;
  event: 'order.shipment_created';
  /** ISO 8601, UTC, with milliseconds and Z. */
  created_at: string;
  data: {
    /** The human reference of the order, PF-…. */
    reference: string;
    /** The order's status when the event was recorded, not what has just happened. */
    status: string;
    shipment: {
      tracking_number: string;
      carrier: string;
      tracking_url: string | null;
      items: {
        variant_sku: string;
        name: string;
        quantity: number;
      }[];
    };
  };
  /** Grows by one with each event of an order: put events in order by it. */
  sequence: number;
  /** true in an event of POST /webhooks/{id}/test, which never happened; absent otherwise. */
  test?: boolean;
};

/** There are fewer blanks in stock than the basket needs. Nothing was charged, stored or reserved. */
export type OutOfStockError = {
  /** Link to the description of the error: /docs/errors#code. */
  type: string;
  /** The same for every error of this code. */
  title: string;
  status: 409;
  code: 'out_of_stock';
  /** What went wrong this time and what to change, for a person. */
  detail: string;
  /** Quote it to support; the same as the header X-Request-Id. */
  request_id: string;
  /** Every variant that is short. */
  oversold: OversoldVariant[];
};

export type OversoldVariant = {
  variant_sku: string;
  /** Pieces requested in all lines of this variant. */
  requested: number;
  /** Pieces that can be ordered now. */
  available: number;
  /** Indexes into items. */
  lines: number[];
};

/** The body has more than 1,048,576 bytes. */
export type PayloadTooLargeError = {
  /** Link to the description of the error: /docs/errors#code. */
  type: string;
  /** The same for every error of this code. */
  title: string;
  status: 413;
  code: 'payload_too_large';
  /** What went wrong this time and what to change, for a person. */
  detail: string;
  /** Quote it to support; the same as the header X-Request-Id. */
  request_id: string;
};

export type Personalisation = {
  /** In the order of the template; empty for a product that is not personalised. */
  layers: (TextLayer | ImageLayer | PhotoCollageLayer | ImageSelectLayer)[];
};

/** For a personalised product. */
export type PersonalisationInputs = {
  /** A value for each layer by its id: the text; the address of an image; a list of addresses as JSON text for a photo collage; the id of an option. null leaves an optional layer empty. `<id>#font` and `<id>#color` override where the layer allows it. GET /products/{id}/personalisation lists the layers. */
  inputs: Record<string, string | null>;
};

export type PersonalisationPreview = {
  /** The print area that the proof shows. */
  print_area: string;
  /** All print areas that the inputs fill. */
  print_areas: string[];
  /** A JPEG of what will be printed, on the colour of the variant; signed, works for one hour. */
  proof_url: string;
  /** When the proof ends. Ask for another then. */
  expires_at: string;
  /** What was accepted but may not be what was meant. */
  warnings: Warning[];
};

export type PhotoCollageLayer = {
  /** The key of its value in decoration.personalisation.inputs. */
  id: string;
  /** A label for the buyer. */
  name: string;
  /** false: null, or no value, leaves the layer empty. */
  required: boolean;
  print_area: string;
  /** Where it is printed, in pixels of the print area's template. */
  box: {
    x_px: number;
    y_px: number;
    width_px: number;
    height_px: number;
  };
  type: 'photo_collage';
  pictures_max: number;
  /** Filled row by row. */
  grid: {
    columns: number;
    rows: number;
  };
};

export type PlaceOrderBody = {
  /** bulk by default. */
  type?: ('sample' | 'bulk') | undefined;
  /** The lines of the order. */
  items: readonly OrderItem[];
  shipping_address: Address;
  /** The shipping_address when left out. */
  billing_address?: Address | undefined;
  /** The caller's own order id: unique over the platform, and the idempotency key. */
  external_reference?: string | undefined;
  /** The total that was agreed, in GBP: an order at any other is not placed, and 409 has the present one. An estimate ignores it. */
  expected_total?: number | undefined;
  /** Free text for ops. */
  notes?: string | undefined;
  brand?: (string | null) | undefined;
  customs?: CustomsNumbers | undefined;
  /** A service of shipping_options, or its id; the cheapest tracked one when left out. */
  shipping_service?: string | undefined;
  /** The caller's own data: up to 50 pairs of strings; a name has at most 100 characters. */
  metadata?: Record<string, string> | undefined;
};

export type PlannedArtwork = {
  print_area: string;
  method: string;
  source: ArtworkSource | null;
  print: PrintedArtwork | null;
};

/** x and y are fractions of the area: 0.5, 0.5 is centred. rotation is in degrees. */
export type Position = {
  x: number;
  y: number;
  scale: number;
  rotation: number;
};

/** x and y are fractions of the print area. Centred, at scale 1, unless given. */
export type PositionBody = {
  /** Of the centre: 0.5 is the middle. */
  x?: number | undefined;
  /** Of the centre: 0.5 is the middle. */
  y?: number | undefined;
  /** At 1 the artwork just fits its area. */
  scale?: number | undefined;
  /** Degrees clockwise; whole turns are removed. */
  rotation?: number | undefined;
};

export type PreviewPersonalisationBody = {
  /** A value for each layer by its id: the text; the address of an image; a list of addresses as JSON text for a photo collage; the id of an option. null leaves an optional layer empty. `<id>#font` and `<id>#color` override where the layer allows it. GET /products/{id}/personalisation lists the layers. */
  inputs: Record<string, string | null>;
  /** The variant whose colour lies behind the print; the first active one when left out. */
  variant_sku?: string | undefined;
  /** The print area to show; the first that the inputs fill when left out. */
  print_area?: string | undefined;
};

/** The total is not the expected_total of the request. Nothing was charged or stored. */
export type PriceChangedError = {
  /** Link to the description of the error: /docs/errors#code. */
  type: string;
  /** The same for every error of this code. */
  title: string;
  status: 409;
  code: 'price_changed';
  /** What went wrong this time and what to change, for a person. */
  detail: string;
  /** Quote it to support; the same as the header X-Request-Id. */
  request_id: string;
  /** What the order costs at this moment. */
  total: number;
};

export type PricedLine = {
  variant_sku: string;
  quantity: number;
  /** Of one piece with its prints, in GBP, net of VAT. */
  unit_price: number;
  /** unit_price times quantity. */
  line_price: number;
  print_jobs: {
    area: string;
    method: string;
  }[];
};

export type Prices = {
  currency: 'GBP';
  /** Counted over all sizes and colours of this base product in an order. */
  blanks: {
    variant_sku: string;
    /** The unit price of the highest from_quantity that the quantity reaches. */
    breaks: {
      from_quantity: number;
      /** GBP in major units, rounded to 2 decimals. */
      unit_price: number;
    }[];
  }[];
  /** Added to the blank; counted over the same design, area and method in an order. */
  prints: {
    print_area: string;
    method: string;
    /** The unit price of the highest from_quantity that the quantity reaches. */
    breaks: {
      from_quantity: number;
      /** GBP in major units, rounded to 2 decimals. */
      unit_price: number;
    }[];
  }[];
  /** Charged once for each design and method. */
  setups: {
    method: string;
    basis: 'design';
    /** GBP in major units, rounded to 2 decimals. */
    price: number;
  }[];
};

export type PrintArea = {
  print_area: string;
  title: string;
  methods: string[];
  width_mm: number;
  height_mm: number;
  dpi: number;
  width_px: number;
  height_px: number;
  format: 'png';
};

export type PrintAreaPage = {
  data: PrintArea[];
  /** True when another page exists. */
  has_more: boolean;
  next_cursor: string | null;
};

export type PrintJob = {
  /** A print area of the product. */
  area: string;
  /** A method of that area. */
  method: string;
};

/** How the artwork prints on the area, at its position. */
export type PrintedArtwork = {
  /** Of the whole artwork on the product. */
  width_mm: number;
  /** Of the whole artwork on the product. */
  height_mm: number;
  /** The pixels of the artwork for each inch of the print. */
  dpi: number;
  /** From 0 to 1: the part that its print area cuts off. */
  share_outside: number;
};

/** One problem of a request. */
export type Problem = {
  /** The place in the request, such as items[0].quantity; empty for the body itself. */
  path: string;
  /** Identifies the problem for programs. /docs/errors lists the codes; more may be added. */
  code: string;
  /** What is wrong and what would be valid, for a person. */
  message: string;
  /** The valid values, where the choice is finite. */
  valid_values?: string[];
};

export type ProblemAnswer = {
  /** What the shop says. */
  message: string;
  replacement: ProblemOrder | null;
  refund_gbp: number | null;
};

export type ProblemItem = {
  line_id: string;
  variant_sku: string;
  name: string;
  quantity: number;
};

export type ProblemItemBody = {
  /** A line of the order: items[].id. */
  line_id: string;
  /** Pieces that have the problem. */
  quantity: number;
};

export type ProblemOrder = {
  id: string;
  reference: string;
};

export type ProblemPhoto = {
  /** The picture as it was sent. Signed, valid for one hour. */
  url: string;
  /** A small picture. Signed, valid for one hour. */
  thumbnail_url: string;
};

/** All problems of the order, the newest first: has_more is always false. */
export type ProblemsOfOrder = {
  data: OrderProblem[];
  /** True when another page exists. */
  has_more: boolean;
  next_cursor: string | null;
  actions: {
    report: ReportAction;
  };
};

export type Product = {
  id: string;
  name: string;
  description: string;
  status: Open<'active' | 'draft' | 'archived'>;
  tags: string[];
  retail_price: number | null;
  /** What it is printed on. */
  base_product: {
    id: string;
    master_sku: string;
    title: string;
  };
  mockup_url: string | null;
  thumbnail_url: string | null;
  /** A drawn garment, or a panel for what has no drawing, with its first print in each colour that can be ordered. Signed, valid for one hour. */
  mockups: ColourMockup[];
  /** Whether its orders take decoration.personalisation. */
  personalised: boolean;
  /** The areas that have artwork on this product. */
  print_areas: ProductArea[];
  variants: ProductVariant[];
  /** ISO 8601, UTC, with milliseconds and Z. */
  created_at: string;
  /** ISO 8601, UTC, with milliseconds and Z. */
  updated_at: string;
};

export type ProductArea = {
  print_area: string;
  method: string;
  position: Position;
};

export type ProductAreaBody = {
  /** A print area of the base product, each once. */
  print_area: string;
  /** A method of that area. */
  method: string;
  /** Print-ready artwork: fetched over https, checked and stored. */
  artwork_url: string;
  position?: PositionBody | undefined;
};

/** The artwork of the product. */
export type ProductDecoration = {
  /** The whole decoration: an area that is not listed has no artwork. */
  areas: readonly ProductAreaBody[];
};

export type ProductPage = {
  data: Product[];
  /** True when another page exists. */
  has_more: boolean;
  next_cursor: string | null;
};

export type ProductVariant = {
  id: string;
  /** Send it as variant_sku of an order line. */
  blank_variant_sku: string;
  colour: string;
  colour_hex: string;
  /** Whether it can be ordered. */
  active: boolean;
};

/** Too many requests in a minute from this token or IP address; X-RateLimit-Scope says which. */
export type RateLimitedError = {
  /** Link to the description of the error: /docs/errors#code. */
  type: string;
  /** The same for every error of this code. */
  title: string;
  status: 429;
  code: 'rate_limited';
  /** What went wrong this time and what to change, for a person. */
  detail: string;
  /** Quote it to support; the same as the header X-Request-Id. */
  request_id: string;
};

export type RecentDelivery = {
  /** The same as the header svc-delivery-id. */
  id: string;
  event: string;
  status: Open<'pending' | 'retrying' | 'succeeded' | 'abandoned' | 'cancelled'>;
  attempts: number;
  response_code: number | null;
  error: string | null;
  /** ISO 8601, UTC, with milliseconds and Z. */
  delivered_at: string;
};

export type Refund = {
  id: string;
  payment_id: string | null;
  method: Open<'balance' | 'card' | 'direct_debit'>;
  /** GBP in major units, rounded to 2 decimals. */
  amount: number;
  currency: 'GBP';
  /** pending: still owed, to be paid out by hand. */
  status: Open<'refunded' | 'pending'>;
  reason: string;
  /** ISO 8601, UTC, with milliseconds and Z. */
  created_at: string;
};

/** The refund did not go through, so the order was not cancelled: nothing has changed. */
export type RefundFailedError = {
  /** Link to the description of the error: /docs/errors#code. */
  type: string;
  /** The same for every error of this code. */
  title: string;
  status: 502;
  code: 'refund_failed';
  /** What went wrong this time and what to change, for a person. */
  detail: string;
  /** Quote it to support; the same as the header X-Request-Id. */
  request_id: string;
};

export type ReplaceArtworkBody = {
  /** A print area of the line. */
  print_area: string;
  /** The https URL of the new artwork, fetched at once and checked as that of an order is. */
  url: string;
};

export type ReplayWebhookBody = {
  /** Replays events created at this time or later. What is older than the event log is left out. */
  since: string;
  /** And before this time; now when left out or later. */
  until?: string | undefined;
  /** true only counts the events. */
  dry_run?: boolean | undefined;
};

export type ReportAction = {
  /** Whether a problem can be reported now. */
  available: boolean;
  until: string | null;
  /** The lines with pieces that can be reported, and how many. */
  items: ReportableItem[];
};

export type ReportProblemBody = {
  /** damaged, wrong_item or print_fault: of the pieces. missing: not in the parcel. late or lost: the parcel. other: see the text. */
  kind: 'damaged' | 'wrong_item' | 'print_fault' | 'missing' | 'late' | 'lost' | 'other';
  /** What is wrong. */
  text: string;
  /** The pieces: shipped, and in no other problem that was not withdrawn. */
  items: readonly ProblemItemBody[];
  /** Https addresses of pictures, fetched at once and checked as artwork is: PNG, JPEG or WebP. */
  photos?: readonly string[] | undefined;
  /** Your own id of the problem, unique in your account: a repeat with it reports nothing anew. */
  external_reference?: string | undefined;
};

export type ReportableItem = {
  line_id: string;
  variant_sku: string;
  name: string;
  quantity: number;
};

export type RotatedWebhookSecret = {
  /** The id of the subscription. */
  id: string;
  /** The new secret. It is shown this once. */
  secret: string;
  /** Until then deliveries are signed with both secrets, from then on with the new one alone. */
  previous_secret_until: string;
};

export type SetupFee = {
  method: string;
  /** The lines that use it, counted from 0. */
  lines: number[];
  /** The print areas that it is used on. */
  areas: string[];
  /** What this order is charged for it, in GBP; 0 if it is paid already. */
  amount: number;
  /** Whether another order of the account has paid it. An order that waits for payment gives no right: a setup is paid with the first order that is paid. */
  already_paid: boolean;
};

export type Shipment = {
  id: string;
  carrier: string;
  tracking_number: string;
  tracking_url: string | null;
  /** ISO 8601, UTC, with milliseconds and Z. */
  shipped_at: string;
  items: {
    line_id: string;
    quantity: number;
  }[];
};

/** The chosen service, named by shipping_service. */
export type ShippingOption = {
  /** Stays the same while the name of the service may change. */
  id: string;
  /** Send it, or the id, as shipping_service to pick this option. */
  service: string;
  carrier: string;
  /** GBP in major units, rounded to 2 decimals. */
  amount: number;
  currency: 'GBP';
  /** Days until it arrives. */
  eta_days: {
    min: number;
    max: number;
  };
  tracked: boolean;
  expected_delivery: ExpectedDelivery | null;
};

/** Planned: today the endpoint answers 501 to every call. */
export type ShippingRates = {
  data: {
    id: string;
    service: string;
    carrier: string;
    /** In `currency`, major units. */
    amount: number;
    currency: string;
    eta_days: {
      min: number;
      max: number;
    };
  }[];
};

export type ShippingRatesBody = {
  /** Where to. */
  destination: {
    /** ISO 3166-1 alpha-2, upper case. */
    country: string;
    /** Required for all countries; where a country has none, any non-blank text. */
    postcode: string;
    state?: (string | null) | undefined;
    /** Town or city. */
    city?: string | undefined;
  };
  /** What is shipped. */
  items: readonly {
    /** The id of a variant of a base product. */
    variant_id: string;
    /** Pieces. */
    qty: number;
  }[];
  /** ISO 4217; GBP when left out. */
  currency?: string | undefined;
};

/** `replay` is null when the events were only counted. */
export type StartedWebhookReplay = {
  /** From when on events are sent. */
  since: string;
  /** Before when events are sent. */
  until: string;
  /** How many events of the subscription there were when this was counted. */
  events: number;
  replay: WebhookReplay | null;
};

export type Stock = {
  variant_sku: string;
  /** What can be ordered now; nothing is reserved. */
  available: number;
  /** ISO 8601, UTC, with milliseconds and Z. */
  updated_at: string;
};

export type StockPage = {
  data: Stock[];
  /** True when another page exists. */
  has_more: boolean;
  next_cursor: string | null;
};

/** Planned: today the endpoint answers 501 to every call. */
export type TaxRates = {
  currency: string;
  subtotal: number;
  tax_total: number;
  lines: {
    variant_id: string;
    tax_rate: number;
    tax_amount: number;
    jurisdictions: {
      name: string;
      rate: number;
      amount: number;
    }[];
  }[];
};

export type TaxRatesBody = {
  /** Where to. */
  destination: {
    /** ISO 3166-1 alpha-2, upper case. */
    country: string;
    /** Required for all countries; where a country has none, any non-blank text. */
    postcode: string;
    /** Required for US, CA, AU and IN: two letters, or three for AU. */
    state?: string | undefined;
  };
  /** What is sold. */
  lines: readonly {
    /** The id of a variant of a base product. */
    variant_id: string;
    /** Pieces. */
    qty: number;
    /** Sale price of one, in `currency`. */
    unit_price: number;
  }[];
  /** ISO 4217. */
  currency: string;
};

export type TestWebhookBody = {
  /** Which event to send; order.created by default. */
  event?:
    | (
        | 'order.created'
        | 'order.payment_failed'
        | 'order.in_production'
        | 'order.shipment_created'
        | 'order.dispatched'
        | 'order.cancelled'
        | 'order.on_hold'
      )
    | undefined;
};

export type TextLayer = {
  /** The key of its value in decoration.personalisation.inputs. */
  id: string;
  /** A label for the buyer. */
  name: string;
  /** false: null, or no value, leaves the layer empty. */
  required: boolean;
  print_area: string;
  /** Where it is printed, in pixels of the print area's template. */
  box: {
    x_px: number;
    y_px: number;
    width_px: number;
    height_px: number;
  };
  type: 'text';
  /** Unicode code points. */
  length_max: number;
  font: {
    default: string;
    /** Allowed values of <id>#font. When empty, it may not be sent. */
    choices: string[];
    /** What the default and the choices are like. */
    families: {
      family: string;
      /** Its character in a few words, such as `serif` or `handwriting`. */
      style: string;
      /** Scripts by their names in Unicode that it has letters of its own for. */
      scripts: string[];
    }[];
    /** Scripts by their names in Unicode that the text can be in. A letter that its family lacks is printed in a plain one that has it. Any other is refused with `unsupported_character`. */
    scripts: string[];
  };
  color: {
    /** #rrggbb */
    default: string;
    /** true: <id>#color may be any #rrggbb. */
    any: boolean;
    /** Allowed values of <id>#color. When empty and any is false, it may not be sent. */
    choices: string[];
  };
};

export type Transaction = {
  id: string;
  type: Open<'top_up' | 'charge' | 'refund'>;
  /** GBP in major units: positive when it adds to the balance, negative when it takes from it. */
  amount: number;
  /** GBP in major units, rounded to 2 decimals. */
  balance_after: number;
  currency: 'GBP';
  order_id: string | null;
  /** The order's reference, or that of the top-up. */
  reference: string;
  /** What it is, in plain words. For a correction, a payout or a write-off also why. */
  description: string;
  /** ISO 8601, UTC, with milliseconds and Z. */
  created_at: string;
};

export type TransactionPage = {
  data: Transaction[];
  /** True when another page exists. */
  has_more: boolean;
  next_cursor: string | null;
};

/** There is no bearer token, or it is mistyped, expired or revoked. Only a token in the header counts. */
export type UnauthorizedError = {
  /** Link to the description of the error: /docs/errors#code. */
  type: string;
  /** The same for every error of this code. */
  title: string;
  status: 401;
  code: 'unauthorized';
  /** What went wrong this time and what to change, for a person. */
  detail: string;
  /** Quote it to support; the same as the header X-Request-Id. */
  request_id: string;
};

/** The database cannot be reached, this node is shutting down, or there is no room for artwork. */
export type UnavailableError = {
  /** Link to the description of the error: /docs/errors#code. */
  type: string;
  /** The same for every error of this code. */
  title: string;
  status: 503;
  code: 'unavailable';
  /** What went wrong this time and what to change, for a person. */
  detail: string;
  /** Quote it to support; the same as the header X-Request-Id. */
  request_id: string;
};

/** The body is not declared as JSON in UTF-8, or is compressed. */
export type UnsupportedMediaTypeError = {
  /** Link to the description of the error: /docs/errors#code. */
  type: string;
  /** The same for every error of this code. */
  title: string;
  status: 415;
  code: 'unsupported_media_type';
  /** What went wrong this time and what to change, for a person. */
  detail: string;
  /** Quote it to support; the same as the header X-Request-Id. */
  request_id: string;
};

export type UpdateBrandRequest = {
  /** Stands on the packing slip. No two brands of an account have the same, whatever its case. */
  name?: string | undefined;
  /** To the recipient, below the pieces; at most 20 lines. */
  message?: string | undefined;
  /** Where the recipient asks for help; "" is none. */
  support_email?: string | undefined;
  /** The address of the shop, printed as it stands; "" is none. */
  website?: string | undefined;
  /** Where returns go, line by line, as it is printed. */
  return_lines?: readonly string[] | undefined;
  logo_url?: (string | null) | undefined;
  /** Orders that name no brand have this one, in place of the one before. */
  is_default?: boolean | undefined;
};

export type UpdateProductBody = {
  /** What the product is called; the label of its order lines. */
  name?: string | undefined;
  /** Blank variants to offer, in this order: active ones of the base product, each once. */
  variant_skus?: readonly string[] | undefined;
  /** In your own words. */
  description?: string | undefined;
  retail_price?: (number | null) | undefined;
  /** Labels of your own. */
  tags?: readonly string[] | undefined;
  mockup_url?: (string | null) | undefined;
  decoration?: ProductDecoration | undefined;
  /** active by default at creation. */
  status?: ('active' | 'draft') | undefined;
};

export type UploadResult = {
  url: string;
  valid: boolean;
  /** Detected from the content: image/png, image/jpeg or image/webp. */
  mime?: string;
  /** In pixels, after any rotation that EXIF asks for. */
  width?: number;
  /** In pixels, after any rotation that EXIF asks for. */
  height?: number;
  bytes?: number;
  /** Hash of the file, in hex. Equal files are one design. */
  sha256?: string;
  /** Whether the file has an alpha channel. */
  has_transparency?: boolean;
  background?: string | null;
  colour_space?: Open<'rgb' | 'grey' | 'cmyk'>;
  colour_profile?: string | null;
  print?: PrintedArtwork;
  /** What would be accepted but may not print as it looks. */
  warnings?: {
    /** Machine-readable. /docs/errors#warnings lists the codes; more may be added. */
    code: string;
    /** The member with the address: url or urls[0]. */
    path: string;
    message: string;
  }[];
  /** What is wrong, machine-readable; on failure. /docs/errors#problems lists the codes; more may be added. */
  code?: string;
  /** What is wrong, in words; on failure. */
  message?: string;
};

export type UploadValidation = {
  /** True only if every URL passed. */
  valid: boolean;
  /** One for each URL, in the order of the request. */
  results: UploadResult[];
};

/** Exactly one of url and urls; base_product_id and print_area together or not at all. */
export type ValidateUploadsBody = {
  /** The https URL of an image. */
  url?: string | undefined;
  /** Several URLs, instead of url. */
  urls?: readonly string[] | undefined;
  /** With print_area: each result also says how the artwork prints there. */
  base_product_id?: string | undefined;
  /** A print area of the base product. */
  print_area?: string | undefined;
  /** A method of the area; the one that needs the most dpi when left out. */
  method?: string | undefined;
  /** A SKU of the base product, to be warned of a background that its colour would show. */
  variant_sku?: string | undefined;
  position?: PositionBody | undefined;
};

/** The request is well-formed but wrong: a field is missing or out of bounds, a name is unknown, an artwork URL fails its checks. The whole request is refused and nothing is written. */
export type ValidationFailedError = {
  /** Link to the description of the error: /docs/errors#code. */
  type: string;
  /** The same for every error of this code. */
  title: string;
  status: 422;
  code: 'validation_failed';
  /** What went wrong this time and what to change, for a person. */
  detail: string;
  /** Quote it to support; the same as the header X-Request-Id. */
  request_id: string;
  /** All problems of the request. */
  errors: Problem[];
  /** The names of all events, if an event name was unknown. */
  valid_events?: string[];
};

export type Warning = {
  /** Machine-readable. /docs/errors#warnings lists the codes; more may be added. */
  code: string;
  /** The member it is about, such as items[0].quantity. */
  path: string;
  message: string;
};

export type WebhookDelivery = {
  /** The same as the header svc-delivery-id. */
  id: string;
  /** The id of the event: the same for all its deliveries. */
  event_id: string;
  event: string;
  /** Why it was made. Failures of redeliveries and of replays do not count towards the 15 that disable. */
  kind: Open<'event' | 'redelivery' | 'replay'>;
  status: Open<'pending' | 'retrying' | 'succeeded' | 'abandoned' | 'cancelled'>;
  attempts: number;
  response_code: number | null;
  error: string | null;
  /** ISO 8601, UTC, with milliseconds and Z. */
  created_at: string;
  attempted_at: string | null;
  next_attempt_at: string | null;
};

export type WebhookDeliveryDetail = {
  /** The same as the header svc-delivery-id. */
  id: string;
  /** The id of the event: the same for all its deliveries. */
  event_id: string;
  event: string;
  /** Why it was made. Failures of redeliveries and of replays do not count towards the 15 that disable. */
  kind: Open<'event' | 'redelivery' | 'replay'>;
  status: Open<'pending' | 'retrying' | 'succeeded' | 'abandoned' | 'cancelled'>;
  attempts: number;
  response_code: number | null;
  error: string | null;
  /** ISO 8601, UTC, with milliseconds and Z. */
  created_at: string;
  attempted_at: string | null;
  next_attempt_at: string | null;
  answer: string | null;
  request: WebhookDeliveryRequest | null;
};

export type WebhookDeliveryPage = {
  data: WebhookDelivery[];
  /** True when another page exists. */
  has_more: boolean;
  next_cursor: string | null;
};

/** Null once the event has left the log. */
export type WebhookDeliveryRequest = {
  /** Those that are the same at each attempt; time and signatures are new each time. */
  headers: Record<string, string>;
  body: OrderEvent;
};

export type WebhookReplay = {
  id: string;
  status: Open<'running' | 'paused' | 'completed' | 'cancelled'>;
  paused_reason: string | null;
  /** From when on events are sent. */
  since: string;
  /** Before when events are sent. */
  until: string;
  /** How many events of the subscription there were when this was counted. */
  events: number;
  /** How many deliveries it has made. */
  sent: number;
  succeeded: number;
  /** Given up after the last retry, or cancelled. */
  failed: number;
  /** Events that had left the event log before their turn came, so that no delivery was made. Counted when it is completed. */
  expired: number;
  /** ISO 8601, UTC, with milliseconds and Z. */
  created_at: string;
  /** ISO 8601, UTC, with milliseconds and Z. */
  updated_at: string;
  ended_at: string | null;
};

export type WebhookReplayPage = {
  data: WebhookReplay[];
  /** True when another page exists. */
  has_more: boolean;
  next_cursor: string | null;
};

export type WebhookSubscription = {
  id: string;
  url: string;
  /** Empty means all events, future ones included. */
  events: string[];
  description: string;
  active: boolean;
  disabled_reason: string | null;
  failing_since: string | null;
  /** ISO 8601, UTC, with milliseconds and Z. */
  created_at: string;
  /** ISO 8601, UTC, with milliseconds and Z. */
  updated_at: string;
};

export type WebhookSubscriptionDetail = {
  id: string;
  url: string;
  /** Empty means all events, future ones included. */
  events: string[];
  description: string;
  active: boolean;
  disabled_reason: string | null;
  failing_since: string | null;
  /** ISO 8601, UTC, with milliseconds and Z. */
  created_at: string;
  /** ISO 8601, UTC, with milliseconds and Z. */
  updated_at: string;
  /** Consecutive failed attempts, over all deliveries. */
  failure_count: number;
  previous_secret_until: string | null;
  /** The last attempts, newest first, at most 20. */
  recent_deliveries: RecentDelivery[];
};

export type WebhookSubscriptionPage = {
  data: WebhookSubscription[];
  /** True when another page exists. */
  has_more: boolean;
  next_cursor: string | null;
};

export type WebhookTest = {
  /** Whether a delivery that is answered so would count as succeeded. */
  delivered: boolean;
  request: {
    url: string;
    headers: Record<string, string>;
    body: OrderEvent;
  };
  response_code: number | null;
  /** The beginning of the body of the answer, at most 2,048 bytes as text. Always empty for a host that is private and reached because the operator trusts it. */
  answer: string;
  error: string | null;
  duration_ms: number;
};

export type WrittenBrand = {
  id: string;
  /** Stands on the packing slip in place of the name of the print shop. */
  name: string;
  message: string;
  support_email: string;
  website: string;
  return_lines: string[];
  logo_url: string | null;
  /** Whether orders that name no brand have this one. */
  is_default: boolean;
  status: Open<'active' | 'archived'>;
  /** ISO 8601, UTC, with milliseconds and Z. */
  created_at: string;
  /** ISO 8601, UTC, with milliseconds and Z. */
  updated_at: string;
  /** What was accepted but may not be what was meant. */
  warnings: Warning[];
};

export type WrittenProduct = {
  id: string;
  name: string;
  description: string;
  status: Open<'active' | 'draft' | 'archived'>;
  tags: string[];
  retail_price: number | null;
  /** What it is printed on. */
  base_product: {
    id: string;
    master_sku: string;
    title: string;
  };
  mockup_url: string | null;
  thumbnail_url: string | null;
  /** A drawn garment, or a panel for what has no drawing, with its first print in each colour that can be ordered. Signed, valid for one hour. */
  mockups: ColourMockup[];
  /** Whether its orders take decoration.personalisation. */
  personalised: boolean;
  /** The areas that have artwork on this product. */
  print_areas: ProductArea[];
  variants: ProductVariant[];
  /** ISO 8601, UTC, with milliseconds and Z. */
  created_at: string;
  /** ISO 8601, UTC, with milliseconds and Z. */
  updated_at: string;
  /** What was accepted but may not be what was meant. */
  warnings: Warning[];
};

/** What each operation takes, and the body of its success. */
export type Operations = {
  /** Archive a brand */
  archiveBrand: {
    input: {
      path: {
        /** Brand id. */
        id: string;
      };
    };
    reply: undefined;
  };
  /** Archive a product */
  archiveProduct: {
    input: {
      path: {
        /** Product id. */
        id: string;
      };
    };
    reply: undefined;
  };
  /** Ask to cancel an order */
  askToCancel: {
    input: {
      path: {
        /** Order id or reference. */
        id: string;
      };
      body: AskToCancelBody;
    };
    reply: CancellationRequest;
  };
  /** Cancel an order */
  cancelOrder: {
    input: {
      path: {
        /** Order id or reference. */
        id: string;
      };
    };
    reply: Cancellation;
  };
  /** Change the delivery address of an order */
  changeOrderAddress: {
    input: {
      path: {
        /** Order id or reference. */
        id: string;
      };
      body: ChangeAddressBody;
    };
    reply: Order;
  };
  /** Change a webhook subscription */
  changeWebhook: {
    input: {
      path: {
        /** The id of a subscription, whk_…. */
        id: string;
      };
      body: ChangeSubscriptionBody;
    };
    reply: ChangedWebhookSubscription;
  };
  /** Pause, resume or cancel a replay */
  changeWebhookReplay: {
    input: {
      path: {
        /** The id of a subscription, whk_…. */
        id: string;
        /** The id of a replay, rpl_…. */
        replay: string;
      };
      body: ChangeWebhookReplayBody;
    };
    reply: WebhookReplay;
  };
  /** Create a brand */
  createBrand: { input: { body: CreateBrandRequest }; reply: WrittenBrand };
  /** Create a product */
  createProduct: { input: { body: CreateProductBody }; reply: WrittenProduct };
  /** Create a webhook subscription */
  createWebhook: { input: { body: CreateSubscriptionBody }; reply: CreatedWebhookSubscription };
  /** Price a basket */
  estimateOrder: { input: { body: PlaceOrderBody }; reply: Estimate };
  /** Fetch the balance */
  getBalance: {
    input: {
      query?:
        | {
            /** The balance as it was at this time; now by default. */
            at?: string | undefined;
          }
        | undefined;
    };
    reply: AccountBalance;
  };
  /** Fetch a base product */
  getBaseProduct: {
    input: {
      path: {
        /** Base product id. */
        id: string;
      };
    };
    reply: BaseProduct;
  };
  /** Fetch whom invoices are addressed to */
  getBilling: { input: { path?: undefined }; reply: AccountBilling };
  /** Fetch a brand */
  getBrand: {
    input: {
      path: {
        /** Brand id. */
        id: string;
      };
    };
    reply: Brand;
  };
  /** Fetch a credit note */
  getCreditNote: {
    input: {
      path: {
        /** Order id or reference. */
        id: string;
        /** The id of the credit note. */
        credit_note_id: string;
      };
    };
    reply: CreditNote;
  };
  /** Fetch the invoice of an order */
  getInvoice: {
    input: {
      path: {
        /** Order id or reference. */
        id: string;
      };
    };
    reply: Invoice;
  };
  /** Fetch an order */
  getOrder: {
    input: {
      path: {
        /** Order id or reference. */
        id: string;
      };
    };
    reply: Order;
  };
  /** Fetch the layers of a personalised product */
  getPersonalisation: {
    input: {
      path: {
        /** Product id. */
        id: string;
      };
    };
    reply: Personalisation;
  };
  /** Fetch the prices of a base product */
  getPrices: {
    input: {
      path: {
        /** Base product id. */
        id: string;
      };
    };
    reply: Prices;
  };
  /** Fetch a problem */
  getProblem: {
    input: {
      path: {
        /** Problem id. */
        id: string;
      };
    };
    reply: OrderProblem;
  };
  /** Fetch a product */
  getProduct: {
    input: {
      path: {
        /** Product id. */
        id: string;
      };
    };
    reply: Product;
  };
  /** Fetch a webhook subscription */
  getWebhook: {
    input: {
      path: {
        /** The id of a subscription, whk_…. */
        id: string;
      };
    };
    reply: WebhookSubscriptionDetail;
  };
  /** Fetch a delivery with its request */
  getWebhookDelivery: {
    input: {
      path: {
        /** The id of a subscription, whk_…. */
        id: string;
        /** The id of a delivery, dlv_…. */
        delivery: string;
      };
    };
    reply: WebhookDeliveryDetail;
  };
  /** Fetch a replay */
  getWebhookReplay: {
    input: {
      path: {
        /** The id of a subscription, whk_…. */
        id: string;
        /** The id of a replay, rpl_…. */
        replay: string;
      };
    };
    reply: WebhookReplay;
  };
  /** List base products */
  listBaseProducts: {
    input: {
      query?:
        | {
            /** Records a page, 1 to 100, 25 by default. */
            limit?: number | undefined;
            /** The next_cursor of the previous page. */
            cursor?: string | undefined;
          }
        | undefined;
    };
    reply: BaseProductPage;
  };
  /** List brands */
  listBrands: {
    input: {
      query?:
        | {
            /** Records a page, 1 to 100, 25 by default. */
            limit?: number | undefined;
            /** The next_cursor of the previous page. */
            cursor?: string | undefined;
          }
        | undefined;
    };
    reply: BrandPage;
  };
  /** List the credit notes of an order */
  listCreditNotes: {
    input: {
      path: {
        /** Order id or reference. */
        id: string;
      };
      query?:
        | {
            /** Records a page, 1 to 100, 25 by default. */
            limit?: number | undefined;
            /** The next_cursor of the previous page. */
            cursor?: string | undefined;
          }
        | undefined;
    };
    reply: CreditNotePage;
  };
  /** List events */
  listEvents: {
    input: {
      query?:
        | {
            /** Records a page, 1 to 100, 25 by default. */
            limit?: number | undefined;
            /** Where to continue: the next_cursor of the previous page or, where that is null at the end of the log, the id of the last event that you have read here. The log never skips an event: poll with the same cursor until there is a new one. */
            cursor?: string | undefined;
            /** Only events of this order: its id or its reference. */
            order?: string | undefined;
            /** Only events of these names, with commas between: order.created, order.payment_failed, order.in_production, order.shipment_created, order.dispatched, order.cancelled, order.on_hold. */
            event?: string | undefined;
            /** Newest first, to look at what has just happened; next_cursor then goes back in time. What must miss no event reads without it. */
            sort?: 'newest' | undefined;
            /** Only events created at this time or later. The log reaches back to log_begins_at, 30 days or more. */
            since?: string | undefined;
          }
        | undefined;
    };
    reply: EventPage;
  };
  /** List the problems of an order */
  listOrderProblems: {
    input: {
      path: {
        /** Order id or reference. */
        id: string;
      };
    };
    reply: ProblemsOfOrder;
  };
  /** List orders */
  listOrders: {
    input: {
      query?:
        | {
            /** Records a page, 1 to 100, 25 by default. */
            limit?: number | undefined;
            /** The next_cursor of the previous page, with the `sort` of that page. */
            cursor?: string | undefined;
            /** Which orders come first; newest by default. */
            sort?: ('newest' | 'oldest') | undefined;
            /** Only orders of this status. */
            status?: ('pending' | 'confirmed' | 'in_production' | 'dispatched' | 'delivered' | 'cancelled') | undefined;
            /** Only orders of this type. */
            type?: ('sample' | 'bulk') | undefined;
            /** Only the order with this reference, if it is yours. */
            external_reference?: string | undefined;
            /** Only orders with this `shop_number` or external_reference. Two connected shops may have the same number; a leading # is optional. */
            number?: string | undefined;
            /** Only orders that do not go on, for anything or for one reason. */
            blocked_by?: ('anything' | 'payment' | 'hold' | 'artwork') | undefined;
            /** Only orders that were placed at this time or later. */
            placed_since?: string | undefined;
            /** Only orders that were placed before this time. */
            placed_before?: string | undefined;
            /** Only orders that were placed or changed at this time or later. When you poll, start a minute before your last request: a change shows once every change before it is complete. GET /events is the exact record. */
            updated_since?: string | undefined;
          }
        | undefined;
    };
    reply: OrderPage;
  };
  /** List the print areas of a base product */
  listPrintAreas: {
    input: {
      path: {
        /** Base product id. */
        id: string;
      };
    };
    reply: PrintAreaPage;
  };
  /** List problems */
  listProblems: {
    input: {
      query?:
        | {
            /** Records a page, 1 to 100, 25 by default. */
            limit?: number | undefined;
            /** The next_cursor of the previous page. */
            cursor?: string | undefined;
            /** Only problems of this status. */
            status?: ('open' | 'replaced' | 'refunded' | 'refused' | 'withdrawn') | undefined;
          }
        | undefined;
    };
    reply: OrderProblemPage;
  };
  /** List products */
  listProducts: {
    input: {
      query?:
        | {
            /** Records a page, 1 to 100, 25 by default. */
            limit?: number | undefined;
            /** The next_cursor of the previous page. */
            cursor?: string | undefined;
          }
        | undefined;
    };
    reply: ProductPage;
  };
  /** List stock */
  listStock: {
    input: {
      query?:
        | {
            /** Records a page, 1 to 100, 25 by default. */
            limit?: number | undefined;
            /** The next_cursor of the previous page. */
            cursor?: string | undefined;
            /** Up to 100 SKUs, separated by commas; all by default. */
            variant_sku?: string | undefined;
          }
        | undefined;
    };
    reply: StockPage;
  };
  /** List transactions */
  listTransactions: {
    input: {
      query?:
        | {
            /** Records a page, 1 to 100, 25 by default. */
            limit?: number | undefined;
            /** The next_cursor of the previous page. */
            cursor?: string | undefined;
          }
        | undefined;
    };
    reply: TransactionPage;
  };
  /** List the deliveries of a subscription */
  listWebhookDeliveries: {
    input: {
      path: {
        /** The id of a subscription, whk_…. */
        id: string;
      };
      query?:
        | {
            /** Records a page, 1 to 100, 25 by default. */
            limit?: number | undefined;
            /** The next_cursor of the previous page. */
            cursor?: string | undefined;
            /** Only deliveries with this status. */
            status?: ('pending' | 'retrying' | 'succeeded' | 'abandoned' | 'cancelled') | undefined;
            /** Only deliveries of this event. */
            event?:
              | (
                  | 'order.created'
                  | 'order.payment_failed'
                  | 'order.in_production'
                  | 'order.shipment_created'
                  | 'order.dispatched'
                  | 'order.cancelled'
                  | 'order.on_hold'
                )
              | undefined;
            /** Only deliveries created at this time or later; some of the minute before are among them. */
            since?: string | undefined;
            /** Only deliveries whose cause began before this time. */
            until?: string | undefined;
          }
        | undefined;
    };
    reply: WebhookDeliveryPage;
  };
  /** List the replays of a subscription */
  listWebhookReplays: {
    input: {
      path: {
        /** The id of a subscription, whk_…. */
        id: string;
      };
      query?:
        | {
            /** Records a page, 1 to 100, 25 by default. */
            limit?: number | undefined;
            /** The next_cursor of the previous page. */
            cursor?: string | undefined;
          }
        | undefined;
    };
    reply: WebhookReplayPage;
  };
  /** List webhook subscriptions */
  listWebhooks: {
    input: {
      query?:
        | {
            /** Records a page, 1 to 100, 25 by default. */
            limit?: number | undefined;
            /** The next_cursor of the previous page. */
            cursor?: string | undefined;
          }
        | undefined;
    };
    reply: WebhookSubscriptionPage;
  };
  /** Place an order */
  placeOrder: { input: { body: PlaceOrderBody }; reply: CreatedOrder };
  /** Show a personalised piece */
  previewPersonalisation: {
    input: {
      path: {
        /** Product id. */
        id: string;
      };
      body: PreviewPersonalisationBody;
    };
    reply: PersonalisationPreview;
  };
  /** Quote shipping rates */
  quoteShipping: { input: { body: ShippingRatesBody }; reply: ShippingRates };
  /** Quote tax rates */
  quoteTax: { input: { body: TaxRatesBody }; reply: TaxRates };
  /** Send a delivery again */
  redeliverWebhook: {
    input: {
      path: {
        /** The id of a subscription, whk_…. */
        id: string;
        /** The id of a delivery, dlv_…. */
        delivery: string;
      };
    };
    reply: WebhookDelivery;
  };
  /** Remove a webhook subscription */
  removeWebhook: {
    input: {
      path: {
        /** The id of a subscription, whk_…. */
        id: string;
      };
    };
    reply: undefined;
  };
  /** Replace artwork that failed */
  replaceArtwork: {
    input: {
      path: {
        /** Order id or reference. */
        id: string;
        /** A line of the order: items[].id. */
        line: string;
      };
      body: ReplaceArtworkBody;
    };
    reply: Order;
  };
  /** Replay events */
  replayWebhook: {
    input: {
      path: {
        /** The id of a subscription, whk_…. */
        id: string;
      };
      body: ReplayWebhookBody;
    };
    reply: StartedWebhookReplay;
  };
  /** Report a problem */
  reportProblem: {
    input: {
      path: {
        /** Order id or reference. */
        id: string;
      };
      body: ReportProblemBody;
    };
    reply: OrderProblem;
  };
  /** Replace the signing secret */
  rotateWebhookSecret: {
    input: {
      path: {
        /** The id of a subscription, whk_…. */
        id: string;
      };
    };
    reply: RotatedWebhookSecret;
  };
  /** Send a test event */
  testWebhook: {
    input: {
      path: {
        /** The id of a subscription, whk_…. */
        id: string;
      };
      body: TestWebhookBody;
    };
    reply: WebhookTest;
  };
  /** Change a brand */
  updateBrand: {
    input: {
      path: {
        /** Brand id. */
        id: string;
      };
      body: UpdateBrandRequest;
    };
    reply: WrittenBrand;
  };
  /** Change a product */
  updateProduct: {
    input: {
      path: {
        /** Product id. */
        id: string;
      };
      body: UpdateProductBody;
    };
    reply: WrittenProduct;
  };
  /** Check artwork */
  validateUploads: { input: { body: ValidateUploadsBody }; reply: UploadValidation };
  /** Withdraw the request to cancel */
  withdrawCancellationRequest: {
    input: {
      path: {
        /** Order id or reference. */
        id: string;
      };
    };
    reply: CancellationRequest;
  };
  /** Withdraw a problem */
  withdrawProblem: {
    input: {
      path: {
        /** Problem id. */
        id: string;
      };
    };
    reply: OrderProblem;
  };
};

/** Where each operation is. Members of the path stand in braces. */
export const OPERATIONS = {
  archiveBrand: { method: 'DELETE', path: '/brands/{id}' },
  archiveProduct: { method: 'DELETE', path: '/products/{id}' },
  askToCancel: { method: 'POST', path: '/orders/{id}/cancellation-request' },
  cancelOrder: { method: 'POST', path: '/orders/{id}/cancel' },
  changeOrderAddress: { method: 'PATCH', path: '/orders/{id}/address' },
  changeWebhook: { method: 'PATCH', path: '/webhooks/{id}' },
  changeWebhookReplay: { method: 'PATCH', path: '/webhooks/{id}/replays/{replay}' },
  createBrand: { method: 'POST', path: '/brands' },
  createProduct: { method: 'POST', path: '/products' },
  createWebhook: { method: 'POST', path: '/webhooks' },
  estimateOrder: { method: 'POST', path: '/orders/estimate' },
  getBalance: { method: 'GET', path: '/account/balance' },
  getBaseProduct: { method: 'GET', path: '/catalog/products/{id}' },
  getBilling: { method: 'GET', path: '/account/billing' },
  getBrand: { method: 'GET', path: '/brands/{id}' },
  getCreditNote: { method: 'GET', path: '/orders/{id}/credit-notes/{credit_note_id}' },
  getInvoice: { method: 'GET', path: '/orders/{id}/invoice' },
  getOrder: { method: 'GET', path: '/orders/{id}' },
  getPersonalisation: { method: 'GET', path: '/products/{id}/personalisation' },
  getPrices: { method: 'GET', path: '/catalog/products/{id}/prices' },
  getProblem: { method: 'GET', path: '/problems/{id}' },
  getProduct: { method: 'GET', path: '/products/{id}' },
  getWebhook: { method: 'GET', path: '/webhooks/{id}' },
  getWebhookDelivery: { method: 'GET', path: '/webhooks/{id}/deliveries/{delivery}' },
  getWebhookReplay: { method: 'GET', path: '/webhooks/{id}/replays/{replay}' },
  listBaseProducts: { method: 'GET', path: '/catalog/products' },
  listBrands: { method: 'GET', path: '/brands' },
  listCreditNotes: { method: 'GET', path: '/orders/{id}/credit-notes' },
  listEvents: { method: 'GET', path: '/events' },
  listOrderProblems: { method: 'GET', path: '/orders/{id}/problems' },
  listOrders: { method: 'GET', path: '/orders' },
  listPrintAreas: { method: 'GET', path: '/catalog/products/{id}/print-areas' },
  listProblems: { method: 'GET', path: '/problems' },
  listProducts: { method: 'GET', path: '/products' },
  listStock: { method: 'GET', path: '/stock' },
  listTransactions: { method: 'GET', path: '/account/transactions' },
  listWebhookDeliveries: { method: 'GET', path: '/webhooks/{id}/deliveries' },
  listWebhookReplays: { method: 'GET', path: '/webhooks/{id}/replays' },
  listWebhooks: { method: 'GET', path: '/webhooks' },
  placeOrder: { method: 'POST', path: '/orders' },
  previewPersonalisation: { method: 'POST', path: '/products/{id}/personalisation/preview' },
  quoteShipping: { method: 'POST', path: '/shipping/rates' },
  quoteTax: { method: 'POST', path: '/tax/rates' },
  redeliverWebhook: { method: 'POST', path: '/webhooks/{id}/deliveries/{delivery}/redeliver' },
  removeWebhook: { method: 'DELETE', path: '/webhooks/{id}' },
  replaceArtwork: { method: 'POST', path: '/orders/{id}/lines/{line}/artwork' },
  replayWebhook: { method: 'POST', path: '/webhooks/{id}/replay' },
  reportProblem: { method: 'POST', path: '/orders/{id}/problems' },
  rotateWebhookSecret: { method: 'POST', path: '/webhooks/{id}/rotate-secret' },
  testWebhook: { method: 'POST', path: '/webhooks/{id}/test' },
  updateBrand: { method: 'PATCH', path: '/brands/{id}' },
  updateProduct: { method: 'PATCH', path: '/products/{id}' },
  validateUploads: { method: 'POST', path: '/uploads/validate' },
  withdrawCancellationRequest: { method: 'DELETE', path: '/orders/{id}/cancellation-request' },
  withdrawProblem: { method: 'POST', path: '/problems/{id}/withdraw' },
} as const;

/** The body of an error of each code. */
export type ErrorBodies = {
  cancellation_window_closed: CancellationWindowClosedError;
  conflict: ConflictError;
  duplicate_external_reference: DuplicateExternalReferenceError;
  insufficient_scope: InsufficientScopeError;
  internal_error: InternalError;
  invalid_request: InvalidRequestError;
  not_found: NotFoundError;
  not_implemented: NotImplementedError;
  out_of_stock: OutOfStockError;
  payload_too_large: PayloadTooLargeError;
  price_changed: PriceChangedError;
  rate_limited: RateLimitedError;
  refund_failed: RefundFailedError;
  unauthorized: UnauthorizedError;
  unavailable: UnavailableError;
  unsupported_media_type: UnsupportedMediaTypeError;
  validation_failed: ValidationFailedError;
};
