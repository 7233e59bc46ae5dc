/**
 * The part of Shopify's Admin API, version 2026-07, that is asked for: names, arguments and what may be null.
 * A query that the real one would not understand is not understood by the double either.
 */
export const SCHEMA = `
scalar DateTime
scalar URL
scalar JSON
scalar Money

directive @idempotent(key: String!) on FIELD

enum CurrencyCode { GBP EUR USD }
enum RefundLineItemRestockType { CANCEL LEGACY_RESTOCK NO_RESTOCK RETURN }
enum OrderTransactionKind { REFUND SALE }

enum ProductStatus { ACTIVE ARCHIVED DRAFT UNLISTED }
enum ProductVariantInventoryPolicy { DENY CONTINUE }
enum ProductVariantsBulkCreateStrategy { DEFAULT REMOVE_STANDALONE_VARIANT PRESERVE_STANDALONE_VARIANT }
enum FileContentType { IMAGE FILE VIDEO EXTERNAL_VIDEO MODEL_3D }
enum MetafieldOwnerType { PRODUCT }

interface Node { id: ID! }
enum OrderSortKeys { CREATED_AT UPDATED_AT }
enum FulfillmentOrderAssignmentStatus { CANCELLATION_REQUESTED FULFILLMENT_REQUESTED FULFILLMENT_ACCEPTED FULFILLMENT_UNSUBMITTED }
enum WebhookSubscriptionFormat { JSON XML }
enum WebhookSubscriptionTopic {
  ORDERS_CREATE ORDERS_UPDATED ORDERS_CANCELLED ORDERS_RISK_ASSESSMENT_CHANGED APP_UNINSTALLED
  FULFILLMENT_ORDERS_FULFILLMENT_REQUEST_SUBMITTED FULFILLMENT_ORDERS_CANCELLATION_REQUEST_SUBMITTED
  FULFILLMENT_ORDERS_PLACED_ON_HOLD FULFILLMENT_ORDERS_HOLD_RELEASED FULFILLMENT_ORDERS_MOVED FULFILLMENT_ORDERS_RESCHEDULED
  FULFILLMENT_ORDERS_SCHEDULED_FULFILLMENT_ORDER_READY
}

type PageInfo { hasNextPage: Boolean! endCursor: String }
type UserError { field: [String!] message: String! }
type Attribute { key: String! value: String }
type Location { id: ID! isFulfillmentService: Boolean! }
type AssignedLocation { location: Location }
type FulfillmentService { id: ID! handle: String! serviceName: String! type: String! location: Location }
type InventoryQuantity { name: String! quantity: Int! }
type InventoryLevel { quantities(names: [String!]!): [InventoryQuantity!]! }
type InventoryItem { tracked: Boolean! inventoryLevel(locationId: ID!, includeInactive: Boolean = false): InventoryLevel }
type ProductVariant {
  id: ID! sku: String price: Money! inventoryPolicy: ProductVariantInventoryPolicy! inventoryItem: InventoryItem!
}
type ProductVariantConnection { nodes: [ProductVariant!]! pageInfo: PageInfo! }
type ProductOption { id: ID! name: String! }
type Product {
  id: ID! status: ProductStatus! options(first: Int): [ProductOption!]!
  variants(first: Int, after: String): ProductVariantConnection!
}
type ShippingLine { title: String! }
enum RiskAssessmentResult { HIGH LOW MEDIUM NONE PENDING }
type OrderRiskAssessment { riskLevel: RiskAssessmentResult! }
type Risk { recommendation: String! assessments: [OrderRiskAssessment!]! }
type MailingAddress {
  firstName: String lastName: String name: String company: String address1: String address2: String city: String
  province: String provinceCode: String zip: String countryCodeV2: String phone: String
}
type LineItem {
  id: ID! title: String! sku: String variantTitle: String quantity: Int! currentQuantity: Int!
  refundableQuantity: Int!
  unfulfilledQuantity: Int! requiresShipping: Boolean!
  variant: ProductVariant customAttributes: [Attribute!]! fulfillmentService: FulfillmentService
}
type LineItemConnection { nodes: [LineItem!]! pageInfo: PageInfo! }
type FulfillmentOrderLineItem { id: ID! totalQuantity: Int! remainingQuantity: Int! lineItem: LineItem! }
type FulfillmentOrderLineItemConnection { nodes: [FulfillmentOrderLineItem!]! pageInfo: PageInfo! }
type FulfillmentOrder {
  id: ID! orderId: ID! status: String! requestStatus: String! fulfillAt: DateTime assignedLocation: AssignedLocation!
  lineItems(first: Int, after: String): FulfillmentOrderLineItemConnection!
  fulfillments(first: Int, after: String): FulfillmentConnection!
}
type FulfillmentConnection { nodes: [Fulfillment!]! pageInfo: PageInfo! }
type FulfillmentOrderConnection { nodes: [FulfillmentOrder!]! pageInfo: PageInfo! }
type TrackingInfo { company: String number: String url: URL }
type FulfillmentLineItem { quantity: Int lineItem: LineItem! }
type FulfillmentLineItemConnection { nodes: [FulfillmentLineItem!]! pageInfo: PageInfo! }
type Fulfillment {
  id: ID! status: String! trackingInfo(first: Int): [TrackingInfo!]!
  fulfillmentLineItems(first: Int, after: String): FulfillmentLineItemConnection!
}
type MoneyV2 { amount: String! currencyCode: CurrencyCode! }
type MoneyBag { presentmentMoney: MoneyV2! shopMoney: MoneyV2! }
type OrderTransaction { id: ID! }
type SuggestedOrderTransaction { gateway: String parentTransaction: OrderTransaction amountSet: MoneyBag! }
type SuggestedRefund { amountSet: MoneyBag! suggestedTransactions: [SuggestedOrderTransaction!]! }
type RefundLineItem { quantity: Int! lineItem: LineItem! }
type RefundLineItemConnection { nodes: [RefundLineItem!]! }
type Refund { id: ID! note: String refundLineItems(first: Int): RefundLineItemConnection! }
type Metafield { id: ID! jsonValue: JSON! }
type Order implements Node {
  id: ID! name: String! createdAt: DateTime! processedAt: DateTime! updatedAt: DateTime! cancelledAt: DateTime test: Boolean!
  email: String phone: String note: String displayFinancialStatus: String displayFulfillmentStatus: String!
  risk: Risk! shippingLine: ShippingLine shippingAddress: MailingAddress
  lineItems(first: Int, after: String): LineItemConnection!
  fulfillmentOrders(first: Int, after: String): FulfillmentOrderConnection!
  fulfillments(first: Int): [Fulfillment!]!
  metafield(namespace: String, key: String!): Metafield
  refunds(first: Int): [Refund!]!
  suggestedRefund(refundLineItems: [RefundLineItemInput!]): SuggestedRefund
}
type OrderEdge { cursor: String! node: Order! }
type OrderConnection { edges: [OrderEdge!]! pageInfo: PageInfo! }
type Shop { fulfillmentServices: [FulfillmentService!]! }
type WebhookSubscription { id: ID! topic: WebhookSubscriptionTopic! uri: String! }
type WebhookSubscriptionConnection { nodes: [WebhookSubscription!]! }
type App { id: ID! }

input UniqueMetafieldValueInput { namespace: String key: String! value: String! }
input ProductIdentifierInput { id: ID customId: UniqueMetafieldValueInput handle: String }
input MetafieldInput { namespace: String key: String value: String type: String }
input MetafieldDefinitionInput { namespace: String key: String! name: String! ownerType: MetafieldOwnerType! type: String! }
input FileSetInput { alt: String contentType: FileContentType originalSource: String }
input OptionValueSetInput { id: ID name: String }
input OptionSetInput { id: ID name: String position: Int values: [OptionValueSetInput!] }
input VariantOptionValueInput { id: ID name: String optionId: ID optionName: String }
input InventoryItemInput { sku: String tracked: Boolean requiresShipping: Boolean }
input ProductSetInventoryInput { locationId: ID! name: String! quantity: Int! }
input InventoryLevelInput { availableQuantity: Int! locationId: ID! }
input InventoryAdjustmentInput { locationId: ID! adjustment: Int changeFromQuantity: Int }
input ProductVariantSetInput {
  id: ID optionValues: [VariantOptionValueInput!]! price: Money sku: String inventoryPolicy: ProductVariantInventoryPolicy
  inventoryQuantities: [ProductSetInventoryInput!] inventoryItem: InventoryItemInput
}
input ProductSetInput {
  id: ID title: String descriptionHtml: String handle: String status: ProductStatus metafields: [MetafieldInput!]
  files: [FileSetInput!] productOptions: [OptionSetInput!] variants: [ProductVariantSetInput!]
}
input ProductVariantsBulkInput {
  id: ID optionValues: [VariantOptionValueInput!] price: Money inventoryPolicy: ProductVariantInventoryPolicy
  inventoryQuantities: [InventoryLevelInput!] quantityAdjustments: [InventoryAdjustmentInput!] inventoryItem: InventoryItemInput
}
input WebhookSubscriptionInput { uri: String format: WebhookSubscriptionFormat includeFields: [String!] }
input FulfillmentTrackingInput { company: String number: String numbers: [String!] url: URL urls: [URL!] }
input FulfillmentOrderLineItemInput { id: ID! quantity: Int! }
input FulfillmentOrderLineItemsInput { fulfillmentOrderId: ID! fulfillmentOrderLineItems: [FulfillmentOrderLineItemInput!] }
input FulfillmentInput {
  lineItemsByFulfillmentOrder: [FulfillmentOrderLineItemsInput!]! trackingInfo: FulfillmentTrackingInput
  notifyCustomer: Boolean = false
}
input RefundLineItemInput { lineItemId: ID! quantity: Int! restockType: RefundLineItemRestockType locationId: ID }
input OrderTransactionInput { amount: Money! gateway: String! kind: OrderTransactionKind! orderId: ID! parentId: ID }
input RefundInput {
  orderId: ID! note: String notify: Boolean currency: CurrencyCode refundLineItems: [RefundLineItemInput!]
  transactions: [OrderTransactionInput!]
}
input MetafieldsSetInput { ownerId: ID! namespace: String key: String! value: String! type: String }

type ServicePayload { fulfillmentService: FulfillmentService userErrors: [UserError!]! }
type HookPayload { webhookSubscription: WebhookSubscription userErrors: [UserError!]! }
type AnsweredPayload { fulfillmentOrder: FulfillmentOrder userErrors: [UserError!]! }
type FulfillmentPayload { fulfillment: Fulfillment userErrors: [UserError!]! }
type MetafieldsPayload { metafields: [Metafield!] userErrors: [UserError!]! }
type RefundPayload { refund: Refund userErrors: [UserError!]! }
type TagsPayload { node: Node userErrors: [UserError!]! }
type CodedError { code: String field: [String!] message: String! }
type MetafieldDefinition { id: ID! }
type DefinitionPayload { createdDefinition: MetafieldDefinition userErrors: [CodedError!]! }
type ProductPayload { product: Product userErrors: [CodedError!]! }
type UninstallPayload { app: App userErrors: [UserError!]! }

type Query {
  shop: Shop!
  product(id: ID!): Product
  productByIdentifier(identifier: ProductIdentifierInput!): Product
  nodes(ids: [ID!]!): [Node]!
  order(id: ID!): Order
  orders(first: Int, after: String, query: String, sortKey: OrderSortKeys, reverse: Boolean = false): OrderConnection!
  fulfillment(id: ID!): Fulfillment
  refund(id: ID!): Refund
  fulfillmentOrder(id: ID!): FulfillmentOrder
  assignedFulfillmentOrders(first: Int, after: String,
    assignmentStatus: FulfillmentOrderAssignmentStatus): FulfillmentOrderConnection!
  webhookSubscriptions(first: Int, uri: String): WebhookSubscriptionConnection!
}
type Mutation {
  fulfillmentServiceCreate(name: String!, callbackUrl: URL, trackingSupport: Boolean = false,
    inventoryManagement: Boolean = false, requiresShippingMethod: Boolean = true): ServicePayload
  webhookSubscriptionCreate(topic: WebhookSubscriptionTopic!, webhookSubscription: WebhookSubscriptionInput!): HookPayload
  fulfillmentOrderAcceptFulfillmentRequest(id: ID!, message: String): AnsweredPayload
  fulfillmentOrderRejectFulfillmentRequest(id: ID!, message: String): AnsweredPayload
  fulfillmentOrderAcceptCancellationRequest(id: ID!, message: String): AnsweredPayload
  fulfillmentOrderRejectCancellationRequest(id: ID!, message: String): AnsweredPayload
  fulfillmentOrderClose(id: ID!, message: String): AnsweredPayload
  fulfillmentCreate(fulfillment: FulfillmentInput!, message: String): FulfillmentPayload
  fulfillmentTrackingInfoUpdate(fulfillmentId: ID!, trackingInfoInput: FulfillmentTrackingInput!,
    notifyCustomer: Boolean): FulfillmentPayload
  metafieldsSet(metafields: [MetafieldsSetInput!]!): MetafieldsPayload
  metafieldDefinitionCreate(definition: MetafieldDefinitionInput!): DefinitionPayload
  productSet(input: ProductSetInput!, synchronous: Boolean = true): ProductPayload
  productVariantsBulkCreate(productId: ID!, variants: [ProductVariantsBulkInput!]!,
    strategy: ProductVariantsBulkCreateStrategy = DEFAULT): ProductPayload
  productVariantsBulkUpdate(productId: ID!, variants: [ProductVariantsBulkInput!]!,
    allowPartialUpdates: Boolean = false): ProductPayload
  refundCreate(input: RefundInput!): RefundPayload
  tagsAdd(id: ID!, tags: [String!]!): TagsPayload
  appUninstall: UninstallPayload
}
`;
