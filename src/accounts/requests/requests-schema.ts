import { pageQuery } from '../../lib/paging.ts';
import { nullable, oneOf, pageSchema, publicIdPattern, Timestamp } from '../../lib/schemas.ts';
import { type Static, Type } from '../../lib/typebox.ts';

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

/** Longer than a path that is logged. */
const PATH_CHARACTERS_MAX = 300;

export const ListRequestsQuery = Type.Object({
  ...pageQuery('req'),
  outcome: Type.Optional(oneOf(['refused'], { description: 'Only requests with a status of 400 or more.' })),
  method: Type.Optional(
    oneOf(['GET', 'HEAD', 'POST', 'PATCH', 'DELETE'], { description: 'Only requests of this method.' }),
  ),
  status: Type.Optional(
    Type.String({
      pattern: '^([1-5]xx|[1-5][0-9]{2})$',
      description: 'Only requests with this status, or of this hundred: 404, 5xx.',
      'x-message': 'must be a status such as 404, or a hundred of them such as 4xx.',
    }),
  ),
  path: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: PATH_CHARACTERS_MAX,
      description: 'Only requests whose path has this text in it.',
    }),
  ),
  token: Type.Optional(
    Type.String({
      pattern: publicIdPattern('tok'),
      description: 'Only requests of this personal token.',
      'x-message': 'must be the id of a token, tok_….',
    }),
  ),
  id: Type.Optional(
    Type.String({
      pattern: publicIdPattern('req'),
      description: 'Only the request with this id.',
      'x-message': 'must be a request id, req_….',
    }),
  ),
});
export type ListRequestsQuery = Static<typeof ListRequestsQuery>;
