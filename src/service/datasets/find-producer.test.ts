import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { evidenceOf, noData, options, pointAt, never } from '../../../test/facility-sources.ts';
import { json, MISBEHAVIOURS, openLiveSite, type LiveHandler } from '../../../test/live-site.ts';
import { readConfig } from '../../config/settings.ts';
import { validateFacility } from '../../facilities/validate-facility.ts';
import { buildRegistry } from '../../readers/producers/build-registry.ts';
import { openRegistry } from '../../readers/producers/open-registry.ts';
import { findProducer, MATCH_RULES } from './find-producer.ts';
import { createLiveState, openLive } from '../world/live-sources.ts';

const site = openLiveSite();
const about = { title: 'Mill list', version: '7', date: null, licence: 'x', attribution: 'y', synthetic: false };
const mills = openRegistry(
  buildRegistry(
    'mills',
    [{ id: 'PO1', names: ['ROMPIN PALM OIL MILL'], at: [101.4478, 0.5071], country: 'ID' }],
    about,
  ),
  MATCH_RULES,
);

/** The producer's part of a facility called `name`, looked up in the mill list and in services at the local site. */
async function verify(name: string, locals = [mills], over: Readonly<Record<string, string>> = {}) {
  const config = readConfig({
    CHECK_TIMEOUT_MS: '2000',
    OPEN_SUPPLY_HUB_TOKEN: 'osh-secret',
    OPEN_SUPPLY_HUB_URL: `${site.base}/osh`,
    GLEIF_URL: `${site.base}/gleif`,
    OPENCORPORATES_TOKEN: 'oc-secret',
    OPENCORPORATES_URL: `${site.base}/oc`,
    LIVE_CACHE_MB: '0',
    ...over,
  });
  const { registries } = openLive(config, createLiveState(config));
  const sources = noData({ producer: findProducer(locals, registries) });
  const facility = pointAt(101.4478, 0.5071, { facility_name: name });
  const wanted = options({ checkTimeoutMs: config.checkTimeoutMs });
  const { properties } = await validateFacility(facility, wanted, sources, never);
  const { producer_confirmed: confirmed, producer_confirmation_score: score } = properties;
  return {
    confirmed,
    score,
    comment: properties.producer_confirmation_comment,
    evidence: evidenceOf(properties, 'producer_confirmation'),
  };
}

const services =
  (osh: LiveHandler, gleif: LiveHandler, oc: LiveHandler): LiveHandler =>
  (response, request, count) =>
    (request.url.startsWith('/osh/') ? osh : request.url.startsWith('/gleif/') ? gleif : oc)(response, request, count);
const location = {
  os_id: 'ID2021',
  name: 'Sawit Jaya Mill',
  coordinates: { lat: 0.51, lng: 101.45 },
  country: { alpha_2: 'ID' },
};
const osh = json({ count: 1, data: [location] });
const lei = {
  id: '5299TEST',
  attributes: {
    entity: { legalName: { name: 'PT SAWIT JAYA' }, otherNames: [{ name: 'SAWIT' }], legalAddress: { country: 'ID' } },
  },
};
const gleif = json({ data: [lei] });
const company = {
  name: 'SAWIT JAYA LTD',
  company_number: '42',
  jurisdiction_code: 'id',
  previous_names: [{ company_name: 'OLD' }],
};
const oc = json({ api_version: '0.4', results: { companies: [{ company }] } });
const nothing = services(json({ data: [] }), json({ data: [] }), json({ results: { companies: [] } }));

