import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { COLLECTION, exportFiles, PERIOD } from '../../due-diligence-export.ts';
import { needsSharedData } from '../../shared-data.ts';
import { INPUTS } from './inputs.ts';

interface Verdict {
  readonly files: Readonly<Record<string, string>>;
  readonly inputs: number;
  readonly exported: number;
  readonly features: number;
  readonly errors: Readonly<Record<string, readonly number[]>>;
  readonly violations: readonly string[];
}

interface Checks {
  readonly counts: Readonly<Record<string, number>>;
  readonly plots: readonly {
    readonly id: string;
    readonly findings: readonly { readonly official_error: number | null }[];
  }[];
}

/** What the checker in Python said of the very bytes that are exported; see `check_geojson.py` for how to ask it again. */
const { verdicts } = JSON.parse(readFileSync(join(import.meta.dirname, 'verdicts.json'), 'utf8')) as {
  readonly verdicts: Readonly<Record<string, Verdict>>;
};

/** The PDF is no matter of the checker. */
const WITHOUT_PAGES = { period: PERIOD, plotPages: 0 };

describe('the checker of exported GeoJSON', () => {
  for (const [name, { shared, records }] of Object.entries(INPUTS)) {
    it(`has passed what is exported of "${name}"`, shared === null ? {} : needsSharedData(shared), async () => {
      const verdict = verdicts[name]!;
      assert.deepEqual(verdict.violations, []);
      const files = await exportFiles(await records(), COLLECTION, WITHOUT_PAGES);
      const digests = Object.entries(files).filter(([file]) => file.endsWith('.geojson'));
      assert.deepEqual(Object.fromEntries(digests.map(([file, bytes]) => [file, sha256(bytes)])), verdict.files);
      const { counts } = JSON.parse(files['checks.json']!.toString()) as Checks;
      assert.equal(counts['locations'], verdict.inputs);
      assert.equal(counts['plots_in_geojson'], verdict.exported);
      assert.equal(counts['features'], verdict.features);
    });
  }

  it('finds the errors in the inputs that we name', async () => {
    const files = await exportFiles(await INPUTS['cases']!.records(), COLLECTION, WITHOUT_PAGES);
    const { plots } = JSON.parse(files['checks.json']!.toString()) as Checks;
    const ours = plots.map(({ id, findings }) => [id, numbersOf(findings.map((finding) => finding.official_error))]);
    const named = ours.filter(([id, numbers]) => numbers!.length > 0 && !DIFFERENT.has(id as string));
    assert.deepEqual(Object.fromEntries(named), withoutDifferent(verdicts['cases']!.errors));
  });
});

/** GEOS tells an overlap of sides as a crossing: the two numbers are one here. */
function numbersOf(errors: readonly (number | null)[]): readonly number[] {
  const numbers = errors.flatMap((number) => (number === null ? [] : [number === 2 ? 1 : number]));
  return [...new Set(numbers)].toSorted((a, b) => a - b);
}

/** What both find, but by other numbers: we name repeats in a MultiPoint, the checker looks at polygons alone. */
const DIFFERENT: ReadonlySet<string> = new Set(['multipoint']);

function withoutDifferent(errors: Verdict['errors']): Verdict['errors'] {
  return Object.fromEntries(Object.entries(errors).filter(([id]) => !DIFFERENT.has(id)));
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
