import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after, before, beforeEach, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import fastify, { type FastifyInstance } from 'fastify';

import { Problem } from '../../errors.ts';
import { openUploadFolder, type UploadFolder } from './upload-folder.ts';
import { acceptUploads } from './upload-parsing.ts';
import { receiveUpload } from './upload.ts';

const MAX_BYTES = 400_000;
let folder: UploadFolder;
let app: FastifyInstance;
let base: string;
let thrown: unknown[] = [];

before(async () => {
  folder = await openUploadFolder(await mkdtemp(join(tmpdir(), 'firstmile-uploads-')));
  app = fastify({ bodyLimit: 1_000 });
  app.setErrorHandler((error, _request, reply) => {
    thrown.push(error);
    const problem = error as Problem;
    return reply
      .status(problem.status ?? 500)
      .send({ code: problem.code, detail: problem.message, errors: problem.errors });
  });
  await app.register(async (scope) => {
    await acceptUploads(scope);
    scope.post('/upload', async (request, reply) => {
      const upload = await receiveUpload(request, reply, {
        folder,
        maxBytes: MAX_BYTES,
        fields: ['commodity_type', 'country'],
        maxFieldBytes: 100,
      });
      const held = (await readdir(folder.path)).includes(basename(upload.path));
      const bytes = Buffer.concat(await Array.fromAsync(upload.read()));
      if (upload.fields.country === 'explode') throw new Error('the route failed');
      return {
        text: bytes.toString().slice(0, 100),
        read: bytes.length,
        size: upload.size,
        filename: upload.filename,
        mediaType: upload.mediaType,
        fields: upload.fields,
        held,
      };
    });
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  base = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}/upload`;
});

after(async () => {
  await app.close();
  await rm(folder.path, { recursive: true, force: true });
});

beforeEach(() => {
  thrown = [];
});

/** Waits for removals that happen behind the answer; fails with the names that stay. */
async function assertFolderEmpty(): Promise<void> {
  let names: string[] = [];
  for (let tries = 0; tries < 200; tries++) {
    names = await readdir(folder.path);
    if (names.length === 0) return;
    await sleep(10);
  }
  assert.deepEqual(names, []);
}

function form(...parts: readonly (readonly [name: string, value: string | Blob, filename?: string])[]): FormData {
  const body = new FormData();
  for (const [name, value, filename] of parts) {
    if (typeof value === 'string') body.append(name, value);
    else body.append(name, value, filename);
  }
  return body;
}

const file = ['file', new Blob(['{"a":1}'], { type: 'application/geo+json' }), 'Höfe.geojson'] as const;

async function post(
  body: RequestInit['body'],
  headers: Record<string, string> = {},
): Promise<{ status: number; body: Record<string, unknown> }> {
  const response = await fetch(base, { method: 'POST', body, headers, duplex: 'half' } as RequestInit);
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

test('keeps one file on disk while the request is answered, with the fields before and after it', async () => {
  const { status, body } = await post(form(['commodity_type', 'palm'], file, ['country', 'Côte d’Ivoire']));
  assert.equal(status, 200);
  assert.deepEqual(body, {
    text: '{"a":1}',
    read: 7,
    size: 7,
    filename: 'Höfe.geojson',
    mediaType: 'application/geo+json',
    fields: { commodity_type: 'palm', country: 'Côte d’Ivoire' },
    held: true,
  });
  await assertFolderEmpty();
});

test('takes a body that is the file itself, longer than the body limit of other routes', async () => {
  for (const type of ['application/geo+json', 'application/json; charset=utf-8']) {
    const { status, body } = await post('x'.repeat(300_000), { 'content-type': type });
    assert.deepEqual([status, body.size, body.read, body.fields], [200, 300_000, 300_000, {}]);
  }
  await assertFolderEmpty();
});

test('takes a file part without a file name', async () => {
  const { status, body } = await post(form(['file', 'plain text']));
  assert.deepEqual([status, body.text, body.filename], [200, 'plain text', null]);
});

test('refuses forms that do not hold exactly one file and known fields, naming what was wanted', async () => {
  const json =
    '--b\r\ncontent-disposition: form-data; name="country"\r\ncontent-type: application/json\r\n\r\n{nope\r\n--b--\r\n';
  const proto = '--b\r\ncontent-disposition: form-data; name="__proto__"\r\n\r\n1\r\n--b--\r\n';
  const multipart = { 'content-type': 'multipart/form-data; boundary=b' };
  const cases: [RequestInit['body'], Record<string, string>, number, string, RegExp][] = [
    [
      form(['country', 'GH']),
      {},
      422,
      'invalid_body',
      /^The form holds no file; wanted one in the part "file", got none\.$/,
    ],
    [form(file, file), {}, 422, 'invalid_body', /wanted one file, got two/],
    [
      form(['file', new Blob([]), 'a.json']),
      {},
      400,
      'malformed_file',
      /^The file is empty; wanted one with content\.$/,
    ],
    [
      form(['comodity_type', 'palm'], file),
      {},
      422,
      'invalid_body',
      /got "comodity_type"; did you mean "commodity_type"\?/,
    ],
    [form(file, ['zzz', '1']), {}, 422, 'invalid_body', /got "zzz"\.$/],
    [form(['fil', new Blob(['1']), 'a.json']), {}, 422, 'invalid_body', /did you mean "file"/],
    [form(['country', 'a'], ['country', 'b'], file), {}, 422, 'invalid_body', /came twice; wanted it once\.$/],
    [form(['country', 'a'.repeat(101)], file), {}, 422, 'invalid_body', /at most 100 bytes/],
    [json, multipart, 422, 'invalid_body', /wanted JSON/],
    [proto, multipart, 422, 'invalid_body', /built-in property/],
    [
      '--b\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\nhalf',
      multipart,
      400,
      'malformed_body',
      /broken one/,
    ],
    ['nothing', multipart, 400, 'malformed_body', /broken one/],
    ['x', { 'content-type': 'multipart/form-data' }, 400, 'malformed_body', /[Bb]oundary/],
    [
      '',
      { 'content-type': 'application/json' },
      400,
      'malformed_file',
      /^The file is empty; wanted one with content\.$/,
    ],
  ];
  for (const [body, headers, status, code, detail] of cases) {
    const answer = await post(body, headers);
    assert.deepEqual([answer.status, answer.body.code], [status, code], String(answer.body.detail));
    assert.match(String(answer.body.detail), detail);
    assert.match(String(answer.body.detail), /^[A-Z].*[.?]$/);
    await assertFolderEmpty();
  }
});

test('points to the part of the form that is refused', async () => {
  const cases: [FormData, string, string][] = [
    [form(['country', 'GH']), '/form/file', 'missing_file'],
    [form(file, file), '/form/file', 'duplicate_file'],
    [form(['file', new Blob([]), 'a.json']), '/form/file', 'empty'],
    [form(file, ['zzz', '1']), '/form/zzz', 'unknown_field'],
    [form(['fil', new Blob(['1']), 'a.json']), '/form/fil', 'unknown_field'],
    [form(['country', 'a'], ['country', 'b'], file), '/form/country', 'duplicate_field'],
    [form(['country', 'a'.repeat(101)], file), '/form/country', 'field_too_long'],
  ];
  for (const [body, pointer, code] of cases) {
    const { detail, errors } = (await post(body)).body;
    assert.deepEqual(errors, [{ pointer, code, detail }]);
  }
  await assertFolderEmpty();
});

test('refuses a request without a body or of another type', async () => {
  const none = await fetch(base, { method: 'POST' });
  assert.deepEqual([none.status, ((await none.json()) as { code: string }).code], [415, 'unsupported_media_type']);
  assert.equal(
    (await fetch(base, { method: 'POST', body: 'a', headers: { 'content-type': 'text/html' } })).status,
    500,
  );
  assert.equal((thrown.at(-1) as { code: string }).code, 'FST_ERR_CTP_INVALID_MEDIA_TYPE');
});

test('refuses a file that is too long as soon as it is, whether or not its length was declared', async () => {
  const long = new Blob(['x'.repeat(MAX_BYTES + 1)]);
  async function* endless(): AsyncGenerator<Uint8Array> {
    for (let i = 0; i < 200; i++) yield new Uint8Array(10_000);
  }
  const bodies: [RequestInit['body'], Record<string, string>][] = [
    [form(['file', long, 'a']), {}],
    [form(file, ['country', 'GH'], ['file', long, 'a']), {}],
    ['x'.repeat(MAX_BYTES + 1), { 'content-type': 'application/json' }],
    [endless() as unknown as RequestInit['body'], { 'content-type': 'application/json' }],
  ];
  for (const [i, [body, headers]] of bodies.entries()) {
    const answer = await post(body, headers);
    assert.deepEqual(
      [answer.status, answer.body.code],
      i === 1 ? [422, 'invalid_body'] : [413, 'too_large'],
      String(answer.body.detail),
    );
    await assertFolderEmpty();
  }
});

/** Opens a socket, sends the head of a form whose file is `declared` bytes long, and the first bytes of the file. */
async function beginForm(declared: number, sent: number): Promise<Socket> {
  const head = '--b\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\n';
  const socket = connect(Number(new URL(base).port), '127.0.0.1');
  socket.on('error', () => {});
  socket.write(
    `POST /upload HTTP/1.1\r\nhost: a\r\ncontent-type: multipart/form-data; boundary=b\r\ncontent-length: ${declared}\r\n\r\n${head}`,
  );
  socket.write('x'.repeat(sent));
  return socket;
}

test('answers at once when the declared length is too long', async () => {
  const socket = await beginForm(1_000_000_000, 10);
  const [answer] = await once(socket, 'data');
  assert.match(String(answer), /^HTTP\/1\.1 413 /);
  assert.match(String(answer), /1000000000 bytes/);
  socket.destroy();
  await assertFolderEmpty();
});

test('leaves nothing behind when clients vanish while they send', async () => {
  const sockets = await Promise.all(Array.from({ length: 20 }, async (_, i) => beginForm(300_000, i * 12_000)));
  while ((await readdir(folder.path)).length < 19) await sleep(5);
  for (const [i, socket] of sockets.entries()) {
    if (i % 2 === 0) socket.destroy();
    else socket.resetAndDestroy();
  }
  await assertFolderEmpty();
  assert.deepEqual(
    thrown.map((error) => (error as Problem).code),
    Array(20).fill('client_closed_request'),
  );
  assert.equal((await post(form(file))).status, 200);
});

test('leaves nothing behind when the route fails or the client does not wait for the answer', async () => {
  assert.equal((await post(form(file, ['country', 'explode']))).status, 500);
  await assertFolderEmpty();
  const body = '--b\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\nhello\r\n--b--\r\n';
  for (let i = 0; i < 20; i++) {
    const socket = connect(Number(new URL(base).port), '127.0.0.1');
    socket.on('error', () => {});
    socket.write(
      `POST /upload HTTP/1.1\r\nhost: a\r\ncontent-type: multipart/form-data; boundary=b\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
      () => socket.resetAndDestroy(),
    );
  }
  await sleep(100);
  await assertFolderEmpty();
});

