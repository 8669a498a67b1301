import { spawn, spawnSync } from 'node:child_process';
import { Agent, request } from 'node:http';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import axios, { toFormData } from 'axios';
import type { Call, Value, Values } from './client-calls.ts';

export interface Service {
  readonly url: string;
  readonly token: string;
}
export interface Outcome {
  readonly status: number;
  readonly type: string;
  /** Decompressed by the client. */
  readonly body: string;
}
export interface OrdinaryClient {
  readonly name: string;
  /** False, or why it cannot run here. */
  readonly skip: string | false;
  send(service: Service, calls: readonly Call[]): Promise<readonly Outcome[]>;
}

/** Debian's own Python: another one in the PATH does not see its packages. */
const PYTHON = '/usr/bin/python3';

export const CLIENTS: readonly OrdinaryClient[] = [
  python('requests'),
  python('httpx', (path) => (path === '/' ? path : `${path}/`)),
  { name: 'axios', skip: false, send: sendWithAxios },
  { name: "Java's HttpClient", skip: false, send: sendAsJava },
  curl('curl', []),
  curl('curl --compressed, in chunks', ['compressed', 'header = "Transfer-Encoding: chunked"']),
];

/** A client with an address of its own making: people write slashes at the end. */
function python(client: 'requests' | 'httpx', address = (path: string): string => path): OrdinaryClient {
  const skip = missing(`import ${client}`, PYTHON, ['-c', `import ${client}`]);
  return {
    name: client === 'httpx' ? 'httpx, with a slash at the end of each address' : client,
    skip,
    async send({ url, token }, calls) {
      const work = { client, base: url, token, calls: calls.map((call) => ({ ...call, path: address(call.path) })) };
      const out = await run(PYTHON, [join(import.meta.dirname, 'client_driver.py')], JSON.stringify(work));
      return JSON.parse(out) as Outcome[];
    },
  };
}

async function sendWithAxios({ url, token }: Service, calls: readonly Call[]): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const { method, path, query, json, form, file } of calls) {
    let data: unknown = json;
    if (form !== undefined) {
      const body = toFormData(form, new FormData()) as FormData;
      if (file !== undefined) body.append('file', new Blob([file.content]), file.name);
      data = body;
    }
    const answer = await axios.request<string>({
      method,
      url: `${url}${path}`,
      params: query,
      data,
      headers: { Authorization: `Bearer ${token}` },
      responseType: 'text',
      validateStatus: null,
    });
    outcomes.push({ status: answer.status, type: String(answer.headers['content-type'] ?? ''), body: answer.data });
  }
  return outcomes;
}

/**
 * What `java.net.http.HttpClient` of Java 17 sends when nothing is set, as a program of one file with `HttpClient.newHttpClient()`
 * showed by calling a socket that prints: an offer of HTTP/2 in every request, a length even of a GET, no Accept.
 */
const JAVA_HEADERS = {
  Connection: 'Upgrade, HTTP2-Settings',
  'HTTP2-Settings': 'AAEAAEAAAAIAAAAAAAMAAAAAAAQBAAAAAAUAAEAAAAYABgAA',
  Upgrade: 'h2c',
  'User-Agent': 'Java-http-client/17.0.15',
};

/** Java itself is too large to install for a test, so its headers are sent again. A body that it streams has no length. */
async function sendAsJava({ url, token }: Service, calls: readonly Call[]): Promise<Outcome[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const outcomes: Outcome[] = [];
  for (const call of calls) {
    const { body, type } = javaBody(call);
    const headers: Record<string, string> = { ...JAVA_HEADERS, Authorization: `Bearer ${token}` };
    if (type !== null) headers['Content-Type'] = type;
    if (call.file === undefined) headers['Content-Length'] = String(Buffer.byteLength(body));
    else headers['Transfer-encoding'] = 'chunked';
    outcomes.push(
      await new Promise((resolve, reject) => {
        const sent = request(`${url}${addressOf(call)}`, { method: call.method, agent, headers });
        sent.once('error', reject);
        sent.once('response', (answer) => {
          const type = answer.headers['content-type'] ?? '';
          text(answer).then((body) => resolve({ status: answer.statusCode ?? 0, type, body }), reject);
        });
        sent.end(body);
      }),
    );
  }
  agent.destroy();
  return outcomes;
}

