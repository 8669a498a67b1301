import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { unzipped } from '../due-diligence-export.ts';
import { runService, type RunningProcess } from './run-service.ts';

/** Simferopol. */
const [LON, LAT] = [34.1, 44.95];
const WARNING = /lies in Crimea, a disputed territory: Russia .* it is also claimed by Ukraine\./;
const PLOTS = `plot_id,producer,latitude,longitude,country,area_ha\nA,Ana,${LAT},${LON},Ukraine,2\nB,Bo,46.48,30.72,Ukraine,2\n`;

interface Feature {
  readonly properties: Readonly<Record<string, unknown>> & {
    readonly warnings: readonly { readonly code: string; readonly message: string }[];
  };
}

let service: RunningProcess;
before(async () => {
  service = await runService();
});
after(() => service[Symbol.asyncDispose]());

describe('a place in a disputed territory', () => {
  test('is rated as a facility of the country that administers it, with a warning', async () => {
    const geometry = encodeURIComponent(`POINT(${LON} ${LAT})`);
    const answer = await service.fetch(`/validate_facility?geometry=${geometry}&commodity_type=soy`);
    const { features } = (await answer.json()) as { features: Feature[] };
    assert.equal(features[0]?.properties['country_code'], 'RU');
    assertWarned(features[0]);
  });

  for (const path of ['/normalize_locations', '/validate_locations'])
    test(`warns in POST ${path}, and its neighbour in Odesa does not`, async () => {
      const answer = await post(path, { commodity_type: 'soy' });
      const { features } = (await answer.json()) as { features: Feature[] };
      assertWarned(features[0]);
      assert.ok(!features[1]!.properties.warnings.some(({ code }) => /disputed|mismatch/.test(code)));
    });

  test('warns once for a facility in a file', async () => {
    const answer = await post('/validate_locations', { commodity_type: 'soy', location_type: 'facility' });
    assertWarned(((await answer.json()) as { features: Feature[] }).features[0]);
  });

  test('is a finding of the due diligence export of a batch', async () => {
    const named = { collection_name: 'lot', crop_type: 'soy', stats: 'false', validate_locations: 'true' };
    const begun = (await (await post('/batch_process', named)).json()) as { collection_id: string; poll_url: string };
    for (let status = 'processing'; status === 'processing';) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      ({ status } = (await (await service.fetch(begun.poll_url)).json()) as { status: string });
    }
    const answer = await service.fetch(`/export_eudr_dds?filename=${begun.collection_id}`);
    const findings = unzipped(Buffer.from(await answer.arrayBuffer()))['findings.csv']!.toString();
    const [line, ...others] = findings.split('\r\n').filter((text) => text.includes('disputed-territory'));
    assert.match(line ?? '', /A,disputed-territory,warning,,false,/);
    assert.match(line ?? '', WARNING);
    assert.deepEqual(others, []);
  });
});

/** One warning, with the other claim, and none of another country: Ukraine may be stated. */
function assertWarned(feature: Feature | undefined): void {
  const warnings = feature!.properties.warnings.filter(({ code }) => /disputed|mismatch/.test(code));
  assert.deepEqual(
    warnings.map(({ code }) => code),
    ['disputed_territory'],
  );
  assert.match(warnings[0]!.message, WARNING);
}

async function post(path: string, fields: Readonly<Record<string, string>>): Promise<Response> {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  form.append('file', new Blob([PLOTS]), 'plots.csv');
  const answer = await service.fetch(path, { method: 'POST', body: form });
  assert.ok(answer.ok, await answer.clone().text());
  return answer;
}
