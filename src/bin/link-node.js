// Runs at the end of `npm ci`, under the Node.js that runs npm. npm 10 removes the link `node_modules/.bin/node`
// together with the package of the other processor, which has a link of the same name; npm 11 keeps it.
import { existsSync, rmSync, symlinkSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const own = `../node-${process.platform}-${process.arch}/bin/node`;
const link = fileURLToPath(new URL('../../node_modules/.bin/node', import.meta.url));

if (!existsSync(link) && existsSync(new URL(own, new URL('../../node_modules/.bin/', import.meta.url)))) {
  rmSync(link, { force: true });
  symlinkSync(own, link);
}
