import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import {
  answer,
  evidenceOf,
  footprints,
  inCountry,
  noData,
  options,
  rate,
  riau,
  sources,
} from '../../../test/facility-sources.ts';
import type { FacilitySources } from '../sources.ts';
import { runs } from '../../../test/property-runs.ts';

/** The sources that are scored, each with what it can say. The first is the best, the last the worst. */
const SAYS = {
  commodityShare: [0.3, 0.01, 0].map((share) => () => answer({ share, detail: '' })),
  businesses: [1, 0].map((count) => () => answer({ count, nearest: null })),
  buildings: [[1_800], [250], []].map((areas) => () => answer(footprints(areas))),
  nearestRoad: [{ distanceM: 10, name: null, kind: 'road' }, null].map((road) => () => answer(road)),
  density: [false, true].map((dense) => () => answer({ dense, detail: '' })),
} as const satisfies Partial<Record<keyof FacilitySources, readonly unknown[]>>;
type Scored = keyof typeof SAYS;
const SCORED = Object.keys(SAYS) as readonly Scored[];
const WEIGHTS: Readonly<Record<Scored, number>> = {
  commodityShare: 50,
  businesses: 20,
  buildings: 15,
  nearestRoad: 15,
  density: 10,
};
const nothing = () => null;
const failing = () => assert.fail('down');

/** Every way in which the sources that say nothing could answer. */
function completions(world: Readonly<Record<Scored, unknown>>): readonly Partial<FacilitySources>[] {
  return SCORED.reduce<readonly Partial<FacilitySources>[]>(
    (worlds, name) =>
      worlds.flatMap((one) => {
        if (world[name] !== nothing && world[name] !== failing) return [{ ...one, [name]: world[name] }];
        // Country and latitude allow the commodity, and the range takes the half they give for granted.
        const possible = name === 'commodityShare' ? SAYS[name].slice(0, 2) : SAYS[name];
        return possible.map((says) => ({ ...one, [name]: says }));
      }),
    [{}],
  );
}

const world = fc.record(
  Object.fromEntries(SCORED.map((name) => [name, fc.constantFrom<unknown>(nothing, failing, ...SAYS[name])])) as Record<
    Scored,
    fc.Arbitrary<unknown>
  >,
);

describe('the range of a score', () => {
  it('is that of all scores which the unknown indicators allow, by trying every one of them', () => {
    fc.assert(
      fc.property(world, fc.boolean(), (known, checkRoad) => {
        const { confidence_range: range, confidence_score: score } = rate(riau, known as never, { checkRoad });
        const scores = completions(known).map((one) => rate(riau, one, { checkRoad }).confidence_score);
        assert.deepEqual(range, { lowest: Math.min(...scores), highest: Math.max(...scores) });
        assert.ok(range !== null && range.lowest <= score && score <= range.highest);
      }),
      { numRuns: runs(300) },
    );
  });

  it('is the score alone where everything was assessed', () => {
    fc.assert(
      fc.property(world, (known) => {
        const settled = completions(known)[0];
        const { confidence_range: range, confidence_score: score, confidence_basis: basis } = rate(riau, settled);
        assert.deepEqual([range, basis], [{ lowest: score, highest: score }, 'verified']);
      }),
    );
  });

  it('takes no commodity for granted where no table supports it', () => {
    const range = (over: Partial<FacilitySources>, chosen = {}) => rate(riau, over, chosen).confidence_range;
    const none = { commodity: null, commodityText: 'tea' };
    assert.deepEqual(range({ plantationShare: nothing }, none), { lowest: 0.5, highest: 1 });
    assert.deepEqual(range({ commodityShare: nothing, whereabouts: nothing }), { lowest: 0.5, highest: 1 });
  });

  it('keeps a commodity that country or latitude rule out at nothing, known as that is', () => {
    const { confidence_range: range, evidence_coverage: coverage } = rate(riau, {
      ...inCountry('DE', 'Germany'),
      commodityShare: nothing,
    });
    assert.deepEqual([range, coverage], [{ lowest: 0.5, highest: 0.5 }, 1]);
  });

  it('reaches down to a commodity ruled out while the country is unknown, whatever was measured', () => {
    const { confidence_range: range, evidence_coverage: coverage } = rate(riau, { whereabouts: failing });
    assert.deepEqual([range, coverage], [{ lowest: 0.5, highest: 1 }, 0.55]);
    const tea = rate(riau, { whereabouts: failing }, { commodity: null });
    assert.deepEqual(tea.confidence_range, { lowest: 1, highest: 1 });
  });
});

describe('the coverage of the evidence', () => {
  it('is the weight of what was assessed over the weight of what is scored, and decides the basis', () => {
    fc.assert(
      fc.property(world, fc.boolean(), (known, checkRoad) => {
        const scored = SCORED.filter((name) => checkRoad || name !== 'nearestRoad');
        const sum = (names: readonly Scored[]) => names.reduce((all, name) => all + WEIGHTS[name], 0);
        const assessed = scored.filter((name) => known[name] !== nothing && known[name] !== failing);
        const result = rate(riau, known as never, { checkRoad });
        const coverage = Math.round((100 * sum(assessed)) / sum(scored)) / 100;
        assert.equal(result.evidence_coverage, coverage);
        const basis = coverage >= 0.8 ? 'verified' : coverage >= 0.4 ? 'partly_verified' : 'unverified';
        assert.equal(result.confidence_basis, basis);
        const weights = result.evidence.filter(({ weight }) => weight > 0);
        const counted = weights.filter(({ status }) => status !== 'unknown');
        const total = (entries: typeof weights) => entries.reduce((all, { weight }) => all + weight, 0);
        assert.equal(Math.round((100 * total(counted)) / total(weights)) / 100, coverage);
      }),
    );
  });

  it('leaves a road that was not requested out of score, weight and range, and the receipt says so', () => {
    const result = rate(riau, { nearestRoad: nothing }, { checkRoad: false });
    assert.deepEqual([result.confidence_score, result.evidence_coverage], [1, 1]);
    assert.deepEqual(result.confidence_range, { lowest: 1, highest: 1 });
    const road = evidenceOf(result, 'road_access');
    assert.deepEqual([road?.status, road?.weight, road?.penalty], ['unknown', 0, 0]);
    assert.match(road?.detail ?? '', /did not include roads/);
  });

  it('is that of an invalid geometry too: none, without a range', () => {
    const result = rate({ type: 'Feature', geometry: null, properties: {} });
    assert.deepEqual(
      [result.evidence_coverage, result.confidence_range, result.confidence_basis],
      [0, null, 'unverified'],
    );
  });

  it('reads as unverified, and never as bad, where nothing but settlements is known', () => {
    const result = rate(riau, noData({ density: sources().density }), options());
    assert.deepEqual([result.confidence_score, result.confidence_level], [0.25, 'low']);
    assert.deepEqual(
      [result.evidence_coverage, result.confidence_range, result.confidence_basis],
      [0.09, { lowest: 0.25, highest: 1 }, 'unverified'],
    );
    assert.match(
      result.aggregation_comment,
      /^Composed from the indicators: unverified, with 9 % of what is scored assessed: the score could be anything from 0\.25 to 1\.00\. /,
    );
    assert.match(result.primary_warning ?? '', /says nothing against the facility.* from 0\.25 to 1\.00\.$/);
  });
});
