import type { Socket } from 'node:net';
import type pg from 'pg';

/** What the driver gives a statement that it runs: the messages that COPY needs. */
type Wire = {
  readonly stream: Socket;
  readonly query: (text: string) => void;
  readonly sendCopyFromChunk: (chunk: Buffer) => void;
  readonly endCopyFrom: () => void;
  readonly sendCopyFail: (reason: string) => void;
};

/** A statement of the driver that speaks COPY (PostgreSQL 18, 55.2.6). */
type CopyStatement = {
  readonly submit: (wire: Wire) => void;
  readonly handleCopyInResponse: (wire: Wire) => void;
  readonly handleCopyData: (message: { readonly chunk: Buffer }, wire: Wire) => void;
  readonly handleCommandComplete: () => void;
  readonly handleReadyForQuery: () => void;
  readonly handleError: (error: Error) => void;
};

/**
 * Copies the rows of a table to another server by COPY, in its text form, which no version changes.
 * What is read waits until the other side has taken it, so a table of any size needs little memory. Both clients are in
 * a transaction. `columns` are quoted names.
 */
export async function copyTable(
  from: pg.Client,
  to: pg.Client,
  table: { readonly name: string; readonly columns: string },
  onBytes: (bytes: number) => void,
): Promise<void> {
  const { name, columns } = table;
  const target = begin(to, `copy ${name} (${columns}) from stdin`);
  const taking = await target.ready;
  const source = begin(from, `copy ${name} (${columns}) to stdout`, (chunk, wire) => {
    onBytes(chunk.length);
    // The driver reuses the memory of a message.
    taking.sendCopyFromChunk(Buffer.from(chunk));
    if (!taking.stream.writableNeedDrain || wire.stream.isPaused()) return;
    wire.stream.pause();
    taking.stream.once('drain', () => wire.stream.resume());
  });
  try {
    // A target that fails reads no more: its error ends the copy.
    await Promise.race([source.ended, target.ended.then(() => source.ended)]);
  } catch (error) {
    taking.sendCopyFail('the copy was ended');
    await target.ended.catch(() => undefined);
    throw error;
  }
  taking.endCopyFrom();
  await target.ended;
}

function begin(client: pg.Client, text: string, onChunk: (chunk: Buffer, wire: Wire) => void = () => {}) {
  const ready = Promise.withResolvers<Wire>();
  const ended = Promise.withResolvers<void>();
  // The error of a statement that is not waited for yet comes by `ended`.
  ready.promise.catch(() => {});
  ended.promise.catch(() => {});
  let failure: Error | undefined;
  const statement: CopyStatement = {
    submit: (wire) => wire.query(text),
    handleCopyInResponse: (wire) => ready.resolve(wire),
    handleCopyData: ({ chunk }, wire) => onChunk(chunk, wire),
    handleCommandComplete: () => {},
    handleError: (error) => {
      failure = error;
      ready.reject(error);
      ended.reject(error);
    },
    handleReadyForQuery: () => {
      if (failure === undefined) ended.resolve();
    },
  };
  client.query(statement as unknown as pg.Submittable);
  return { ready: ready.promise, ended: ended.promise };
}
