import { PERSON_ROLES, type PersonRole } from '../../lib/caller.ts';
import { type PersonRoute, route } from '../../lib/route.ts';
import type { ProductsContext } from '../read-products.ts';
import { ProductParams } from '../schema.ts';
import { updatePersonalised } from '../update-product.ts';
import { addPicture } from './add-picture.ts';
import { createTemplate } from './create-template.ts';
import { publishTemplate } from './publish-template.ts';
import { getTemplate, listTemplates } from './read-templates.ts';
import { saveTemplate } from './save-template.ts';
import {
  AddPictureBody,
  ChangeTemplateProductBody,
  CreateTemplateBody,
  ListTemplatesQuery,
  PublishTemplateBody,
  SaveTemplateBody,
  Template,
  TemplatePicture,
  TemplateSummaryPage,
} from './template-schema.ts';

/** Who has `products:write` in the public API. */
const AUTHORS: readonly PersonRole[] = ['owner', 'manager'];

/** Personalised products, which are authored in the portal only (spec 4.4 rule 5). */
export const templatePortalRoutes: readonly PersonRoute<ProductsContext>[] = [
  route({
    method: 'GET',
    path: '/templates',
    access: { people: PERSON_ROLES },
    operationId: 'listTemplates',
    summary: 'List personalised products',
    description: 'Newest first, without archived ones.',
    query: ListTemplatesQuery,
    replies: { 200: TemplateSummaryPage },
    csv: 'data',
    csvWithout: ['thumbnail_url'],
    handle: async (ctx: ProductsContext, person, { query }) => ({
      status: 200,
      body: await listTemplates(ctx, person, query),
    }),
  }),
  route({
    method: 'POST',
    path: '/templates',
    access: { people: AUTHORS },
    operationId: 'createTemplate',
    summary: 'Create a personalised product',
    description: 'It begins as a draft without layers. It stands among the products with the status `draft`.',
    body: CreateTemplateBody,
    replies: { 201: Template },
    handle: async (ctx: ProductsContext, person, { body }) => ({
      status: 201,
      body: await createTemplate(ctx, person, body),
    }),
  }),
  route({
    method: 'GET',
    path: '/templates/:id',
    access: { people: PERSON_ROLES },
    operationId: 'getTemplate',
    summary: 'Read a template and its draft',
    params: ProductParams,
    replies: { 200: Template },
    handle: async (ctx: ProductsContext, person, { params }) => ({
      status: 200,
      body: await getTemplate(ctx, person, params.id),
    }),
  }),
  route({
    method: 'PATCH',
    path: '/templates/:id',
    access: { people: AUTHORS },
    operationId: 'saveTemplate',
    summary: 'Save the draft of a template',
    description: [
      'Orders go on being read by what is published. A draft may lack what publishing asks for: `problems` lists it.',
      'A draft that was changed since `version` is a 409, and nothing is overwritten.',
    ].join(' '),
    params: ProductParams,
    body: SaveTemplateBody,
    errors: ['conflict'],
    replies: { 200: Template },
    handle: async (ctx: ProductsContext, person, { params, body }) => ({
      status: 200,
      body: await saveTemplate(ctx, person, params.id, body),
    }),
  }),
  route({
    method: 'PATCH',
    path: '/templates/:id/product',
    access: { people: AUTHORS },
    operationId: 'changeTemplateProduct',
    summary: 'Change what a personalised product offers',
    description: [
      'Its name, its variants and what they are sold for, which count at once; only what is sent changes, and',
      '`retail_prices` as a whole. The public API changes products with fixed designs alone.',
    ].join(' '),
    params: ProductParams,
    body: ChangeTemplateProductBody,
    errors: ['conflict'],
    replies: { 200: Template },
    handle: async (ctx: ProductsContext, person, { params, body }) => {
      await updatePersonalised(ctx, person, params.id, body);
      return { status: 200, body: await getTemplate(ctx, person, params.id) };
    },
  }),
  route({
    method: 'POST',
    path: '/templates/:id/pictures',
    access: { people: AUTHORS },
    operationId: 'addTemplatePicture',
    summary: 'Add a picture that buyers choose from',
    description: 'It is stored for the options of a template. One that no draft uses within a day is removed.',
    params: ProductParams,
    body: AddPictureBody,
    replies: { 201: TemplatePicture },
    handle: async (ctx: ProductsContext, person, { params, body, signal }) => ({
      status: 201,
      body: await addPicture(ctx, person, params.id, { url: body.url, signal }),
    }),
  }),
  route({
    method: 'POST',
    path: '/templates/:id/publish',
    access: { people: AUTHORS },
    operationId: 'publishTemplate',
    summary: 'Publish the draft of a template',
    description: [
      'Orders from now on are read by it; placed orders keep what they were placed with. Refused with all that is',
      'wrong. A repeat changes nothing.',
    ].join(' '),
    params: ProductParams,
    body: PublishTemplateBody,
    errors: ['conflict'],
    replies: { 200: Template },
    handle: async (ctx: ProductsContext, person, { params, body }) => ({
      status: 200,
      body: await publishTemplate(ctx, person, params.id, body.version),
    }),
  }),
];
