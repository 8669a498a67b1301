import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { canonicalJson } from '../../src/webhooks/canonical-json.ts';
import { signatureHeader } from '../../src/webhooks/sign.ts';
import { installClient } from './install-client.ts';
import { peerCommand, peerSkip, type OtherRuntime } from './peers.ts';
import { runService, type RunningProcess } from './run-service.ts';

const run = promisify(execFile);

/** How each runtime starts a program of a project: Deno reads, sends and knows the environment only where it is allowed to. */
const WORDS = {
  'Node 24.21': [],
  'Deno 2.9.6': ['run', '--quiet', '--no-prompt', '--allow-net=127.0.0.1', '--allow-env', '--allow-read=.'],
  'Bun 1.4.5': ['--no-install'],
} satisfies Record<OtherRuntime, readonly string[]>;

const SEEN = {
  rated: [
    ['mill', 'MY'],
    ['again', 'MY'],
  ],
  collection: [1, 'completed', 'completed', 'plots.geojson'],
  resumed: 1,
  verdicts: 1,
  table: 3,
  scope: 'yes',
  refused: [true, 'Unauthenticated', 'invalid_token'],
  aborted: 'stopped',
  unreachable: 'unreachable',
  webhook: ['evt_1', true, 'signature_mismatch'],
};

/** An empty folder with the package, as `npm install --omit=optional` leaves it. */
let folder: string;
let service: RunningProcess;
before(async () => {
  service = await runService();
  folder = await mkdtemp(join(tmpdir(), 'firstmile-runtimes-'));
  await installClient(folder);
  await writeFile(join(folder, 'package.json'), '{ "type": "module", "dependencies": { "firstmile": "*" } }');
  await cp(join(import.meta.dirname, 'try-client.mjs'), join(folder, 'try-client.mjs'));
});
after(async () => {
  await service?.[Symbol.asyncDispose]();
  if (folder !== undefined) await rm(folder, { recursive: true });
});

describe('the TypeScript client in another runtime', () => {
  for (const [name, words] of Object.entries(WORDS) as [OtherRuntime, readonly string[]][])
    it(
      `rates, uploads, follows and refuses in ${name} as in the Node of the repository`,
      { skip: peerSkip(name) },
      async () => {
        assert.deepEqual(await seenIn(peerCommand(name), words), SEEN);
      },
    );

  it('does so in the Node of the repository', async () => {
    assert.deepEqual(await seenIn(process.execPath, []), SEEN);
  });
});

const SECRET = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=';

async function seenIn(command: string, words: readonly string[]): Promise<unknown> {
  const event = canonicalJson({ id: 'evt_1', type: 'test_event', created_at: '2026-11-21T00:00:00.000Z', data: {} });
  const env = {
    PATH: process.env['PATH'],
    HOME: folder,
    FIRSTMILE_URL: service.url,
    FIRSTMILE_TOKEN: service.token,
    SIGNED: JSON.stringify([event, signatureHeader(event, SECRET, Math.floor(Date.now() / 1_000)), SECRET]),
  };
  const { stdout } = await run(command, [...words, 'try-client.mjs'], { cwd: folder, env });
  return JSON.parse(stdout);
}
