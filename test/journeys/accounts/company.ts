import type { Company } from '../../../src/accounts/company/company-schema.ts';
import type { ErrorReply } from '../../harness/service.ts';

/** An answer about a company, or a refusal. */
export type CompanyReply = Company & Partial<Pick<ErrorReply, 'code'>>;

export const BYRON = {
  legal_name: 'Byron Club Ltd',
  address: { line1: '5 High Street', city: 'York', postcode: 'YO1 7HH', country_code: 'GB' },
  contact: { name: 'Ada', email: 'accounts@byron.example' },
};
