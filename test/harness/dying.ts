import type { Database, Db } from '../../src/lib/db.ts';

/**
 * A database that ends the connection of a transaction before its statement of this number, as the death of its process
 * would. `hasDied` tells whether there was such a statement.
 */
export function dyingAt(database: Database, statement: number): { database: Database; hasDied: () => boolean } {
  let asked = 0;
  let died = false;
  const watch = (tx: Db): Db => {
    const step = async (): Promise<void> => {
      asked += 1;
      if (asked !== statement) return;
      died = true;
      await tx.all({ name: '', text: 'select pg_terminate_backend(pg_backend_pid())' }, []);
    };
    return {
      ...tx,
      all: async (what, values) => {
        await step();
        return tx.all(what, values);
      },
      one: async (what, values) => {
        await step();
        return tx.one(what, values);
      },
    };
  };
  return {
    database: { ...database, transaction: (work) => database.transaction((tx) => work(watch(tx))) },
    hasDied: () => died,
  };
}
