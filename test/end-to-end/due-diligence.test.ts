import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import PostalMime from 'postal-mime';
import { unzipped } from '../due-diligence-export.ts';
import { box } from '../memory/feature-rows.ts';
import { startSmtpServer, type TestSmtpServer } from '../smtp-fault-server.ts';
import { madeUpPlots } from './made-up-plots.ts';
import { runCommand } from './run-command.ts';
import { runService, type RunningProcess } from './run-service.ts';

const DAYS = { monitoring_start: '2018-01-01', monitoring_end: '2024-12-31' };

interface Work {
  readonly collection_id: string;
  readonly task_id: string;
  readonly status: string;
  readonly poll_url: string;
  readonly kind: string;
  readonly urls: Readonly<Record<string, string>>;
  readonly code: string;
}
interface Checks {
  readonly counts: Readonly<Record<string, number>>;
  readonly monitoring_end: string;
}

let smtp: TestSmtpServer;
let service: RunningProcess;
/** Of a user with an address. */
let token = '';
before(async () => {
  smtp = await startSmtpServer();
  service = await runService({
    env: {
      SMTP_URL: `smtp://127.0.0.1:${smtp.port}`,
      SMTP_TLS: 'off',
      EMAIL_FROM: 'Firstmile <firstmile@example.org>',
    },
  });
  const command = (...words: string[]) => runCommand(words, service.settings);
  await command('user', 'add', 'ana@example.org', '--no-password');
  token = (await command('token', 'create', '--user', 'ana@example.org')).out.trim();
});
after(async () => {
  await service[Symbol.asyncDispose]();
  await smtp[Symbol.asyncDispose]();
});

