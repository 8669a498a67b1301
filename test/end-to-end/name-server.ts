import { createSocket, type Socket } from 'node:dgram';
import { isIPv4 } from 'node:net';

/** What a name server says of a name: its addresses, behind another name if it is an alias, or a failure. */
export type NameAnswer =
  | { readonly addresses: readonly string[]; readonly alias?: string }
  | { readonly failure: 'not_found' | 'server_failure' | 'silence' };

/** `count` is 1 for the first question of this name and family. */
export type AnswerName = (name: string, family: 4 | 6, count: number) => NameAnswer;

export interface NameServer extends AsyncDisposable {
  /** `address:port`, as `queryNameServers` takes it. */
  readonly address: string;
  readonly questions: () => number;
}

const TYPES = { 1: 4, 28: 6 } as const;
const FAILURES = { not_found: 3, server_failure: 2 } as const;

/** A real name server on this machine, over UDP, whose answers may not be kept (time to live 0). */
export async function startNameServer(answer: AnswerName): Promise<NameServer> {
  const socket: Socket = createSocket('udp4');
  const counts = new Map<string, number>();
  let questions = 0;
  socket.on('message', (query, from) => {
    questions++;
    const { name, type, end } = readQuestion(query);
    const family = TYPES[type as keyof typeof TYPES] ?? 4;
    const key = `${name} ${family}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
    const given = answer(name, family, counts.get(key) as number);
    if ('failure' in given && given.failure === 'silence') return;
    socket.send(writeAnswer(query.subarray(0, end), type, given), from.port, from.address);
  });
  await new Promise<void>((done) => socket.bind(0, '127.0.0.1', done));
  return {
    address: `127.0.0.1:${socket.address().port}`,
    questions: () => questions,
    [Symbol.asyncDispose]: () => new Promise((done) => socket.close(() => done())),
  };
}

function readQuestion(query: Buffer): { readonly name: string; readonly type: number; readonly end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] as number; length > 0; length = query[at] as number) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}

function writeAnswer(question: Buffer, type: number, given: NameAnswer): Buffer {
  const records = 'failure' in given ? [] : recordsOf(given, type);
  const head = Buffer.from(question);
  const code = 'failure' in given && given.failure !== 'silence' ? FAILURES[given.failure] : 0;
  head.writeUInt16BE(0x8180 | code, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(records.length, 6);
  head.writeUInt32BE(0, 8);
  return Buffer.concat([head, ...records]);
}

function recordsOf({ addresses, alias }: Extract<NameAnswer, { addresses: unknown }>, type: number): Buffer[] {
  const asked = Buffer.from([0xc0, 12]);
  const owner = alias === undefined ? asked : encodeName(alias);
  const fitting = addresses.filter((address) => isIPv4(address) === (type === 1));
  const found = fitting.map((address) => record(owner, type, encodeAddress(address)));
  return alias === undefined ? found : [record(asked, 5, encodeName(alias)), ...found];
}

function record(owner: Buffer, type: number, data: Buffer): Buffer {
  const fixed = Buffer.alloc(10);
  fixed.writeUInt16BE(type, 0);
  fixed.writeUInt16BE(1, 2);
  fixed.writeUInt16BE(data.length, 8);
  return Buffer.concat([owner, fixed, data]);
}

function encodeName(name: string): Buffer {
  const labels = name.split('.').map((label) => Buffer.concat([Buffer.from([label.length]), Buffer.from(label)]));
  return Buffer.concat([...labels, Buffer.alloc(1)]);
}

function encodeAddress(address: string): Buffer {
  if (isIPv4(address)) return Buffer.from(address.split('.').map(Number));
  // By the URL parser, which writes an embedded IPv4 part as hexadecimal groups.
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const groups = (text: string | undefined): string[] => (text ? text.split(':') : []);
  const missing = 8 - groups(head).length - groups(tail).length;
  const all = [...groups(head), ...Array.from({ length: missing }, () => '0'), ...groups(tail)];
  return Buffer.from(all.map((group) => group.padStart(4, '0')).join(''), 'hex');
}
