import type { TLSSocket } from 'node:tls';
import type { Client } from 'undici';
import type { Owner } from '../turns/owner.ts';
import { isSameAddress } from './addresses.ts';
import type { Reachable } from './gate.ts';

/** A verified connection that has one exchange at a time. */
export type Connection = {
  readonly client: Client;
  readonly socket: TLSSocket;
  readonly origin: string;
  /** The address that it reached. */
  readonly address: string;
  readonly openedMs: number;
};

/** Connections between two exchanges. */
export type KeptConnections = {
  /**
   * Takes a connection of the owner to one of the addresses that a target was just judged to have.
   * Undefined when there is none. Those to an address that the host no longer has are closed.
   */
  readonly take: (owner: Owner, target: Pick<Reachable, 'url' | 'addresses'>) => Connection | undefined;
  /** Keeps a connection whose exchange has ended well, or closes it. */
  readonly keep: (owner: Owner, connection: Connection) => void;
  /** Closes all, and keeps none from now on. */
  readonly close: () => void;
};

/** Common servers and balancers keep an idle connection for longer, so that few are found closed. */
export const KEPT_IDLE_MS = 4_000;
/** The certificate of a server is verified again this often. */
const AGE_MS_MAX = 60_000;
/** Each is an open file. */
const KEPT_MAX = 128;
const KEPT_OF_EACH_MAX = 16;

/**
 * Keeps connections for the next exchange of the same owner with the same origin.
 * The host is looked up and judged before each exchange all the same, and only a connection to an address that has
 * just passed is used (docs/decisions/0045-what-a-delivery-costs.md). No owner uses a connection of another.
 */
export function createKeptConnections(): KeptConnections {
  // In the order in which they were kept.
  let idle: { readonly owner: Owner; readonly connection: Connection; readonly unwatch: () => void }[] = [];
  let isClosed = false;

  const forget = (connection: Connection): void => {
    idle.find((kept) => kept.connection === connection)?.unwatch();
    idle = idle.filter((kept) => kept.connection !== connection);
  };

  return {
    take: (owner, { url, addresses }) => {
      const { origin } = url;
      const candidates = idle.filter((kept) => kept.owner === owner && kept.connection.origin === origin);
      // The one that was used last is the least likely to be closed by the server.
      for (const { connection } of candidates.toReversed()) {
        forget(connection);
        const isChecked = addresses.some((address) => isSameAddress(address, connection.address));
        if (isChecked && isUsable(connection)) return connection;
        discard(connection);
      }
      return undefined;
    },
    keep: (owner, connection) => {
      if (isClosed || !isUsable(connection)) return discard(connection);
      const own = idle.filter((kept) => kept.owner === owner);
      const surplus = own.length >= KEPT_OF_EACH_MAX ? own[0] : idle.length >= KEPT_MAX ? idle[0] : undefined;
      if (surplus !== undefined) {
        forget(surplus.connection);
        discard(surplus.connection);
      }
      // The server closes it, or it is idle for too long.
      const forgetIt = (): void => forget(connection);
      connection.socket.once('close', forgetIt);
      idle.push({ owner, connection, unwatch: () => connection.socket.off('close', forgetIt) });
    },
    close: () => {
      isClosed = true;
      for (const { connection } of idle.splice(0)) discard(connection);
    },
  };
}

function isUsable({ socket, openedMs }: Connection): boolean {
  return socket.readyState === 'open' && performance.now() - openedMs < AGE_MS_MAX;
}

/** Closes a connection at once. */
export function discard({ client, socket }: Connection): void {
  socket.destroy();
  void client.destroy();
}
