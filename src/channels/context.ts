import type { SessionContext } from '../accounts/portal/open-session.ts';
import type { CatalogueCache } from '../catalogue/reference.ts';
import type { CheckoutContext } from '../checkout/context.ts';

/** The context of connected shops: what placing needs, and what a person must prove. */
export type ChannelsContext = CheckoutContext & SessionContext & { readonly catalogue: CatalogueCache };
