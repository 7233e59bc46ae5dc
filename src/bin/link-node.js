// Run by `npm ci` at its end, by whichever Node.js runs npm. npm 10 takes the link `node_modules/.bin/node` away again
// together with the package of the other processor, which has a link of the same name; npm 11 leaves it.
import { existsSync, rmSync, symlinkSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const own = `../node-${process.platform}-${process.arch}/bin/node`;
const link = fileURLToPath(new URL('../../node_modules/.bin/node', import.meta.url));

if (!existsSync(link) && existsSync(new URL(own, new URL('../../node_modules/.bin/', import.meta.url)))) {
  rmSync(link, { force: true });
  symlinkSync(own, link);
}
