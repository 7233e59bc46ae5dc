import { ApiError } from '../lib/errors.ts';
import { type Route, route } from '../lib/route.ts';
import { shippingRatesProblems, taxRatesProblems } from './quote-request.ts';
import { ShippingRates, ShippingRatesBody, TaxRates, TaxRatesBody } from './quote-schema.ts';

/** The two quotes of spec 4.6: the request is validated, and a valid one is answered 501. */
export const quoteRoutes: readonly Route<unknown>[] = [
  route({
    method: 'POST',
    path: '/shipping/rates',
    access: { scope: 'shipping:read' },
    operationId: 'quoteShipping',
    summary: 'Quote shipping rates',
    description: [
      'Not available yet: the request is validated, then answered 501. To price a basket, use `POST',
      '/orders/estimate`.',
    ].join(' '),
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
    summary: 'Quote tax rates',
    description: [
      'Not available yet: the request is validated, then answered 501. To price a basket, use `POST',
      '/orders/estimate`.',
    ].join(' '),
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
