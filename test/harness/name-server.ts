import { createSocket } from 'node:dgram';
import type { AddressInfo } from 'node:net';
import { createServer, type Socket } from 'node:net';

/** One question as it arrived. `name` is in lower case and without its trailing dot; the root is the empty text. */
export type Question = {
  readonly name: string;
  readonly type: 'A' | 'AAAA' | 'other';
  readonly transport: 'udp' | 'tcp';
};

/** What a name is answered with: addresses, a failure by its code of RFC 1035, or nothing at all. */
export type NameReply =
  | {
      readonly kind: 'addresses';
      readonly v4?: readonly string[];
      readonly v6?: readonly string[];
      /** Names on the way to the addresses, each an alias of the one before. */
      readonly aliases?: readonly string[];
      /** Over UDP says only that the answer does not fit. */
      readonly truncated?: true;
      readonly delayMs?: number;
    }
  | { readonly kind: 'failure'; readonly code: keyof typeof CODES; readonly delayMs?: number }
  | { readonly kind: 'silent' };

export type NameServer = {
  /** `127.0.0.1:port`, over UDP and TCP. */
  readonly address: string;
  readonly questions: readonly Question[];
  /** Answers a name from now on; other names do not exist, and the root has a name server. */
  readonly answer: (name: string, reply: NameReply | ((question: Question) => NameReply)) => void;
  /** Answers every name that ends in this from now on, unless it has an answer of its own. */
  readonly answerBelow: (ending: string, reply: NameReply) => void;
  readonly close: () => Promise<void>;
};

const CODES = { noError: 0, malformed: 1, servfail: 2, nxdomain: 3, notImplemented: 4, refused: 5 } as const;
const TYPES = new Map([
  [1, 'A'],
  [28, 'AAAA'],
] as const);
const NS = 2;
const CNAME = 5;
const TRUNCATED = 0x0200;
const RESPONSE = 0x8180;
const HEADER_BYTES = 12;

/** A name server on loopback that answers rightly, wrongly, late or never, and remembers what it was asked. */
export async function startNameServer(): Promise<NameServer> {
  const replies = new Map<string, NameReply | ((question: Question) => NameReply)>();
  const endings = new Map<string, NameReply>();
  const questions: Question[] = [];
  const sockets = new Set<Socket>();
  const timers = new Set<NodeJS.Timeout>();

  const replyTo = (question: Question): NameReply => {
    const own = replies.get(question.name);
    if (own !== undefined) return typeof own === 'function' ? own(question) : own;
    for (const [ending, reply] of endings) if (question.name.endsWith(ending)) return reply;
    return question.name === '' ? { kind: 'addresses' } : { kind: 'failure', code: 'nxdomain' };
  };
  const take = (message: Buffer, transport: Question['transport'], send: (answer: Buffer) => void): void => {
    const asked = readQuestion(message);
    const question = { name: asked.name, type: TYPES.get(asked.type as 1 | 28) ?? ('other' as const), transport };
    questions.push(question);
    const reply = replyTo(question);
    if (reply.kind === 'silent') return;
    const timer = setTimeout(() => {
      timers.delete(timer);
      send(answerOf(message, asked, transport, reply));
    }, reply.delayMs ?? 0);
    timers.add(timer);
  };

  const tcp = createServer((socket) => {
    sockets.add(socket.on('error', () => {}));
    socket.once('close', () => sockets.delete(socket));
    let gathered = Buffer.alloc(0);
    socket.on('data', (chunk) => {
      gathered = Buffer.concat([gathered, chunk]);
      while (gathered.length >= 2 && gathered.length >= 2 + gathered.readUInt16BE(0)) {
        const end = 2 + gathered.readUInt16BE(0);
        take(gathered.subarray(2, end), 'tcp', (answer) => {
          const length = Buffer.alloc(2);
          length.writeUInt16BE(answer.length);
          socket.write(Buffer.concat([length, answer]));
        });
        gathered = gathered.subarray(end);
      }
    });
  });
  await new Promise<void>((resolve) => tcp.listen(0, '127.0.0.1', resolve));
  const { port } = tcp.address() as AddressInfo;
  const udp = createSocket('udp4');
  udp.on('message', (message, from) => {
    take(message, 'udp', (answer) => udp.send(answer, from.port, from.address));
  });
  await new Promise<void>((resolve, reject) => udp.once('error', reject).bind(port, '127.0.0.1', resolve));

  return {
    address: `127.0.0.1:${port}`,
    questions,
    answer: (name, reply) => void replies.set(name, reply),
    answerBelow: (ending, reply) => void endings.set(ending, reply),
    close: async () => {
      for (const timer of timers) clearTimeout(timer);
      for (const socket of sockets) socket.destroy();
      await Promise.all([
        new Promise((resolve) => tcp.close(resolve)),
        new Promise<void>((resolve) => udp.close(() => resolve())),
      ]);
    },
  };
}

