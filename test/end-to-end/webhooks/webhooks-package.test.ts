import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { canonicalJson } from '../../../src/webhooks/canonical-json.ts';
import { signatureHeader } from '../../../src/webhooks/sign.ts';
import { ROOT } from '../run-service.ts';

const run = promisify(execFile);
const SECRET = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=';

describe('firstmile/webhooks in the packed package', () => {
  let folder = '';
  /** A project with nothing but the unpacked package: the module needs none of its dependencies. */
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'firstmile-packed-'));
    // What prepack does but for the console, which is built already and which other tests read meanwhile.
    await run(join(ROOT, 'node_modules/.bin/tsc'), ['-p', 'tsconfig.pack.json'], { cwd: ROOT });
    await run('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder], { cwd: ROOT });
    const [tarball = ''] = await readdir(folder);
    const target = join(folder, 'node_modules/firstmile');
    await mkdir(target, { recursive: true });
    await run('tar', ['-xzf', join(folder, tarball), '--strip-components=1', '-C', target]);
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it('is imported by its name and verifies what the service signs', async () => {
    const body = canonicalJson({ id: 'evt_1', type: 'test_event', created_at: '2026-11-21T00:00:00.000Z', data: {} });
    const header = signatureHeader(body, SECRET, Math.floor(Date.now() / 1_000));
    const program = `
      import { verifyWebhook, WebhookRefused } from 'firstmile/webhooks';
      const [body, header, secret] = process.argv.slice(2);
      console.log(verifyWebhook(body, header, secret, { tolerance: 300 }).id);
      try { verifyWebhook(body + ' ', header, secret); }
      catch (error) { console.log(error instanceof WebhookRefused, error.reason); }`;
    await writeFile(join(folder, 'receive.mjs'), program);
    const { stdout } = await run(process.execPath, ['receive.mjs', body, header, SECRET], { cwd: folder });
    assert.equal(stdout, 'evt_1\ntrue signature_mismatch\n');
  });

  it('has types for programs in TypeScript', async () => {
    const program = `
      import { verifyWebhook, type WebhookEvent } from 'firstmile/webhooks';
      export const event: WebhookEvent = verifyWebhook(new Uint8Array(), 't=1, v1=', ['a', 'b'], { tolerance: 300 });
      // @ts-expect-error the tolerance is a number of seconds
      verifyWebhook('', '', '', { tolerance: '300' });`;
    await writeFile(join(folder, 'typed.mts'), program);
    const tsc = join(ROOT, 'node_modules/.bin/tsc');
    const types = join(ROOT, 'node_modules/@types');
    const flags = ['--noEmit', '--strict', '--module', 'nodenext', '--types', 'node', '--typeRoots', types];
    await run(tsc, [...flags, 'typed.mts'], { cwd: folder });
  });

  it('holds no tests and no data of ours', async () => {
    const files = await readdir(join(folder, 'node_modules/firstmile'), { recursive: true });
    assert.ok(files.includes('dist/verify-webhook.js') && files.includes('LICENSE'));
    const { scripts } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as {
      scripts: Readonly<Record<string, string>>;
    };
    assert.equal(
      scripts['prepack'],
      'tsc -p tsconfig.pack.json && node bin/build-console.js --required && node bin/build-packs.js --required',
    );
    assert.deepEqual(
      files.filter((file) => file.endsWith('.test.ts') || /^(test|data|bench|node_modules)\b/.test(file)),
      [],
    );
  });
});