/** It has no forms of its own: people write the parts by hand. */
function javaBody({ json, form, file }: Call): { readonly body: string; readonly type: string | null } {
  if (json !== undefined) return { body: JSON.stringify(json), type: 'application/json' };
  if (form === undefined) return { body: '', type: null };
  const parts = Object.entries(form).map(
    ([name, value]) => `Content-Disposition: form-data; name="${name}"\r\n\r\n${written(value)}`,
  );
  if (file !== undefined)
    parts.push(`Content-Disposition: form-data; name="file"; filename="${file.name}"\r\n\r\n${file.content}`);
  return {
    body: `${parts.map((part) => `--java\r\n${part}\r\n`).join('')}--java--\r\n`,
    type: 'multipart/form-data; boundary=java',
  };
}

function curl(name: string, settings: readonly string[]): OrdinaryClient {
  return {
    name,
    skip: missing('curl', 'curl', ['--version']),
    async send({ url, token }, calls) {
      const folder = await mkdtemp(join(tmpdir(), 'firstmile-curl-'));
      try {
        const blocks = calls.map(async (call, i) => {
          const body = call.json !== undefined || call.form !== undefined;
          const lines = [
            `url = ${quoted(`${url}${addressOf(call)}`)}`,
            `request = ${call.method}`,
            `header = "Authorization: Bearer ${token}"`,
            `output = ${quoted(join(folder, `${i}.out`))}`,
            String.raw`write-out = "%{http_code} %{content_type}\n"`,
            ...settings.filter((setting) => body || !setting.includes('chunked')),
          ];
          if (call.json !== undefined) lines.push(`json = ${quoted(JSON.stringify(call.json))}`);
          for (const [field, value] of Object.entries(call.form ?? {}))
            lines.push(`form-string = ${quoted(`${field}=${written(value)}`)}`);
          if (call.file !== undefined) {
            const path = join(folder, `${i}-${call.file.name}`);
            await writeFile(path, call.file.content);
            lines.push(`form = ${quoted(`file=@${path}`)}`);
          }
          return lines.join('\n');
        });
        const config = (await Promise.all(blocks)).join('\nnext\n');
        // --disable: what the person at this machine has set for curl is not its default.
        const out = await run('curl', ['--disable', '--silent', '--show-error', '--config', '-'], config);
        const heads = out.trimEnd().split('\n');
        return await Promise.all(
          heads.map(async (head, i) => ({
            status: Number(head.slice(0, 3)),
            type: head.slice(4),
            body: await readFile(join(folder, `${i}.out`), 'utf8').catch(() => ''),
          })),
        );
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    },
  };
}

function addressOf({ path, query }: Call): string {
  const words = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, written(value)]));
  return words.size === 0 ? path : `${path}?${words.toString()}`;
}

/** As most languages write it: nothing for null. */
function written(value: Values[string] | Value): string {
  return value === null ? '' : String(value);
}

function quoted(word: string): string {
  return `"${word
    .replaceAll('\\', '\\\\')
    .replaceAll('"', String.raw`\"`)
    .replaceAll('\n', String.raw`\n`)}"`;
}

/** With CI=true a client that is missing fails the test in place of skipping it. */
function missing(what: string, command: string, words: readonly string[]): string | false {
  if (spawnSync(command, words).status === 0) return false;
  const line = `${command} cannot do "${what}"; Debian: apt-get install curl python3-requests python3-httpx`;
  if (process.env['CI'] === 'true') throw new Error(`CI=true and ${line}`);
  console.error(`SKIPPED: what ordinary clients send was not tried with all of them: ${line}`);
  return line;
}

/** Standard output of a command that must succeed. */
export function run(command: string, words: readonly string[], input: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, words, { env: { PATH: process.env['PATH'] ?? '' } });
    child.once('error', reject);
    const out = text(child.stdout);
    const err = text(child.stderr);
    child.once('close', (code) => {
      Promise.all([out, err]).then(
        ([printed, said]) =>
          code === 0 ? resolve(printed) : reject(new Error(`${command} ended with ${code}: ${said}`)),
        reject,
      );
    });
    child.stdin.on('error', () => {});
    child.stdin.end(input);
  });
}
