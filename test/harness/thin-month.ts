import { seedDemoData } from '../../src/bin/demo/command.ts';

// `platen seed demo --json` with half of the orders, in a process that a test can kill.

await seedDemoData({ json: true, aDay: [2, 3] });
