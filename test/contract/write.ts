import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { recordExamples } from './record-examples.ts';

/**
 * `npm run openapi`: writes the OpenAPI documents, the page of errors and the client's types anew from the code.
 * `--examples` records the examples of the document first, on the real service. With `--release` the document also
 * becomes the one that later versions are held against; that belongs to a release and to nothing else.
 */
if (process.argv.includes('--examples')) {
  await recordExamples();
  // The document is made by a process that has not read the examples of before.
  execFileSync(process.execPath, [
    import.meta.filename,
    ...process.argv.slice(2).filter((word) => word !== '--examples'),
  ]);
} else {
  const { committedDocument, committedOpsDocument, committedPortalDocument, committedShopDocument } = await import(
    './committed.ts'
  );
  const { errorsMarkdown } = await import('../../src/http/contract/docs-errors.ts');
  const { document, file, baselineFile } = committedDocument();
  writeFileSync(file, document);
  const ops = committedOpsDocument();
  writeFileSync(ops.file, ops.document);
  const portal = committedPortalDocument();
  writeFileSync(portal.file, portal.document);
  const shop = committedShopDocument();
  writeFileSync(shop.file, shop.document);
  writeFileSync('docs/generated/errors.md', errorsMarkdown());
  if (process.argv.includes('--release')) writeFileSync(baselineFile, document);
  // The client's types are made from the document.
  execFileSync(process.execPath, ['sdk/generate.ts'], { stdio: 'inherit' });
}
