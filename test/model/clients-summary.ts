import type { World } from './clients-world.ts';

/** How a run went, in one line: a test whose clients are refused everything shows nothing. */
export function summary(world: World): string {
  const answers = world.journal.flatMap(({ replies }) => replies);
  const refused = answers.filter(({ status }) => status >= 400);
  const { intents } = world.provider;
  const charged = intents.filter(({ charges }) => charges > 0).length;
  const gone = world.orders.filter(({ facts }) => facts.isGone).length;
  const busy = world.journal.reduce((sum, entry) => sum + entry.busy, 0);
  return [
    `${world.journal.length} requests`,
    `${answers.length - refused.length} done and ${refused.length} refused`,
    `${busy} times too busy`,
    `${world.orders.length} orders, ${gone} of them dispatched or cancelled`,
    `${charged} of ${intents.length} intents charged by the provider`,
  ].join(', ');
}
