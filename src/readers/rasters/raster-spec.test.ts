import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { rasterDataset } from '../../../test/made-up-rasters.ts';
import { CatalogueError } from '../catalogue/catalogue.ts';
import type { Dataset } from '../catalogue/dataset.ts';
import { PUBLIC_RASTERS } from './public-rasters.ts';
import { DEFAULT_RASTER_DEADLINE_MS, forestMask, lossYear, rasterPlace, valueRaster } from './raster-spec.ts';
import { runs } from '../../../test/property-runs.ts';

const READERS = {
  'forest-mask': forestMask,
  'loss-year': lossYear,
  biomass: valueRaster,
  'canopy-height': valueRaster,
};

describe('the entries of rasters', () => {
  it('take what is left out from the table of docs/statistics.md', () => {
    const mask = forestMask(
      rasterDataset({ id: 'm', role: 'forest-mask', path: '/a.tif', options: { threshold: 30 } }),
    );
    assert.deepEqual([mask.band, mask.nodata, mask.deadlineMs], [0, 'unknown', DEFAULT_RASTER_DEADLINE_MS]);
    assert.deepEqual([...mask.places], [[0, { isRemote: false, address: '/a.tif', scheme: null }]]);
    const loss = lossYear(
      rasterDataset({ id: 'l', role: 'loss-year', url: 'http://x/a.tif', options: { lastYear: 2024 } }),
    );
    assert.deepEqual([loss.baseYear, loss.years], [2000, [2001, 2024]]);
  });

  it('find maps of years by a {year}, or next to the entry', () => {
    const options = { years: [2015, 2020] };
    const url = 'https://x.org/{year}/{ns}{lat:2}{ew}{lon:3}-{year}.tif';
    const tiles = valueRaster(rasterDataset({ id: 'b', role: 'biomass', url, options }));
    const scheme = tiles.places.get(2020)?.scheme;
    assert.equal(scheme?.template, 'https://x.org/2020/{ns}{lat:2}{ew}{lon:3}-2020.tif');
    const maps = { 2015: 'a.tif', 2020: '{ns}{lat}{ew}{lon}.tif' };
    const beside = valueRaster(
      rasterDataset({ id: 'b', role: 'biomass', url: 'https://x.org/agb/', options: { maps } }),
    );
    assert.equal(beside.places.get(2015)?.address, 'https://x.org/agb/a.tif');
    assert.equal(beside.places.get(2020)?.scheme?.template, 'https://x.org/agb/{ns}{lat}{ew}{lon}.tif');
    const local = valueRaster(rasterDataset({ id: 'b', role: 'biomass', path: '/data', options: { maps } }));
    assert.equal(local.places.get(2015)?.address, '/data/a.tif');
  });

  it('are those of the public rasters', () => {
    for (const dataset of PUBLIC_RASTERS) {
      const read = Object.entries(READERS).find(([role]) => role === dataset.role)?.[1];
      assert.ok(read === undefined ? rasterPlace(dataset).isRemote : read(dataset).places.size > 0, dataset.id);
    }
    const biomass = valueRaster(PUBLIC_RASTERS.find(({ role }) => role === 'biomass') as Dataset);
    assert.deepEqual([biomass.places.size, Math.min(...biomass.places.keys())], [10, 2007]);
  });

  it('are read, or refused by name, whatever they say', () => {
    const names = ['threshold', 'classes', 'lessLossOf', 'baseYear', 'firstYear', 'lastYear', 'years', 'maps', 'scale'];
    const name = fc.constantFrom(...names, 'nodata', 'band', 'tileDegrees', 'tileCorner', 'deadlineMs', '__proto__');
    const value = fc.oneof(fc.jsonValue(), fc.integer({ min: -5, max: 3000 }), fc.constantFrom('absent', 'lower-left'));
    const place = fc.constantFrom('/a.tif', '/{ns}{lat}{ew}{lon}.tif', '/{year}/{lat}.tif', '/{year}.tif');
    const role = fc.constantFrom('forest-mask', 'loss-year', 'biomass', 'canopy-height');
    fc.assert(
      fc.property(
        role,
        place,
        fc.boolean(),
        fc.array(fc.tuple(name, value), { maxLength: 5 }),
        (of, path, isRemote, pairs) => {
          const where = isRemote ? { url: `https://x.org${path}` } : { path };
          const dataset = rasterDataset({ id: 'entry', role: of, ...where, options: Object.fromEntries(pairs) });
          try {
            const { places, deadlineMs, band } = READERS[of](dataset);
            assert.ok(places.size > 0 && deadlineMs > 0 && band >= 0);
          } catch (error) {
            assert.ok(error instanceof CatalogueError && error.message.startsWith('entry: '), String(error));
          }
        },
      ),
      { numRuns: runs(2_000) },
    );
  });
});