test('removes at the next start what dead processes left, and only that', async () => {
  const path = await mkdtemp(join(tmpdir(), 'firstmile-orphans-'));
  try {
    const own = basename((await openUploadFolder(path)).newPath());
    const dead = spawnSync(process.execPath, ['-e', '']).pid;
    const named = (pid: number, host = own.split('-')[1]) => `upload-${host}-${pid}-${own.split('-')[3]}`;
    const old = new Date(Date.now() - 25 * 3_600_000);
    const beforeStart = new Date(performance.timeOrigin - 60_000);
    const files: [name: string, time: Date | null, kept: boolean][] = [
      [own, null, true],
      [named(dead), null, false],
      [named(process.ppid), null, true],
      [named(dead, '00000000'), null, true],
      [named(process.ppid, '00000000'), old, false],
      ['notes.txt', old, true],
    ];
    for (const [name, time] of files) {
      await writeFile(join(path, name), 'x');
      if (time !== null) await utimes(join(path, name), time, time);
    }
    await openUploadFolder(path);
    const kept = files.filter(([, , stays]) => stays).map(([name]) => name);
    assert.deepEqual((await readdir(path)).toSorted(), kept.toSorted());
    await utimes(join(path, own), beforeStart, beforeStart);
    await openUploadFolder(path);
    assert.ok(!(await readdir(path)).includes(own));
  } finally {
    await rm(path, { recursive: true, force: true });
  }
});
