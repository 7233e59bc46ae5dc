import { nullable, oneOf, Timestamp } from '../lib/schemas.ts';
import { type Static, Type } from '../lib/typebox.ts';
import { INBOX_REASONS } from './inbox/reasons.ts';
import { CONNECTABLE } from './platforms/platforms.ts';
import { LINKED_PLATFORMS } from './platforms/port.ts';

const NAME_MAX = 100;
const SERVICES_MAX = 50;
const DELAY_MINUTES_MAX = 10_080;

const Name = Type.String({
  minLength: 1,
  maxLength: NAME_MAX,
  pattern: '\\S',
  description: 'What you call the shop.',
});
const Service = Type.Object(
  {
    theirs: Type.String({ minLength: 1, maxLength: 200, pattern: '\\S', description: 'What the shop calls it.' }),
    ours: Type.String({ minLength: 1, maxLength: 100, description: 'A service of the estimate, or its id.' }),
  },
  { title: 'ChannelService' },
);
const Services = Type.Array(Service, {
  maxItems: SERVICES_MAX,
  description: 'Which service of ours stands for which of the shop. For any other the cheapest tracked one is taken.',
});
const NeedsApproval = Type.Boolean({ description: 'Whether each order waits until a person has looked at it.' });
const DelayMinutes = Type.Integer({
  minimum: 0,
  maximum: DELAY_MINUTES_MAX,
  description: 'Minutes that an order waits before it is placed, so that the shop can still change it.',
});

const REFUNDS_BUYERS = [
  'Whether the shop gives its buyer the money back for pieces that are cancelled here and that it has not taken back',
  'itself, once for each piece, by the payment of its order. Never shipping, and never for what was cancelled before.',
].join(' ');
const RefundsBuyers = Type.Boolean({ description: REFUNDS_BUYERS });
const MakesBlanks = Type.Boolean({
  description: 'Whether a product without artwork is made as a blank garment. Its order waits for a person if not.',
});
const UnknownIsOthers = Type.Boolean({
  description: 'Whether an item that is not known here is made by others. Its order waits for a mapping if not.',
});

export const ConnectChannelBody = Type.Object({ name: Name }, { title: 'ConnectChannelBody' });
export type ConnectChannelBody = Static<typeof ConnectChannelBody>;

/** A shop of a platform that is to be linked. */
export const BeginLinkBody = Type.Object(
  {
    platform: oneOf(CONNECTABLE, { description: 'What the shop runs on.' }),
    name: Name,
    address: Type.String({ minLength: 1, maxLength: 500, description: 'Where the shop is.' }),
    channel: Type.Optional(
      Type.String({ maxLength: 100, description: 'A linked shop whose access is to be renewed; its address stays.' }),
    ),
    key: Type.Optional(
      Type.String({
        maxLength: 500,
        description: 'A secret key of the shop, for a platform without a page of consent: medusa.',
      }),
    ),
  },
  { title: 'BeginLinkBody' },
);
export type BeginLinkBody = Static<typeof BeginLinkBody>;

export const ChangeChannelBody = Type.Object(
  {
    name: Type.Optional(Name),
    paused: Type.Optional(
      Type.Boolean({ description: 'Orders of a paused shop are taken, and wait until it goes on.' }),
    ),
    needs_approval: Type.Optional(NeedsApproval),
    delay_minutes: Type.Optional(DelayMinutes),
    services: Type.Optional(Services),
    refunds_buyers: Type.Optional(RefundsBuyers),
    makes_blanks: Type.Optional(MakesBlanks),
    unknown_is_others: Type.Optional(UnknownIsOthers),
  },
  { title: 'ChangeChannelBody' },
);
export type ChangeChannelBody = Static<typeof ChangeChannelBody>;

/** How a shop does that is read from and written to. */
const Link = Type.Object(
  {
    address: Type.String({ description: 'Where the shop is.' }),
    synced_at: nullable({ ...Timestamp, description: 'When all changes until then had been read; null before that.' }),
    fault: nullable(
      Type.Object(
        { message: Type.String({ description: 'What is wrong, and what mends it.' }), since: Timestamp },
        { title: 'ChannelFault' },
      ),
    ),
    retry_at: nullable({ ...Timestamp, description: 'When the shop is asked again after a fault.' }),
    unreported: Type.Integer({ description: 'Orders with a report to the shop that is due; counted up to 1,000.' }),
    refused_reports: Type.Integer({
      description: 'Orders of which the shop takes no more news, so that a person has to; counted up to 1,000.',
    }),
    refused_products: Type.Integer({
      description: 'Products that could not be written to the shop the last time; counted up to 1,000.',
    }),
    unreadable: Type.Integer({ description: 'Orders that could not be read.' }),
    last_unreadable: nullable(Type.String({ description: 'What was wrong with the last of them.' })),
  },
  { title: 'ChannelLink', description: 'null for a shop that sends its orders itself.' },
);

/** A connected shop, and how it does. */
export const Channel = Type.Object(
  {
    id: Type.String(),
    platform: oneOf(['signed', ...LINKED_PLATFORMS], {
      description: 'signed: the shop, or who looks after it, sends its orders itself. Else they are read there.',
    }),
    name: Name,
    state: oneOf(['active', 'paused', 'disconnected']),
    needs_approval: NeedsApproval,
    delay_minutes: DelayMinutes,
    services: Services,
    refunds_buyers: nullable({ ...RefundsBuyers, description: `${REFUNDS_BUYERS} null where it takes none.` }),
    makes_blanks: MakesBlanks,
    unknown_is_others: UnknownIsOthers,
    orders_url: Type.String({ description: 'Where the shop posts its orders, signed.' }),
    connected_at: Timestamp,
    ended_at: nullable(Timestamp),
    last_order_at: nullable({ ...Timestamp, description: 'When the shop last sent an order, or a change of one.' }),
    waiting: Type.Array(
      Type.Object({ reason: oneOf(INBOX_REASONS), orders: Type.Integer() }, { title: 'ChannelWaiting' }),
      { description: 'Orders that wait or have failed, by the reason; each counted up to 1,000 in all.' },
    ),
    link: nullable(Link),
    refused: Type.Integer({ description: 'Requests that were refused for a wrong signature.' }),
    last_refused_at: nullable(Timestamp),
  },
  { title: 'Channel' },
);
export type Channel = Static<typeof Channel>;

/** A link that is begun: by consent the page of the shop, by a key the channel. */
export const BegunLink = Type.Object(
  {
    consent_url: Type.Optional(
      Type.String({ description: 'The page of the shop on which its people consent, within 30 minutes.' }),
    ),
    channel: Type.Optional(Channel),
  },
  { title: 'BegunLink' },
);
export type BegunLink = Static<typeof BegunLink>;

export const ChannelList = Type.Object({ data: Type.Array(Channel) }, { title: 'ChannelList' });

/** A channel with its signing secret. */
export const ChannelWithSecret = Type.Object(
  { channel: Channel, secret: Type.String({ description: 'Shown this once. Begins with `whsec_`.' }) },
  { title: 'ChannelWithSecret' },
);
export type ChannelWithSecret = Static<typeof ChannelWithSecret>;

export const ChannelParams = Type.Object({ id: Type.String({ description: 'Channel id.' }) });
