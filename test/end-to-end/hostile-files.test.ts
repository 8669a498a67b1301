import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { HOSTILE_FILES, type HostileFile } from '../hostile-files.ts';
import { archive } from '../make-archive.ts';
import { runService, type RunningProcess } from './run-service.ts';

const PROBE = new URL('loop-probe.fixture.ts', import.meta.url);
/** The longest that the thread which serves requests may compute without a pause, in processor time. */
const MAX_PAUSE_MS = 100;
const MAX_RSS_MB = 800;
/** Files that are sent several at once: the commas as many as were seen to end a service. */
const AT_ONCE: Readonly<Record<string, number>> = {
  'a CSV row of commas': 8,
  'a polygon of a million crossing edges': 2,
};

let folder: string;
let service: RunningProcess;
let probeFile: string;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'firstmile-hostile-'));
  probeFile = join(folder, 'longest');
  service = await runService({
    ownProcess: true,
    env: { NODE_OPTIONS: `--import ${PROBE.href}`, PROBE_FILE: probeFile },
  });
  // The first requests compile code; they are nobody's attack.
  for (const file of [small(), small(70_000)]) assert.equal((await send('/normalize_locations', file)).status, 200);
  assert.equal((await service.fetch('/healthz')).status, 200);
  process.kill(service.pid, 'SIGUSR2');
});
after(async () => {
  await service[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

function small(rows = 10): Uint8Array {
  return Buffer.from(`name,lat,lon\n${'Mill,6.75,-1.625\n'.repeat(rows)}`);
}

async function send(endpoint: string, file: Uint8Array): Promise<{ status: number; text: string }> {
  const form = new FormData();
  form.set('file', new Blob([file as Uint8Array<ArrayBuffer>]), 'file');
  const response = await service.fetch(endpoint, { method: 'POST', body: form });
  return { status: response.status, text: await response.text() };
}

async function attack({ endpoint, status, detail, make }: HostileFile, times: number): Promise<void> {
  const file = make(1);
  const answers = await Promise.all(Array.from({ length: times }, () => send(endpoint, file)));
  for (const answer of answers) {
    assert.ok(status.includes(answer.status), `${answer.status}: ${answer.text.slice(0, 300)}`);
    if (answer.status !== 200) assert.match((JSON.parse(answer.text) as { detail: string }).detail, detail);
  }
}

describe('a hostile file', () => {
  for (const file of HOSTILE_FILES) {
    test(`neither ends nor holds up the service: ${file.name}`, async () => {
      process.kill(service.pid, 'SIGUSR2');
      await attack(file, AT_ONCE[file.name] ?? 1);
      assert.equal((await service.fetch('/healthz')).status, 200);
      const pause = Number(readFileSync(probeFile, 'utf8'));
      const rss = peakRssMb();
      assert.ok(pause < MAX_PAUSE_MS, `the service computed ${pause} ms without a pause`);
      assert.ok(rss < MAX_RSS_MB, `the service took ${rss} MB`);
    });
  }

  for (const [format, make] of Object.entries({ kml: kmlLine, shapefile: shapefileLine }))
    test(`of one vertex too many is refused as ${format}, with row and limit`, async () => {
      const { status, text } = await send('/normalize_locations', make(1_000_001));
      assert.equal(status, 413, text.slice(0, 300));
      const { code, detail } = JSON.parse(text) as { code: string; detail: string };
      assert.equal(code, 'too_large');
      assert.equal(
        detail,
        'The geometry of row 1 has 1000001 vertices; wanted at most 1000000 (file_vertices in /limits).',
      );
    });

  test('is refused with the names of its limits, which /limits shows', async () => {
    const { limits } = (await (await service.fetch('/limits')).json()) as { limits: { name: string }[] };
    const names = new Set(limits.map(({ name }) => name));
    for (const name of [
      'file_columns',
      'file_vertices',
      'file_parts',
      'file_value_bytes',
      'file_work_s',
      'file_memory_mb',
    ])
      assert.ok(names.has(name), name);
  });
});

function kmlLine(vertices: number): Uint8Array {
  const line = `<LineString><coordinates>${'1,7 '.repeat(vertices)}</coordinates></LineString>`;
  return Buffer.from(`<?xml version="1.0"?><kml><Document><Placemark>${line}</Placemark></Document></kml>`);
}

/** A shapefile whose only record is a line of equal vertices. */
function shapefileLine(vertices: number): Uint8Array {
  const record = 48 + 16 * vertices;
  const shp = Buffer.alloc(108 + record);
  shp.writeInt32BE(9994, 0);
  shp.writeInt32BE(shp.length / 2, 24);
  shp.writeInt32LE(1000, 28);
  shp.writeInt32LE(3, 32);
  shp.writeInt32BE(1, 100);
  shp.writeInt32BE(record / 2, 104);
  shp.writeInt32LE(3, 108);
  shp.writeInt32LE(1, 144);
  shp.writeInt32LE(vertices, 148);
  return archive({ 'line.shp': Uint8Array.from(shp) });
}

/** The most memory the process has had so far; 0 where the system does not tell. */
function peakRssMb(): number {
  if (process.platform !== 'linux') return 0;
  const kilobytes = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${service.pid}/status`, 'utf8'))?.[1];
  return Number(kilobytes) / 1000;
}
