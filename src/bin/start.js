// What `npm start` runs. On Linux npm finds the Node.js that was installed with Platen, elsewhere the machine's own.
if (Number(process.versions.node.split('.')[0]) >= 24) {
  // Everything else is imported after the cache is on.
  await import('./compile-cache.js');
  const { programOf } = await import('./bundle/program.ts');
  await import(programOf('start'));
} else {
  process.stderr.write(
    `platen: Node.js 24 or later is needed, this is ${process.versions.node}. \`npm ci\` brings it on Linux; elsewhere install it.\n`,
  );
  process.exitCode = 1;
}
