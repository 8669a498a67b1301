import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { brokenUploads, type BrokenUpload } from './broken-uploads.ts';
import { runs } from '../property-runs.ts';
import { runService, type RunningProcess } from './run-service.ts';

/** Every kind of fault 15 times, each with a text of its own. */
const UPLOADS = runs(2000, 420);
const SEED = 20_261_121;
const AT_ONCE = 8;

interface ProblemBody {
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  readonly request_id: string;
  readonly errors?: readonly { pointer?: string; index?: number; detail: string }[];
}

describe('broken uploads', () => {
  let service: RunningProcess;
  before(async () => {
    service = await runService();
  });
  after(async () => {
    await service[Symbol.asyncDispose]();
  });

  it(`all ${UPLOADS} get a 4xx problem that says where, and leave nothing behind`, async () => {
    const queue = [...brokenUploads(UPLOADS, SEED)];
    const wrong: string[] = [];
    const work = async () => {
      for (let upload = queue.pop(); upload !== undefined; upload = queue.pop()) {
        const fault = await faultOf(service, upload);
        if (fault !== null) wrong.push(`${upload.what}: ${fault}`);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    assert.deepEqual([...new Set(wrong)].slice(0, 20), []);
    assert.deepEqual(await readdir(join(service.dataDir, 'uploads')), []);
    assert.equal((await service.fetch('/healthz')).status, 200);
  });

  it('a declared length of 1 GB is refused before the body comes', async () => {
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const sent = httpRequest(`${service.url}/validate_facilities`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${service.token}`,
          'content-type': 'application/geo+json',
          'content-length': '1000000000',
        },
      });
      sent.on('response', (response) => {
        resolve(response.statusCode);
        sent.destroy();
      });
      sent.on('error', reject);
      sent.write('{"type":');
    });
    assert.equal(status, 413);
  });

  it('clients that leave in the middle leave nothing behind', async () => {
    for (let i = 0; i < 30; i++) {
      const controller = new AbortController();
      const body = new ReadableStream({
        async pull(stream) {
          if (controller.signal.aborted) return stream.close();
          stream.enqueue(Buffer.from(' '.repeat(10_000)));
          await new Promise((done) => setTimeout(done, 1));
        },
      });
      setTimeout(() => controller.abort(), i * 2);
      await service
        .fetch('/validate_facilities', {
          method: 'POST',
          body,
          duplex: 'half',
          signal: controller.signal,
          headers: { 'content-type': 'application/geo+json' },
        } as RequestInit)
        .catch(() => null);
    }
    const folder = join(service.dataDir, 'uploads');
    for (let tries = 0; tries < 100 && (await readdir(folder)).length > 0; tries++)
      await new Promise((done) => setTimeout(done, 50));
    assert.deepEqual(await readdir(folder), []);
    assert.equal((await service.fetch('/healthz')).status, 200);
  });

  it('parameters of GET /validate_facility out of range are named', async () => {
    const queries = {
      geometry: [
        '',
        'POINT',
        'POINT(1)',
        'POINT(a b)',
        'CIRCLE(1 2)',
        'POINT(1 2',
        'POINT(1 2) x',
        'SRID=32633;POINT(1 2)',
        '\u0000',
        `POINT(${'1'.repeat(400)} 2 3 4 5)`,
      ],
      commodity_radius: ['0', '-5', 'NaN', '1e308', 'five', '50001'],
      check_road_access: ['maybe', '10'],
      facility_name: ['x'.repeat(501)],
      unknown_parameter: ['1'],
    };
    for (const [name, values] of Object.entries(queries)) {
      for (const value of values) {
        const query = new URLSearchParams({ geometry: 'POINT(1 2)', [name]: value });
        const response = await service.fetch(`/validate_facility?${query.toString()}`);
        const problem = (await response.json()) as ProblemBody;
        assert.ok(
          response.status >= 400 && response.status < 500,
          `${name}=${value.slice(0, 40)} gave ${response.status}`,
        );
        assert.match(response.headers.get('content-type') ?? '', /^application\/problem\+json/);
        assert.match(
          `${problem.detail} ${JSON.stringify(problem.errors ?? [])}`,
          new RegExp(name),
          `${name}=${value.slice(0, 40)}: ${problem.detail}`,
        );
      }
    }
  });
});

/** What is wrong with the answer to a broken upload, or null. */
async function faultOf(service: RunningProcess, upload: BrokenUpload): Promise<string | null> {
  const response = await service.fetch(`/validate_facilities${upload.query ?? ''}`, {
    method: 'POST',
    body: upload.body as unknown as string,
    headers: upload.headers,
  });
  const text = await response.text();
  if (response.status < 400 || response.status > 499) return `status ${response.status}: ${text.slice(0, 200)}`;
  if (!response.headers.get('content-type')?.startsWith('application/problem+json'))
    return `media type ${response.headers.get('content-type')}`;
  const problem = JSON.parse(text) as ProblemBody;
  if (problem.status !== response.status || problem.code === undefined || problem.request_id === undefined)
    return `an incomplete problem: ${text}`;
  if (problem.detail.length < 15 || /\bat .*\.ts:\d/.test(text)) return `an unhelpful detail: ${text}`;
  const placed = (problem.errors ?? []).some((error) => error.pointer !== undefined || error.index !== undefined);
  return placed || NO_PLACE.has(problem.code) ? null : `no pointer: ${text}`;
}

/** The request as a whole is at fault, so there is no place inside it to point to. */
const NO_PLACE: ReadonlySet<string> = new Set(['unsupported_media_type', 'too_large', 'malformed_body']);