describe('the due diligence export', () => {
  test('of a batch comes by email, and at the address in the email, byte for byte', async () => {
    const id = await processed(madeUpPlots(12), { eudr_dds: 'true' });
    const message = await until(() => smtp.received[0]);
    const { attachments, text } = await PostalMime.parse(message.bytes);
    const [report] = attachments;
    assert.equal(report?.filename, `due-diligence-${id}.zip`);
    const sent = Buffer.from(report.content as ArrayBuffer);
    const address = /GET (\S+)/.exec(text ?? '')?.[1] ?? '';
    const { pathname, search } = new URL(address);
    const answer = await call(pathname + search);
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get('content-type'), 'application/zip');
    assert.equal(answer.headers.get('content-disposition'), `attachment; filename="due-diligence-${id}.zip"`);
    const fetched = Buffer.from(await answer.arrayBuffer());
    assert.equal(sha256(fetched), sha256(sent));
    assert.ok(text?.includes(sha256(sent)));
    const files = unzipped(fetched);
    const names = [
      'README.txt',
      'SHA256SUMS',
      'audit.pdf',
      'checks.json',
      'dds.json',
      'findings.csv',
      'left-out.csv',
      'plots.csv',
    ];
    assert.deepEqual(
      Object.keys(files)
        .filter((name) => !name.endsWith('.geojson'))
        .toSorted(),
      names,
    );
    assert.equal(checksOf(files).counts['plots_in_geojson'], 12);
    assert.match(files['README.txt']!.toString(), /Nothing was submitted to any authority/);
    assert.match(text ?? '', /draft: nothing was submitted/);
    assert.match(text ?? '', /Plots in the draft: 12, /);
    assert.match(text ?? '', /each in one group .*:\n {2}Signs of deforestation: \d+\n/);
  });

  test('over another period is written at once, and not sent twice to who has it', async () => {
    const id = await processed(madeUpPlots(9), {});
    const path = `/export_eudr_dds?collections=${id}&monitoring_end=2022-12-31`;
    const answer = await call(path);
    assert.equal(answer.status, 200);
    const bytes = Buffer.from(await answer.arrayBuffer());
    assert.equal(checksOf(unzipped(bytes)).monitoring_end, '2022-12-31');
    const etag = answer.headers.get('etag')!;
    assert.equal((await call(path, { headers: { 'if-none-match': etag } })).status, 304);
    const again = Buffer.from(await (await call(path)).arrayBuffer());
    assert.equal(sha256(again), sha256(bytes), 'the same request gives the same bytes');
    const head = await call(path, { method: 'HEAD' });
    assert.deepEqual([head.status, head.headers.get('content-type')], [200, 'application/zip']);
  });

  test('leaves plots out by their verdict and lists them', async () => {
    const id = await processed(madeUpPlots(5), { stats: 'false' });
    const answer = await call(`/export_eudr_dds?filename=${id}&exclude=Unknown,high`);
    assert.equal(answer.status, 200);
    const files = unzipped(Buffer.from(await answer.arrayBuffer()));
    const { counts } = checksOf(files);
    assert.deepEqual([counts['plots_in_geojson'], counts['plots_left_out'], counts['plots_excluded']], [0, 5, 5]);
    const lines = files['left-out.csv']!.toString().trim().split('\r\n');
    assert.equal(lines.length, 6);
    assert.match(lines[1]!, /excluded: Left out on request \(exclude=unknown\)/);
    assert.match(files['README.txt']!.toString(), /plots whose verdict is high or unknown; see left-out\.csv/);
    const whole = await call(`/export_eudr_dds?filename=${id}`);
    assert.equal(checksOf(unzipped(Buffer.from(await whole.arrayBuffer()))).counts['plots_in_geojson'], 5);
  });

  test('measures and exports outlines as they were cut or closed, and says so', async () => {
    const ring = (west: number, east: number): number[][] => [
      [west, -17.1],
      [east, -17.1],
      [east, -17.0],
      [west, -17.0],
    ];
    const plots = [
      [...ring(179.999, -179.999), [179.999, -17.1]],
      ring(178.5, 178.502),
      [
        [178.6, -17],
        [178.6000001, -17],
        [178.6000001, -17.0000001],
        [178.6, -17],
      ],
    ];
    const features = plots.map((outline, i) => ({
      type: 'Feature',
      id: `p${i}`,
      geometry: { type: 'Polygon', coordinates: [outline] },
      properties: { location_type: 'plot', country: 'FJ' },
    }));
    const id = await processed(
      new File([JSON.stringify({ type: 'FeatureCollection', features })], 'plots.geojson'),
      {},
    );
    const shown = (await (await call(`/fetch_plots?filename=${id}`)).text()).trim().split('\n');
    const [cut, closed] = shown.map(
      (line) => JSON.parse(line) as { geometry: { type: string }; properties: { problem: unknown } },
    );
    assert.equal(cut!.geometry.type, 'MultiPolygon');
    assert.deepEqual([cut!.properties.problem, closed!.properties.problem], [null, null], 'both are measured');
    const files = unzipped(Buffer.from(await (await call(`/export_eudr_dds?filename=${id}`)).arrayBuffer()));
    const findings = files['findings.csv']!.toString();
    assert.match(findings, /p0,antimeridian-cut,info,,true/);
    assert.match(findings, /p1,open-polygon,error,4,true/);
    assert.match(findings, /p2,(no-ground|repeated-positions),error/);
    const areas = files['plots.csv']!.toString()
      .trim()
      .split('\r\n')
      .slice(1)
      .map((line) => line.split(','));
    const [, wide] = areas.map((cells) => Number(cells[10]));
    assert.ok(
      Math.abs(Number(areas[0]![10]) - wide!) < 0.01 * wide!,
      `the same ground on both sides: ${areas[0]} ${areas[1]}`,
    );
    assert.equal(areas[2]![8], '', 'an outline without ground is in no file');
  });

  test('declares of a collection what was measured, its outlines and not the points next to them', async () => {
    const side = 0.002;
    const ring = [
      [178.5, -17.5],
      [178.5 + side, -17.5],
      [178.5 + side, -17.5 + side],
      [178.5, -17.5 + side],
      [178.5, -17.5],
    ];
    const geometries = [
      { type: 'Polygon', coordinates: [ring] },
      { type: 'Point', coordinates: [178.512345, -17.512345] },
    ];
    const geometry = { type: 'GeometryCollection', geometries };
    const properties = { location_type: 'plot', country: 'FJ', ProducerName: 'Ratu' };
    const features = [{ type: 'Feature', id: 'both', geometry, properties }];
    const id = await processed(new Blob([JSON.stringify({ type: 'FeatureCollection', features })]), {});
    const files = unzipped(Buffer.from(await (await call(`/export_eudr_dds?filename=${id}`)).arrayBuffer()));
    const name = Object.keys(files).find((file) => file.endsWith('.geojson'));
    const exported = (JSON.parse(files[name!]!.toString()) as { features: { geometry: { type: string } }[] }).features;
    assert.deepEqual(
      exported.map((feature) => feature.geometry.type),
      ['Polygon'],
    );
    assert.match(files['findings.csv']!.toString(), /both,points-left-out,warning/);
    const [head, row] = files['plots.csv']!.toString().split('\r\n');
    const valueOf = (column: string): number => Number(row!.split(',')[head!.split(',').indexOf(column)]);
    assert.ok(valueOf('area_ha') > 4.5 && valueOf('area_ha') < 4.9, 'the outline alone has about 4.7 ha');
    assert.ok(Math.abs(valueOf('area_ha') - valueOf('geojson_area_ha')) < 0.001);
  });

  test('of a large collection is made by a task, which the same request finds until it answers the archive', async () => {
    const id = await processed(madeUpPlots(520), { stats: 'false' });
    const path = `/export_eudr_dds?filename=${id}`;
    const before = await call(path, { method: 'HEAD' });
    assert.deepEqual([before.status, before.headers.get('location')], [202, null]);
    assert.deepEqual(await exportTasks(), [], 'a question for the headers begins no task');
    const first = await call(path);
    assert.equal(first.status, 202);
    assert.ok(Number(first.headers.get('retry-after')) > 0);
    const task = (await first.json()) as Work;
    assert.equal(task.kind, 'eudr_dds_export');
    const meanwhile = await call(path, { method: 'HEAD' });
    if (meanwhile.status === 202) assert.equal(meanwhile.headers.get('location'), first.headers.get('location'));
    const second = await call(path);
    if (second.status === 202) assert.equal(((await second.json()) as Work).task_id, task.task_id);
    const answer = await until(async () => {
      const next = await call(path);
      if (next.status === 200) return next;
      await next.arrayBuffer();
      return null;
    });
    const bytes = Buffer.from(await answer.arrayBuffer());
    assert.equal(checksOf(unzipped(bytes)).counts['plots_in_geojson'], 520);
    const results = Buffer.from(await (await call(`/tasks/${task.task_id}/results`)).arrayBuffer());
    assert.equal(sha256(results), sha256(bytes));
    const after = await call(path, { method: 'HEAD' });
    assert.deepEqual([after.status, after.headers.get('content-type')], [200, 'application/zip']);
    assert.deepEqual(await exportTasks(), [task.task_id]);
  });

  test('refuses what it cannot export, with the reason', async () => {
    const refused = async (query: string, status: number): Promise<string> => {
      const answer = await call(`/export_eudr_dds${query}`);
      const { code } = (await answer.json()) as Work;
      assert.equal(answer.status, status, code);
      return code;
    };
    const unknown = '00000000-0000-4000-8000-000000000000';
    assert.equal(await refused(`?filename=${unknown}`, 404), 'collection_not_found');
    assert.equal(await refused('', 422), 'invalid_parameter');
    assert.equal(await refused(`?filename=${unknown}&collections=${unknown}`, 422), 'invalid_parameter');
    assert.equal(await refused(`?filename=${unknown}&limit=3`, 422), 'invalid_parameter');
    const id = await processed(madeUpPlots(3), {});
    assert.equal(await refused(`?filename=${id}&exclude=high,nonsense`, 422), 'invalid_parameter');
    const staged = await send('/stage_plots', madeUpPlots(3), {
      request_data: JSON.stringify({ collection_name: 'staged', description: '' }),
    });
    assert.equal(await refused(`?filename=${staged.collection_id}`, 409), 'collection_not_ready');
    const anonymous = await fetch(`${service.url}/export_eudr_dds?filename=${unknown}`);
    assert.equal(anonymous.status, 401);
  });

  test('drafts a simplified declaration by imported parcels, by addresses, and statements by what is given', async () => {
    // Parcels of 0.001 degrees, of which each plot lies in two; Fiji is a low-risk country.
    const parcel = (west: number, width: number) => box(west, -17.6, west + width, -17.599);
    const collection = (features: readonly object[]) => JSON.stringify({ type: 'FeatureCollection', features });
    const parcels = join(service.dataDir, 'parcels.geojson');
    const made = Array.from({ length: 60 }, (_, i) => ({
      type: 'Feature',
      properties: { LOT: `FJ-${i}` },
      geometry: parcel(178.5 + i / 1000, 0.001),
    }));
    await writeFile(parcels, collection(made));
    const imported = await runCommand(
      ['data', 'import', 'parcels', parcels, '--jurisdiction', 'FJ', '--id-field', 'LOT', '--licence', 'CC0-1.0'],
      service.settings,
    );
    assert.equal(imported.code, 0, imported.err);
    const plot = (i: number, west: number, country = 'FJ') => ({
      type: 'Feature',
      id: `p${i}`,
      geometry: parcel(west, 0.001),
      properties: { location_type: 'plot', country, ProducerName: 'Ratu', city: 'Ba', postal_code: `F${i}` },
    });
    const plots = [plot(0, 178.5005), plot(1, 178.5045), plot(2, 178.6), plot(3, 178.7, 'BR')];
    const id = await processed(new Blob([collection(plots)]), { crop_type: 'cocoa' });
    const path = `/export_eudr_dds?filename=${id}&kind=simplified_declaration&role=primary_operator`;
    const declarationOf = async (query: string) => {
      const answer = await call(`${path}${query}`);
      assert.equal(answer.status, 200, query);
      const files = unzipped(Buffer.from(await answer.arrayBuffer()));
      const { statement, operatorRole } = JSON.parse(files['sd.json']!.toString()) as {
        operatorRole: string;
        statement: {
          internalReferenceNumber: string;
          commodities: { hsHeading: string; producers: { producerLocation: Record<string, unknown[]> }[] }[];
        };
      };
      assert.equal(operatorRole, 'MICRO_OPERATOR');
      assert.ok(statement.internalReferenceNumber.length <= 14);
      const [commodity] = statement.commodities;
      return { files, commodity: commodity!, places: commodity!.producers.map((one) => one.producerLocation) };
    };
    const named = await declarationOf('&places=cadastral&cn=1801&activity=EXPORT');
    assert.equal(named.commodity.hsHeading, '1801');
    assert.deepEqual(
      named.places.map((place) => place['cadastralIdentifier']?.toSorted() ?? Object.keys(place)),
      [['FJ-0', 'FJ-1', 'FJ-4', 'FJ-5'], ['geometryGeojson']],
    );
    assert.match(named.files['findings.csv']!.toString(), /p2,no-parcel,warning,.*declared by its geometry/);
    assert.match(named.files['left-out.csv']!.toString(), /p3,.*not-low-risk: BR is a country of standard risk/);
    const posted = await declarationOf('&places=address');
    assert.deepEqual(
      posted.places.map((place) => place['postalAddress']?.length),
      [3],
    );
    // More than are looked up while the client waits: a task does, in its thread.
    const many = Array.from({ length: 51 }, (_, i) => plot(i, 178.5 + i / 1000));
    const all = await processed(new Blob([collection(many)]), { crop_type: 'cocoa' });
    const large = `/export_eudr_dds?filename=${all}&kind=sd&places=cadastral`;
    assert.equal((await call(large)).status, 202);
    const done = await until(async () => {
      const next = await call(large);
      if (next.status === 200) return next;
      await next.arrayBuffer();
      return null;
    });
    const ofAll = JSON.parse(unzipped(Buffer.from(await done.arrayBuffer()))['sd.json']!.toString()) as {
      statement: { commodities: { producers: { producerLocation: { cadastralIdentifier: string[] } }[] }[] };
    };
    const [{ producerLocation }] = ofAll.statement.commodities[0]!.producers as [
      { producerLocation: { cadastralIdentifier: string[] } },
    ];
    assert.deepEqual(
      producerLocation.cadastralIdentifier,
      many.map((_, i) => `FJ-${i}`),
    );

    const file = join(service.dataDir, 'sd.zip');
    const written = await runCommand(
      `export eudr-dds ${id} -o ${file} --user ana@example.org --kind simplified_declaration --role primary_operator --places cadastral --cn 1801 --activity EXPORT`.split(
        ' ',
      ),
      service.settings,
    );
    assert.equal(written.code, 0, written.err);
    assert.deepEqual(unzipped(await readFile(file))['sd.json'], named.files['sd.json']);

    const given = await call(`/export_eudr_dds?filename=${id}&role=operator&cn=1801&activity=import&date=2026-12-30`);
    const files = unzipped(Buffer.from(await given.arrayBuffer()));
    const draft = JSON.parse(files['dds.json']!.toString()) as {
      operatorRole: string;
      law: { due_diligence: string };
      statement: { activityType: string; commodities: { hsHeading: string }[] };
    };
    assert.deepEqual(
      [draft.operatorRole, draft.statement.activityType, draft.statement.commodities[0]?.hsHeading],
      ['OPERATOR', 'IMPORT', '1801'],
    );
    assert.equal(draft.law.due_diligence, 'full');
    const etag = given.headers.get('etag')!;
    assert.notEqual((await call(`/export_eudr_dds?filename=${id}`)).headers.get('etag'), etag);
    for (const query of ['&cn=4101', '&cn=1201&date=2026-12-30', '&role=trader', '&places=address', '&kind=other'])
      assert.equal((await call(`/export_eudr_dds?filename=${id}${query}`)).status, 422, query);
  });

  test('is written to a file by the command line, while the service runs and when it does not', async () => {
    const id = await processed(madeUpPlots(4), {});
    const file = join(service.dataDir, 'lot.zip');
    const words = ['export', 'eudr-dds', id, '-o', file, '--user', 'ana@example.org'];
    const written = await runCommand(words, service.settings);
    assert.equal(written.code, 0, written.err);
    const bytes = await readFile(file);
    assert.ok(written.out.includes(`${bytes.length} bytes, SHA-256 ${sha256(bytes)}`), written.out);
    const fetched = Buffer.from(await (await call(`/export_eudr_dds?filename=${id}`)).arrayBuffer());
    assert.equal(sha256(fetched), sha256(bytes));
    const unknown = await runCommand(words.with(2, '00000000-0000-4000-8000-000000000000'), service.settings);
    assert.deepEqual([unknown.code, /You have no collection/.test(unknown.err)], [1, true]);
    const day = await runCommand([...words, '--monitoring-end', '2024-02-30'], service.settings);
    assert.deepEqual([day.code, /wanted a day of the calendar/.test(day.err)], [2, true]);
    const fewer = join(service.dataDir, 'fewer.zip');
    const exclude = await runCommand(
      [...words.with(4, fewer), '--exclude', 'high,more_information_needed,unknown'],
      service.settings,
    );
    assert.equal(exclude.code, 0, exclude.err);
    const left = unzipped(await readFile(fewer));
    const whole = unzipped(bytes);
    const { plots_left_out: out, plots_excluded: excluded, plots_in_geojson: kept } = checksOf(left).counts;
    assert.ok(out! > 0, String(out));
    assert.deepEqual([excluded, kept! + out!], [out, checksOf(whole).counts['plots_in_geojson']]);
    const listed = left['left-out.csv']!.toString().trim().split('\r\n').slice(1);
    assert.equal(listed.length, out, 'each has a line');
    assert.ok(
      listed.every((line) => /excluded: Left out on request \(exclude=/.test(line)),
      listed[0],
    );
    const typo = await runCommand([...words, '--exclude', 'hihg'], service.settings);
    assert.equal(typo.code, 2, typo.err);
    assert.match(typo.err, /hihg/);
    await service.stop('SIGTERM');
    const again = await runCommand(words, service.settings);
    assert.equal(again.code, 0, again.err);
    assert.equal(sha256(await readFile(file)), sha256(bytes));
  });
});

