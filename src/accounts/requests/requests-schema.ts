import { type Static, Type } from 'typebox';
import { pageQuery } from '../../lib/paging.ts';
import { nullable, oneOf, pageSchema, publicIdPattern, Timestamp } from '../../lib/schemas.ts';

/** A request of a token, as the account sees it. */
export const OwnRequest = Type.Object(
  {
    id: Type.String({ description: 'The request id, as the header X-Request-Id of the response had it.' }),
    at: Timestamp,
    method: Type.String(),
    route: Type.String({ description: 'The path with the names of its parameters.' }),
    path: Type.String({ description: 'The path without its query.' }),
    status: Type.Integer(),
    code: nullable(
      Type.String({
        description: 'The code of the error; null for a success. client_gone, with 499, where no answer went out.',
      }),
    ),
    ms: Type.Number({ description: 'How long it took, in milliseconds.' }),
    token_id: nullable(Type.String({ description: 'The personal token; null for an app.' })),
    client_id: nullable(Type.String({ description: 'The OAuth app; null for a personal token.' })),
  },
  { title: 'OwnRequest' },
);
export type OwnRequest = Static<typeof OwnRequest>;

export const OwnRequestPage = pageSchema(OwnRequest);

export const ListRequestsQuery = Type.Object({
  ...pageQuery('req'),
  outcome: Type.Optional(oneOf(['refused'], { description: 'Only requests with a status of 400 or more.' })),
  id: Type.Optional(
    Type.String({
      pattern: publicIdPattern('req'),
      description: 'Only the request with this id.',
      'x-message': 'must be a request id, req_….',
    }),
  ),
});
export type ListRequestsQuery = Static<typeof ListRequestsQuery>;
