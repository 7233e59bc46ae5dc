import { OPS_ROUTES } from '../../src/app/ops-routes.ts';
import { PORTAL_ROUTES } from '../../src/app/portal-routes.ts';
import { API_ROUTES } from '../../src/app/service.ts';
import { openApiDocument } from '../../src/http/contract/openapi.ts';
import { opsOpenApiDocument } from '../../src/http/contract/ops-openapi.ts';
import { portalOpenApiDocument } from '../../src/http/contract/portal-openapi.ts';
import { shopOpenApiDocument } from '../../src/http/contract/shop-openapi.ts';

/** The OpenAPI document as the code makes it, in the form in which it is committed, and where. */
export function committedDocument(): { document: string; file: string; baselineFile: string } {
  return {
    document: `${JSON.stringify(openApiDocument(API_ROUTES), null, 2)}\n`,
    file: 'docs/generated/openapi.json',
    baselineFile: 'docs/generated/openapi-v1-released.json',
  };
}

/** The document of the operations API, likewise. */
export function committedOpsDocument(): { document: string; file: string } {
  return {
    document: `${JSON.stringify(opsOpenApiDocument(OPS_ROUTES), null, 2)}\n`,
    file: 'docs/generated/ops-openapi.json',
  };
}

/** The document of what only the portal has, likewise. */
export function committedPortalDocument(): { document: string; file: string } {
  return {
    document: `${JSON.stringify(portalOpenApiDocument(PORTAL_ROUTES), null, 2)}\n`,
    file: 'docs/generated/portal-openapi.json',
  };
}

/** The document of what connected shops call, likewise. */
export function committedShopDocument(): { document: string; file: string } {
  return {
    document: `${JSON.stringify(shopOpenApiDocument(), null, 2)}\n`,
    file: 'docs/generated/shop-openapi.json',
  };
}