describe('a producer', () => {
  it('is confirmed by an installed registry without a question to any service', async () => {
    const { confirmed, score, comment, evidence } = await verify('Rompin Palm Oil Mill Sdn Bhd');
    assert.deepEqual([confirmed, score, evidence?.dataset, evidence?.dataset_version], [true, 1, 'mills', '7']);
    assert.match(comment, /Mill list has "ROMPIN PALM OIL MILL" \(PO1\), name 100 % alike, 0 m away/);
    assert.equal(site.requests.length, 0);
  });

  it('is looked up in every service otherwise, and the match worth most is named', async () => {
    site.handler = services(osh, gleif, oc);
    const { confirmed, comment, evidence } = await verify('PT Sawit Jaya');
    assert.equal(confirmed, true);
    assert.match(comment, /Open Supply Hub has "Sawit Jaya Mill" \(ID2021\)/);
    assert.equal(evidence?.dataset, 'open-supply-hub');
    assert.match(evidence?.detail ?? '', /Also queried: Mill list, GLEIF, OpenCorporates\.$/);
    const [first, second, third] = site.requests.toSorted((a, b) => (a.url < b.url ? -1 : 1));
    assert.equal(
      decodeURIComponent(first.url),
      '/gleif/api/v1/lei-records?filter[fulltext]=PT+Sawit+Jaya&filter[entity.legalAddress.country]=ID&page[size]=20',
    );
    assert.equal(
      second.url,
      '/oc/v0.4/companies/search?q=PT+Sawit+Jaya&country_code=id&per_page=20&order=score&api_token=oc-secret',
    );
    assert.equal(third.url, '/osh/api/v1/production-locations/?name=PT+Sawit+Jaya&country=ID&size=20');
    assert.equal(third.headers.authorization, 'Token osh-secret');
  });

  it('is not confirmed by a record without a place, though the comment names it', async () => {
    site.handler = services(json({ data: [] }), gleif, oc);
    const { confirmed, score, comment } = await verify('PT Sawit Jaya');
    assert.deepEqual([confirmed, score], [false, 0.7]);
    assert.match(
      comment,
      /^Not confirmed, because the place of the record is unknown: GLEIF has "PT SAWIT JAYA" \(5299TEST\), name 100 % alike, of unknown place/,
    );
  });

  it('has no place where a service calls its coordinates inexact', async () => {
    site.handler = services(
      json({ data: [{ ...location, has_inexact_coordinates: true }] }),
      json({ data: [] }),
      json({ results: { companies: [] } }),
    );
    assert.match((await verify('Sawit Jaya Mill')).comment, /of unknown place/);
  });

  it('that no registry has is absent, and one that nobody covers is unknown', async () => {
    site.handler = nothing;
    assert.equal((await verify('Sawit Jaya')).evidence?.status, 'absent');
    const off = { OPEN_SUPPLY_HUB_TOKEN: '', GLEIF_URL: '', OPENCORPORATES_TOKEN: '' };
    const { evidence } = await verify('Sawit Jaya', [], off);
    assert.deepEqual(
      [evidence?.status, evidence?.detail],
      ['unknown', 'No producer registry dataset covers this place.'],
    );
  });

  for (const name of Object.keys(MISBEHAVIOURS) as (keyof typeof MISBEHAVIOURS)[])
    it(`is still found when Open Supply Hub ${name}`, async () => {
      site.handler = services(MISBEHAVIOURS[name], gleif, oc);
      const { comment, evidence } = await verify('PT Sawit Jaya');
      assert.match(comment, /GLEIF has/);
      assert.match(evidence?.detail ?? '', /Open Supply Hub [^"]+\.$/);
      assert.doesNotMatch(evidence?.detail ?? '', /secret|127\.0\.0\.1/);
    });

  it('is unknown when every registry fails, and keys are not shown', async () => {
    site.handler = MISBEHAVIOURS['is down'];
    // Room for every repeat, so that the answer decides and not the clock.
    const { evidence } = await verify('PT Sawit Jaya', [], { CHECK_TIMEOUT_MS: '10000' });
    assert.equal(evidence?.status, 'unknown');
    assert.match(evidence.detail, /^Could not look for the producer: .* answered with status 500/);
    assert.doesNotMatch(evidence.detail, /secret/);
  });
});
