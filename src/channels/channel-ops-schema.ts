import { pageQuery } from '../lib/paging.ts';
import { oneOf, pageSchema } from '../lib/schemas.ts';
import { type Static, Type } from '../lib/typebox.ts';
import { Channel } from './channel-schema.ts';

/** A connected shop, as operators see it. */
export const OpsChannel = Type.Object(
  { ...Channel.properties, account_id: Type.String({ description: 'Whose shop it is.' }) },
  { title: 'OpsChannel' },
);
export type OpsChannel = Static<typeof OpsChannel>;

export const OpsChannelPage = pageSchema(OpsChannel);

export const ListOpsChannelsQuery = Type.Object({
  ...pageQuery('chan'),
  account: Type.Optional(Type.String({ maxLength: 100, description: 'Only shops of this account.' })),
  needs: Type.Optional(
    oneOf(['mending'], {
      description:
        'Only shops that could not be read or written the last time, see link.fault, or refuse a product, see link.refused_products.',
    }),
  ),
});
export type ListOpsChannelsQuery = Static<typeof ListOpsChannelsQuery>;
