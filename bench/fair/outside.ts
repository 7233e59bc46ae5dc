import { once } from 'node:events';
import { hangAnswers, hangNames } from '../../test/harness/attackers.ts';
import { createAuthority } from '../../test/harness/authority.ts';
import { startNameServer } from '../../test/harness/name-server.ts';
import { flat, noise } from '../../test/harness/pictures.ts';
import { startStranger } from '../../test/harness/stranger.ts';
import { answer, cpuSecondsSince } from '../service-process.ts';

/** The remote hosts of a campaign, all on this machine, and what the service needs to reach them. */
export type Outside = {
  /** Settings of the service under measurement. */
  readonly nameServer: string;
  readonly authorityPem: string;
  readonly hostPort: string;
  /** Hosts whose name server never answers. */
  readonly silentHosts: readonly string[];
  /** Addresses that take a request and never answer it. */
  readonly hungUrls: readonly string[];
  /** Pictures that are small to send and large to decode, and one with detail everywhere; any query may follow. */
  readonly pictureUrls: readonly string[];
};

/** A trusted host is looked up by the machine, and not by the name server below. */
const HOST = 'localhost';
const SILENT_HOSTS = 400;
const HUNG_URLS = 400;
/** 48 megapixels, of the 60 that a picture may have. */
const LARGE_PX = { width: 8_000, height: 6_000 };
const NOISE_PX = { width: 2_000, height: 1_500 };

const names = await startNameServer();
const authority = createAuthority();
const stranger = await startStranger({ authority, hostnames: [HOST] });
const { hosts } = hangNames(names, SILENT_HOSTS);
const { urls } = hangAnswers(stranger, HUNG_URLS);
const pictures = {
  '/large.png': await flat(LARGE_PX.width, LARGE_PX.height, '#204060').png({ compressionLevel: 1 }).toBuffer(),
  '/noise.png': await noise(NOISE_PX.width, NOISE_PX.height).png({ compressionLevel: 1 }).toBuffer(),
};
for (const [path, body] of Object.entries(pictures)) {
  stranger.serve(path, { headers: { 'content-type': 'image/png' }, body });
}
const ready: Outside = {
  nameServer: names.address,
  authorityPem: authority.caPem,
  hostPort: stranger.hostPort,
  silentHosts: hosts,
  hungUrls: urls,
  pictureUrls: Object.keys(pictures).map((path) => stranger.url(path)),
};
/** How much processor time the hosts have taken since they started, in seconds. */
export type OutsideUse = { readonly cpuSeconds: number };

answer(() => Promise.resolve<OutsideUse>({ cpuSeconds: cpuSecondsSince({ user: 0, system: 0 }) }));
process.send?.(ready);

// It ends with the campaign, however that ends.
await Promise.race([once(process, 'SIGTERM'), once(process, 'disconnect')]);
await Promise.all([names.close(), stranger.close()]);
process.exit(0);
