import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { chmod, cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { installClient } from './install-client.ts';
import { peerCommand, peerSkip } from './peers.ts';
import { qgisSkip } from './qgis-skip.ts';
import { runCommand } from './run-command.ts';
import { ROOT, runService, type RunningProcess } from './run-service.ts';

const EMAIL = 'dev@localhost';
const INSPECTOR = 'MCP inspector 2.12.0';

let service: RunningProcess;
let folder: string;
let tickets: Server;
/** Titles of the tickets that were opened. */
const opened: string[] = [];
let env: Record<string, string>;

before(async () => {
  service = await runService({ env: { WEBHOOK_ALLOW_LOCAL: 'on', MODELS: 'manual' } });
  folder = await mkdtemp(join(tmpdir(), 'firstmile-recipes-'));
  await installPackage();
  tickets = createServer(async (request, response) => {
    const { title } = JSON.parse(Buffer.concat(await request.toArray()).toString()) as { title: string };
    opened.push(title);
    response.end();
  }).listen(0, '127.0.0.1');
  const { out } = await runCommand(['token', 'create', '--user', EMAIL], service.settings);
  const receiver = await freePort();
  env = {
    PATH: `${join(folder, 'bin')}:${process.env['PATH'] ?? ''}`,
    HOME: folder,
    FIRSTMILE_URL: service.url,
    FIRSTMILE_TOKEN: out.trim(),
    ...service.settings,
    PYTHONPATH: join(folder, 'python'),
    PYTHONDONTWRITEBYTECODE: '1',
    QGIS_PLUGINS: join(ROOT, 'clients/qgis'),
    AUTO_DATA: 'off',
    PUBLIC_DATA: 'off',
    RECEIVER_URL: `http://127.0.0.1:${receiver}`,
    RECEIVER_PORT: String(receiver),
    TICKETS_URL: `http://127.0.0.1:${(tickets.address() as AddressInfo).port}/tickets`,
  };
});
after(async () => {
  await service?.[Symbol.asyncDispose]();
  tickets?.close();
  if (folder !== undefined) await rm(folder, { recursive: true });
});

/** What the output of each section has to show. */
const SHOWN: Readonly<Record<string, Readonly<Record<string, readonly RegExp[]>>>> = {
  'tour.md': {
    'Minute 2: is this really a mill?': [/confidence_level: '(high|medium)'/],
    'Minute 3: which forest is this point in?': [/segment_id: 'seg_\w+'/, /source: '\w/],
    'Minute 4: what happened on these plots?': [/completed/],
    'Minute 5: the rest of it': [/code 1801 is listed in Annex I/],
  },
  'recipes.md': {
    "From a supplier's file to verdicts": [
      /3 locations \(csv\): 3 plots of 2 producers/,
      /event: completed/,
      /convergence_verdict/,
      /check_status/,
    ],
    'The same from Python': [/^F-\d (more_information_needed|high) \w+ ./m],
    'From a layer of QGIS to verdicts': [
      /^name,eudr_status,convergence_verdict,check_status,monitored_until$/m,
      /^"?By the river"?,(compliant|more_information_needed|non_compliant)\w*,\w+,\w+,2024-12-31$/m,
      /^"?On the hill"?,/m,
    ],
    'From a question to an assistant': [
      /^high, partly_verified$/m,
      /^By the river: (low|more_information_needed|high)$/m,
      /^On the hill: /m,
    ],
    'Check again every night': [/^3 plots, 0 changed\n3 plots, 0 changed$/m],
    'From a webhook to a ticket': [/"delivered":true/],
    'Maps of your own': [/"dataset":"our-soy-2025"/],
    'A head of your own': [/^our-palm: \d+ pixels with the label/m, /our-palm +palm/],
  },
};

/** Why a section is not tried: it needs a program that not every machine has. */
const SKIPPED: Readonly<Record<string, string | false>> = {
  'From a layer of QGIS to verdicts': qgisSkip(),
  'From a question to an assistant': peerSkip(INSPECTOR),
};

for (const [page, sections] of Object.entries(SHOWN))
  describe(`docs/${page}`, () => {
    for (const [title, wanted] of Object.entries(sections))
      it(`has commands that work: ${title}`, { skip: SKIPPED[title] ?? false }, async () => {
        const script = commandsOf(await readFile(join(ROOT, 'docs', page), 'utf8'), title);
        const { code, out } = await shell(script);
        assert.equal(code, 0, out);
        for (const pattern of wanted) assert.match(out, pattern);
      });

    it('has no command that is not tried', async () => {
      const text = await readFile(join(ROOT, 'docs', page), 'utf8');
      const tried = Object.keys(sections).map((title) => commandsOf(text, title));
      assert.equal(blocksOf(text).length, tried.flatMap(blocksIn).length);
      function blocksIn(script: string): readonly string[] {
        return blocksOf(text).filter((block) => script.includes(block));
      }
    });
  });

describe('the ticket of the recipe', () => {
  it('was opened once for the test event', () => {
    assert.deepEqual(opened, ['test_event: test']);
  });
});

/** The blocks of a section that are commands, as one script. */
function commandsOf(text: string, title: string): string {
  const section = text.split(/^(?=## )/m).find((part) => part.startsWith(`## ${title}\n`));
  assert.ok(section !== undefined, `there is no section ${title}`);
  return blocksOf(section).join('\n');
}

function blocksOf(text: string): readonly string[] {
  return [...text.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block]) => block!);
}

function shell(script: string): Promise<{ code: number | null; out: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn('bash', ['-c', `set -euo pipefail\n${script}`], { cwd: folder, env });
    let out = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => (out += text));
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, out }));
  });
}

/** What `npm install` of the package would give: its modules, and its command for `npx`. */
async function installPackage(): Promise<void> {
  const bin = join(folder, 'bin');
  await Promise.all([installClient(folder), mkdir(bin)]);
  // As a wheel would lie there.
  const python = join(folder, 'python');
  await cp(join(ROOT, 'clients/python/src'), python, { recursive: true });
  await mkdir(join(python, 'firstmile-0.dist-info'));
  await writeFile(
    join(python, 'firstmile-0.dist-info/METADATA'),
    'Metadata-Version: 2.1\nName: firstmile\nVersion: 0\n',
  );
  const npx = join(bin, 'npx');
  await writeFile(npx, `#!/bin/sh\nshift\nexec '${process.execPath}' '${join(ROOT, 'bin/firstmile.js')}' "$@"\n`);
  await symlink('/usr/bin/python3', join(bin, 'python3'));
  await writeFile(join(bin, 'node'), `#!/bin/sh\nexec '${process.execPath}' "$@"\n`);
  const inspector = join(bin, 'mcp-inspector');
  await writeFile(inspector, `#!/bin/sh\nexec '${process.execPath}' '${peerCommand(INSPECTOR)}' "$@"\n`);
  await Promise.all([npx, join(bin, 'node'), inspector].map((path) => chmod(path, 0o755)));
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((done) => server.once('listening', done));
  const { port } = server.address() as AddressInfo;
  await new Promise((done) => server.close(done));
  return port;
}
