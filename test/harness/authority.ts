import type { KeyObject } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { authorityExtensions, certificateOf, newKeys, serverExtensions } from '../../src/lib/outbound/certificate.ts';

/** A private key and its certificate, both PEM, as a TLS server takes them. */
export type Certificate = { readonly key: string; readonly cert: string };

export type CertificateOptions = {
  readonly hostnames: readonly string[];
  readonly ips?: readonly string[];
  /** `expired` and `not-yet-valid` are signed by the authority; `self-signed` is signed by itself. */
  readonly flaw?: 'expired' | 'not-yet-valid' | 'self-signed';
};

export type Authority = {
  readonly caPem: string;
  /** Writes the authority's certificate into a folder and returns its path, for `NODE_EXTRA_CA_CERTS`. */
  readonly writeCa: (folder: string) => Promise<string>;
  readonly issue: (options: CertificateOptions) => Certificate;
};

/** A certificate authority that lives in memory: EC P-256, its certificates valid for 30 days around now (RFC 5280). */
export function createAuthority(): Authority {
  const own = newKeys();
  const caPem = certificateOf({
    subject: 'Platen test authority',
    issuer: 'Platen test authority',
    publicKey: own.publicKey,
    signer: own.privateKey,
    validDays: [-1, 30],
    extensions: authorityExtensions(),
  });
  return {
    caPem,
    writeCa: async (folder) => {
      const path = join(folder, 'test-authority.pem');
      await writeFile(path, caPem);
      return path;
    },
    issue: (options) => issue(own.privateKey, options),
  };
}

function issue(authorityKey: KeyObject, { hostnames, ips = [], flaw }: CertificateOptions): Certificate {
  const { publicKey, privateKey } = newKeys();
  const subject = hostnames[0] ?? ips[0] ?? 'nobody';
  const cert = certificateOf({
    subject,
    issuer: flaw === 'self-signed' ? subject : 'Platen test authority',
    publicKey,
    signer: flaw === 'self-signed' ? privateKey : authorityKey,
    validDays: flaw === 'expired' ? [-20, -10] : flaw === 'not-yet-valid' ? [10, 20] : [-1, 30],
    extensions: serverExtensions(hostnames, ips),
  });
  return { key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(), cert };
}
