import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import type { SignatureDocument, Statement } from '../../src/signatures/signature-document.ts';
import { browserSkip, openBrowser } from '../console/browser.ts';
import { oneEngine, type TestDatabase } from '../contracts/engines.ts';
import { unzipped } from '../due-diligence-export.ts';
import { madeUpPlots } from './made-up-plots.ts';
import { runCommand } from './run-command.ts';
import { ROOT, runService, type RunningProcess } from './run-service.ts';

const run = promisify(execFile);
const SECRETS_KEY = `k1:${Buffer.alloc(32, 7).toString('base64')}`;
const PLACE = '/validate_facility?geometry=POINT(102.6124%204.5821)&commodity_type=palm';

for (const engine of oneEngine()) {
  describe(`signatures on ${engine.name}`, { skip: engine.skip }, () => {
    let database: TestDatabase;
    let service: RunningProcess;
    let env: Readonly<Record<string, string>>;
    let folder: string;
    let collection: string;

    before(async () => {
      database = await engine.create();
      folder = await mkdtemp(join(tmpdir(), 'firstmile-signed-'));
      env = database.databaseUrl === null ? {} : { DATABASE_URL: database.databaseUrl, SECRETS_KEY };
      service = await runService({ dataDir: database.dataDir, env });
      const form = new FormData();
      form.set('file', madeUpPlots(6), 'plots.geojson');
      form.set('collection_name', 'signed');
      const work = (await (await service.fetch('/batch_process', { method: 'POST', body: form })).json()) as {
        collection_id: string;
        task_id: string;
      };
      collection = work.collection_id;
      await (await service.fetch(`/tasks/${work.task_id}/events`)).text();
    });
    after(async () => {
      await service?.[Symbol.asyncDispose]();
      await database?.drop();
      await rm(folder, { recursive: true, force: true });
    });

    const at = (name: string) => join(folder, name);
    const command = (...words: string[]) => runCommand(words, { ...service.settings, ...env });

    async function signed(path: string): Promise<{ text: string; document: SignatureDocument; statement: Statement }> {
      const answer = await service.fetch(path);
      const text = await answer.text();
      assert.equal(answer.status, 200, text);
      const document = JSON.parse(text) as SignatureDocument;
      return { text, document, statement: JSON.parse(document.statement) as Statement };
    }

    /** What openssl makes of a signature over the very bytes of a file. */
    async function openssl(file: string, signature: string): Promise<string> {
      await writeFile(at('keys.pem'), await (await service.fetch('/.well-known/firstmile-signing-keys.pem')).text());
      await writeFile(at('signature'), Buffer.from(signature, 'base64'));
      const words = ['pkeyutl', '-verify', '-pubin', '-inkey', at('keys.pem'), '-rawin', '-in', at(file)];
      const { stdout } = await run('openssl', [...words, '-sigfile', at('signature')]).catch(
        (error: { stdout: string }) => error,
      );
      return stdout.trim();
    }

    it('enclose a facility receipt, which the command checks without the service and openssl byte by byte', async () => {
      const { text, document, statement } = await signed(`${PLACE}&signature=enveloping`);
      const [feature] = (JSON.parse(document.payload!) as { features: { properties: object }[] }).features;
      assert.ok('confidence_score' in feature!.properties);
      assert.equal(statement.what, 'facility receipt');
      assert.ok(statement.request?.startsWith('GET /validate_facility?') && !statement.request.includes('signature'));
      await writeFile(at('receipt.sig.json'), text);
      const keys = await (await fetch(`${service.url}/.well-known/firstmile-signing-keys.json`)).text();
      await writeFile(at('keys.json'), keys);
      const checked = await runCommand(['verify', at('receipt.sig.json'), '--keys', at('keys.json')], {
        DATA_DIR: at('nothing-here'),
      });
      assert.equal(checked.code, 0, checked.out + checked.err);
      assert.match(checked.out, /the signature holds\.\nWhat +facility receipt: validate_facility\.geojson, \d+ bytes/);
      await writeFile(at('payload'), document.payload!);
      assert.equal(
        await openssl('payload', document.signatures['validate_facility.geojson']!),
        'Signature Verified Successfully',
      );
      await writeFile(at('statement'), document.statement);
      assert.equal(await openssl('statement', document.statement_signature), 'Signature Verified Successfully');

      const forged = text.replace(/confidence_score\\":[0-9.]+/, String.raw`confidence_score\":0.99`);
      assert.notEqual(forged, text);
      await writeFile(at('forged.sig.json'), forged);
      const refused = await command('verify', at('forged.sig.json'));
      assert.equal(refused.code, 1);
      assert.match(refused.out, /does not hold\. The file is not one of those that were signed/);
    });

    it('are about the very bytes that the same request answers: an archive, each file in it, and verdicts', async () => {
      const path = `/export_eudr_dds?filename=${collection}`;
      const zip = Buffer.from(await (await service.fetch(path)).arrayBuffer());
      const { text, document, statement } = await signed(`${path}&signature=detached`);
      const name = `due-diligence-${collection}.zip`;
      assert.deepEqual([statement.what, statement.request], ['due diligence export', `GET ${path}`]);
      await writeFile(at(name), zip);
      await writeFile(at(`${name}.sig.json`), text);
      await writeFile(at('audit.pdf'), unzipped(zip)['audit.pdf']!);
      assert.equal((await command('verify', at(name))).code, 0);
      const report = await command('verify', at('audit.pdf'), '--signature', at(`${name}.sig.json`), '--json');
      assert.equal(report.code, 0, report.err);
      const found = JSON.parse(report.out) as { file: { name: string }; over_bytes: boolean };
      assert.deepEqual([found.file.name, found.over_bytes], ['audit.pdf', true]);
      for (const file of [name, 'audit.pdf'])
        assert.equal(await openssl(file, document.signatures[file]!), 'Signature Verified Successfully');
      const bad = Buffer.from(zip);
      bad[bad.length - 1]! ^= 1;
      await writeFile(at('bad.zip'), bad);
      assert.equal(await openssl('bad.zip', document.signatures[name]!), 'Signature Verification Failure');
      await copyFile(at(`${name}.sig.json`), at('bad.zip.sig.json'));
      assert.equal((await command('verify', at('bad.zip'))).code, 1);

      const check = `/fetch_deforestation_check?filename=${collection}&location_id=${await aLocation()}`;
      const verdicts = Buffer.from(await (await service.fetch(check)).arrayBuffer());
      const receipt = await signed(`${check}&signature=Detached`);
      assert.equal(receipt.statement.what, 'plot verdict receipts');
      await writeFile(at('verdict.ndjson'), verdicts);
      await writeFile(at('verdict.ndjson.sig.json'), receipt.text);
      assert.equal((await command('verify', at('verdict.ndjson'))).code, 0);
      const enclosed = await signed(`${check}&signature=enveloping`);
      assert.equal(enclosed.document.payload, verdicts.toString());
    });

    async function aLocation(): Promise<string> {
      const lines = await (await service.fetch(`/fetch_plots?filename=${collection}&limit=1`)).text();
      return String(
        (JSON.parse(lines.split('\n')[0]!) as { properties: { location_id: unknown } }).properties.location_id,
      );
    }

    it('are refused where they cannot be made, and unknown where nothing is signed', async () => {
      const refused = async (path: string): Promise<string> => {
        const answer = await service.fetch(path);
        assert.equal(answer.status, 422, path);
        return ((await answer.json()) as { detail: string }).detail;
      };
      assert.match(await refused(`${PLACE}&signature=yes`), /wanted enveloping or detached, got "yes"/);
      assert.match(
        await refused(`/export_eudr_dds?filename=${collection}&signature=enveloping`),
        /wanted detached, because the answer is no text/,
      );
      await refused('/tasks?signature=detached');
      const unknown = await service.fetch(`/export_eudr_dds?filename=${crypto.randomUUID()}&signature=detached`);
      assert.equal(unknown.status, 404);
      assert.equal((await service.fetch(`${PLACE}&signature=detached`, { method: 'HEAD' })).status, 200);
    });

    it('hold after the key was replaced, whose private half is gone', async () => {
      const before = await signed(`${PLACE}&signature=enveloping`);
      await writeFile(at('before.sig.json'), before.text);
      const rotated = await command('signing-key', 'rotate');
      assert.equal(rotated.code, 0, rotated.err);
      const now = await signed(`${PLACE}&signature=enveloping`);
      assert.notEqual(now.document.key_id, before.document.key_id);
      assert.ok(rotated.out.includes(now.document.key_id));
      await writeFile(at('now.sig.json'), now.text);
      for (const name of ['before.sig.json', 'now.sig.json']) {
        const checked = await command('verify', at(name));
        assert.equal(checked.code, 0, checked.out + checked.err);
        assert.equal(/retired since/.test(checked.out), name === 'before.sig.json');
      }
      const listed = await command('signing-key', 'list');
      assert.match(
        listed.out,
        new RegExp(`^${now.document.key_id}\\n[^]*retired +in use\\n\\n${before.document.key_id}$`, 'm'),
      );
      assert.match((await command('audit', 'list', '--json')).out, /signing_key_rotated/);
      const stranger = await command('verify', at('now.sig.json'), '--keys', at('keys.json'));
      assert.deepEqual([stranger.code, /No key with the id/.test(stranger.out)], [1, true]);
      assert.equal((await command('verify', at('missing.zip'))).code, 2);
    });

    it('are checked by the page of the service and by a copy of it on a disk', { skip: browserSkip() }, async (t) => {
      if (engine.name === 'postgres') return t.skip('the page is the same');
      await using browser = await openBrowser(service.url);
      await using window = await browser.open({ width: 420 });
      const { page } = window;
      const name = `due-diligence-${collection}.zip`;
      const result = page.locator('#result');
      await window.go('/verify');
      await page.getByText(`Those of ${new URL(service.url).host} are used`).waitFor();
      await page.locator('#document').setInputFiles(at(`${name}.sig.json`));
      await page.locator('#file').setInputFiles(at(name));
      await result.getByText('The signature holds', { exact: true }).waitFor();
      assert.match(await result.innerText(), /due diligence export: due-diligence-/);
      assert.deepEqual([await window.axe(), await window.overflows()], [[], false]);
      await window.shot('verify-holds');
      await page.locator('#file').setInputFiles(at('bad.zip'));
      await result.getByText('The signature does not hold').waitFor();
      assert.match(await result.innerText(), /its bytes are others/);
      await window.shot('verify-fails');
      await page.locator('#file').setInputFiles([]);
      await page.locator('#document').setInputFiles(at('now.sig.json'));
      await result.getByText('The signature holds', { exact: true }).waitFor();
      assert.deepEqual(window.faults, []);

      // A copy knows no service: the keys are chosen, here as PEM with the key in use first.
      await page.goto(`file://${join(ROOT, 'docs/verify.html')}`);
      await page.locator('#keys').setInputFiles(at('keys.json'));
      await page.locator('#document').setInputFiles(at('now.sig.json'));
      await result.getByText('is not among the public keys').waitFor();
      await writeFile(at('all.pem'), await (await service.fetch('/.well-known/firstmile-signing-keys.pem')).text());
      await page.locator('#keys').setInputFiles(at('all.pem'));
      await result.getByText('The signature holds', { exact: true }).waitFor();
      await page.locator('#document').setInputFiles(at('forged.sig.json'));
      await result.getByText('its bytes are others').waitFor();
      await page.locator('#document').setInputFiles(at('all.pem'));
      await result.getByText('The signature document is no JSON').waitFor();
    });
  });
}

describe('the page that verifies', () => {
  it('requests nothing from elsewhere', async () => {
    const page = await readFile(join(ROOT, 'docs/verify.html'), 'utf8');
    assert.deepEqual(page.match(/(?:src|href)=|https?:\/\//g) ?? [], []);
  });
});