type Asked = { readonly name: string; readonly type: number; readonly end: number };

function readQuestion(message: Buffer): Asked {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  for (let length = message[at] ?? 0; length > 0; length = message[at] ?? 0) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length));
    at += length + 1;
  }
  return { name: labels.join('.').toLowerCase(), type: message.readUInt16BE(at + 1), end: at + 5 };
}

function answerOf(
  message: Buffer,
  asked: Asked,
  transport: Question['transport'],
  reply: Exclude<NameReply, { kind: 'silent' }>,
): Buffer {
  const code = reply.kind === 'failure' ? CODES[reply.code] : CODES.noError;
  const isCut = reply.kind === 'addresses' && reply.truncated === true && transport === 'udp';
  const records = reply.kind === 'failure' || isCut ? [] : recordsOf(asked, reply);
  const header = Buffer.alloc(HEADER_BYTES);
  message.copy(header, 0, 0, 2);
  header.writeUInt16BE(RESPONSE | code | (isCut ? TRUNCATED : 0), 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(records.length, 6);
  return Buffer.concat([header, message.subarray(HEADER_BYTES, asked.end), ...records]);
}

function recordsOf(asked: Asked, reply: Extract<NameReply, { kind: 'addresses' }>): Buffer[] {
  if (asked.name === '' && asked.type === NS) return [recordOf('', NS, encodeName('a.root.example'))];
  const chain = [asked.name, ...(reply.aliases ?? [])];
  const owner = chain.at(-1) ?? '';
  const aliases = chain.slice(1).map((name, index) => recordOf(chain[index] ?? '', CNAME, encodeName(name)));
  const type = TYPES.get(asked.type as 1 | 28);
  if (type === undefined) return aliases;
  const addresses = type === 'A' ? (reply.v4 ?? []) : (reply.v6 ?? []);
  return [...aliases, ...addresses.map((address) => recordOf(owner, asked.type, encodeAddress(address)))];
}

function recordOf(name: string, type: number, data: Buffer): Buffer {
  const fixed = Buffer.alloc(10);
  fixed.writeUInt16BE(type, 0);
  fixed.writeUInt16BE(1, 2);
  fixed.writeUInt32BE(0, 4);
  fixed.writeUInt16BE(data.length, 8);
  return Buffer.concat([encodeName(name), fixed, data]);
}

function encodeName(name: string): Buffer {
  const labels = name === '' ? [] : name.split('.');
  return Buffer.concat([
    ...labels.map((label) => Buffer.concat([Buffer.from([label.length]), Buffer.from(label, 'latin1')])),
    Buffer.from([0]),
  ]);
}

function encodeAddress(address: string): Buffer {
  if (!address.includes(':')) return Buffer.from(address.split('.').map(Number));
  const [head = '', tail] = address.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const words = [
    ...left,
    ...Array<string>(tail === undefined ? 0 : 8 - left.length - right.length).fill('0'),
    ...right,
  ];
  const bytes = Buffer.alloc(16);
  for (const [index, word] of words.entries()) bytes.writeUInt16BE(Number.parseInt(word, 16), index * 2);
  return bytes;
}
