import { ApiError } from '../lib/errors.ts';
import { type Route, route } from '../lib/route.ts';
import { shippingRatesProblems, taxRatesProblems } from './quote-request.ts';
import { ShippingRates, ShippingRatesBody, TaxRates, TaxRatesBody } from './quote-schema.ts';

/** The two quotes of spec 4.6: a request is validated, and then answered 501, whoever asks. */
export const quoteRoutes: readonly Route<unknown>[] = [
  route({
    method: 'POST',
    path: '/shipping/rates',
    access: { scope: 'shipping:read' },
    operationId: 'quoteShipping',
    summary: 'Ask for shipping rates',
    description: 'The request is validated as it will be. `POST /orders/estimate` is the way to price a basket today.',
    body: ShippingRatesBody,
    bodyProblems: shippingRatesProblems,
    replies: { 200: ShippingRates },
    errors: ['not_implemented'],
    handle: async () => {
      throw notAvailable('Live shipping rates');
    },
  }),
  route({
    method: 'POST',
    path: '/tax/rates',
    access: { scope: 'tax:read' },
    operationId: 'quoteTax',
    summary: 'Ask for tax rates',
    description: 'The request is validated as it will be. `POST /orders/estimate` is the way to price a basket today.',
    body: TaxRatesBody,
    bodyProblems: taxRatesProblems,
    replies: { 200: TaxRates },
    errors: ['not_implemented'],
    handle: async () => {
      throw notAvailable('Live tax rates');
    },
  }),
];

function notAvailable(what: string): ApiError {
  return new ApiError(
    'not_implemented',
    `${what} are not available yet. POST /orders/estimate prices a basket, with shipping, VAT and duty.`,
  );
}