function call(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = { authorization: `Bearer ${token}`, ...(init.headers as Record<string, string>) };
  return fetch(`${service.url}${path}`, { ...init, headers });
}

async function exportTasks(): Promise<readonly string[]> {
  const { tasks } = (await (await call('/tasks')).json()) as { readonly tasks: readonly Work[] };
  return tasks.filter(({ kind }) => kind === 'eudr_dds_export').map(({ task_id: id }) => id);
}

async function processed(file: Blob, fields: Readonly<Record<string, string>>): Promise<string> {
  const named = { collection_name: 'Lot 7', description: 'Harvest', crop_type: 'palm', ...DAYS, ...fields };
  const { collection_id: id, task_id: task } = await send('/batch_process', file, named);
  const done = await until(async () => {
    const work = (await (await call(`/batch_progress?tracking_id=${task}`)).json()) as Work;
    return work.status === 'processing' ? null : work;
  });
  assert.equal(done.status, 'completed', JSON.stringify(done));
  return id;
}

async function send(path: string, file: Blob, fields: Readonly<Record<string, string>>): Promise<Work> {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  form.append('file', file, 'plots.geojson');
  const answer = await call(path, { method: 'POST', body: form });
  const text = await answer.text();
  assert.ok(answer.ok, text);
  return JSON.parse(text) as Work;
}

async function until<T>(look: () => Promise<T | null | undefined> | T | null | undefined): Promise<T> {
  for (let tries = 0; tries < 1200; tries++) {
    const found = await look();
    if (found !== null && found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('waited a minute for nothing');
}

function checksOf(files: Readonly<Record<string, Buffer>>): Checks {
  return JSON.parse(files['checks.json']!.toString()) as Checks;
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
