import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { runs } from '../../../test/property-runs.ts';
import { extractText, getDocumentProxy } from 'unpdf';
import { COLLECTION, exportFiles, LINE, PERIOD, plotRecord, square } from '../../../test/due-diligence-export.ts';
import type { Geometry, Polygon } from '../../geo/geometry.ts';
import { openOverlay } from '../../locations/plots/geos.ts';
import type { PlotRecord } from '../plot-record.ts';
import type { PlotParcel, PlotParcels } from './declared-place.ts';
import { noChoices, type FilingChoices } from './filing-choices.ts';

interface Declaration {
  readonly kind: string;
  readonly operatorRole: string | null;
  readonly missing: readonly { readonly field: string }[];
  readonly law: { readonly due_diligence: string };
  readonly statement: {
    readonly internalReferenceNumber: string;
    readonly activityType: string | null;
    readonly commodities: readonly {
      readonly hsHeading: string | null;
      readonly speciesInfo?: unknown;
      readonly producers: readonly {
        readonly producerPosition: number;
        readonly producerCountry: string | null;
        readonly producerName: string | null;
        readonly producerLocation: Readonly<Record<string, unknown>>;
      }[];
    }[];
  };
}

const json = <T>(bytes: Buffer | undefined): T => JSON.parse(bytes!.toString()) as T;
const choices = (more: Partial<FilingChoices> = {}): FilingChoices => ({
  ...noChoices('2026-11-23'),
  kind: 'simplified_declaration',
  role: 'primary_operator',
  ...more,
});
const filesOf = (records: readonly PlotRecord[], more: Partial<FilingChoices> = {}, parcels?: PlotParcels) =>
  exportFiles(
    records,
    COLLECTION,
    { period: { ...PERIOD, filing: choices(more) } },
    parcels === undefined ? {} : { openParcels: async () => ({ ...parcels, [Symbol.asyncDispose]: async () => {} }) },
  );
const declared = (files: Readonly<Record<string, Buffer>>) => json<Declaration>(files['sd.json']);
const locations = (files: Readonly<Record<string, Buffer>>) =>
  declared(files).statement.commodities.flatMap(({ producers }) =>
    producers.map(({ producerLocation }) => producerLocation),
  );
const producer = (country: string, source: Readonly<Record<string, unknown>> = {}) => ({
  country,
  eudr: { ProducerName: 'Ama', ProducerCountry: country, ProductionPlace: null, Area: 2 },
  source,
});

/** Parcels as columns of 0.0025 degrees, four to a square of `square`, from longitude 1 on. */
const STRIP = 0.0025;
function strips(from = 1, to = 10): PlotParcels {
  return {
    async parcelAt([lon]): Promise<PlotParcel> {
      if (lon < from || lon > to) return { status: 'none', reason: 'No parcel dataset covers this place.' };
      const i = Math.floor(lon / STRIP + 1e-9);
      const receipt = { dataset: 'strips', version: '1', synthetic: true } as const;
      return { status: 'found', id: `strip ${i}`, ...receipt, geometry: stripOf(i) };
    },
  };
}

function stripOf(i: number): Polygon {
  const [west, east] = [i * STRIP, (i + 1) * STRIP];
  const ring = [
    [west, -90],
    [east, -90],
    [east, 90],
    [west, 90],
    [west, -90],
  ];
  return { type: 'Polygon', coordinates: [ring] } as Polygon;
}

/** Square degrees, which are as good as any to compare places next to each other. */
function areaOf(geometry: Geometry): number {
  const polygons =
    geometry.type === 'MultiPolygon' ? geometry.coordinates : geometry.type === 'Polygon' ? [geometry.coordinates] : [];
  return polygons.reduce((sum, [ring = []]) => {
    const twice = ring.slice(1).map(([x, y], k) => ring[k]![0]! * y! - x! * ring[k]![1]!);
    return sum + Math.abs(twice.reduce((a, b) => a + b, 0)) / 2;
  }, 0);
}

describe('a simplified declaration', () => {
  it('has the fields of the V3 service, a reference of 14 characters and no species', async () => {
    const files = await filesOf([plotRecord(0, square(1), producer('GH'))], {
      codes: [{ commodity: 'cocoa', digits: '18010000' }],
      activity: 'EXPORT',
    });
    assert.equal(files['dds.json'], undefined);
    const { kind, operatorRole, missing, statement, law } = declared(files);
    assert.deepEqual([kind, operatorRole, statement.activityType], ['sd', 'MICRO_OPERATOR', 'EXPORT']);
    assert.match(statement.internalReferenceNumber, /^FM[0-9A-Z]{12}$/);
    const [commodity] = statement.commodities;
    assert.equal(commodity!.hsHeading, '180100');
    assert.equal('speciesInfo' in commodity!, false);
    const [{ producerPosition, producerCountry, producerName, producerLocation }] = commodity!.producers as [
      (typeof commodity.producers)[number],
    ];
    assert.deepEqual([producerPosition, producerCountry, producerName], [1, 'GH', 'Ama']);
    const geojson = json<{ features: unknown[] }>(Buffer.from(String(producerLocation['geometryGeojson']), 'base64'));
    assert.equal(geojson.features.length, 1);
    assert.equal(law.due_diligence, 'simplified');
    const fields = missing.map(({ field }) => field);
    assert.ok(fields.includes('statement.commodities[0].descriptors.goodsMeasure'));
    for (const field of ['operatorRole', 'statement.activityType', 'statement.commodities[0].hsHeading'])
      assert.ok(!fields.includes(field), field);
  });

  it('takes plots of low-risk countries alone, and names the others', async () => {
    const files = await filesOf([
      plotRecord(0, square(1), producer('GH')),
      plotRecord(1, square(2), producer('BR')),
      plotRecord(2, square(3), producer('MM')),
      plotRecord(3, square(4), producer('TW')),
      plotRecord(4, square(5), { country: null, eudr: {} }),
    ]);
    assert.deepEqual(json<{ counts: Record<string, number> }>(files['checks.json']).counts['plots_declared'], 1);
    const left = files['left-out.csv']!.toString();
    assert.match(left, /plot-1,.*not-low-risk: BR is a country of standard risk/);
    assert.match(left, /plot-2,.*MM is a country of high risk/);
    assert.match(left, /plot-3,.*TW is of a tier that is not determined/);
    assert.match(left, /plot-4,.*The country of production is not known/);
    const { text } = await extractText(await getDocumentProxy(new Uint8Array(files['audit.pdf']!)));
    const pages = text.map((page) => page.replaceAll(/\s+/g, ' '));
    const plots = pages.flatMap((page) => page.split(/(?=Row \d+ +·)/));
    assert.equal(plots.filter((plot) => /^Row [2-5] +· .*Not fit to submit.*not low risk/.test(plot)).length, 4);
  });

  it('takes postal addresses of columns in place of geometry, each once, at most 100 a producer', async () => {
    const address = (i: number) => ({ Street: `Road ${i}`, 'Postal code': 1000 + i, City: 'Kumasi' });
    const records = Array.from({ length: 150 }, (_, i) =>
      plotRecord(i, square((i % 50) / 10, Math.floor(i / 50)), producer('GH', address(i % 120))),
    );
    const files = await filesOf(records, { places: 'address' });
    const lists = locations(files).map(({ postalAddress }) => postalAddress as readonly Record<string, string>[]);
    assert.deepEqual(
      lists.map(({ length }) => length),
      [100, 20],
    );
    assert.deepEqual(lists[0]![0], { producerStreet: 'Road 0', producerPostalCode: '1000', producerCity: 'Kumasi' });
  });

  it('declares by its geometry what has no address, and by its address what has no geometry', async () => {
    const looked = { geometry_source: 'geocoded', geocode_precision: 'locality' };
    const files = await filesOf(
      [
        plotRecord(0, square(1), producer('GH', { city: 'Kumasi' })),
        plotRecord(
          1,
          { type: 'Point', coordinates: [1, 6] },
          { ...producer('GH', { plz: '1', ort: 'Tafo' }), ...looked },
        ),
        plotRecord(2, LINE, producer('GH', { plz: '1', ort: 'Tafo' })),
      ],
      { places: 'address' },
    );
    assert.deepEqual(
      locations(files).map((location) => Object.keys(location)),
      [['geometryGeojson'], ['postalAddress']],
    );
    const findings = files['findings.csv']!.toString();
    assert.match(findings, /plot-0,no-address,warning,,false,/);
    assert.match(findings, /plot-1,looked-up-place,error,,true,/);
    const { counts, plots } = json<{
      counts: Record<string, number>;
      plots: { id: string; in_geojson: boolean; declared_by?: { kind: string } }[];
    }>(files['checks.json']);
    assert.deepEqual([counts['plots_declared'], counts['plots_in_geojson'], counts['plots_left_out']], [2, 1, 1]);
    assert.equal(plots.find(({ id }) => id === 'plot-1')?.declared_by?.kind, 'address');
    assert.match(files['left-out.csv']!.toString(), /plot-2,/);
  });

  it('names the parcels that hold at least 95 % of a plot', async () => {
    const point = { type: 'Point', coordinates: [3.001, 6.5] };
    const files = await filesOf(
      [plotRecord(0, square(1), producer('GH')), plotRecord(1, point, producer('GH'))],
      { places: 'cadastral' },
      strips(),
    );
    const [location] = locations(files);
    assert.deepEqual((location!['cadastralIdentifier'] as string[]).toSorted(), [
      'strip 1200',
      'strip 400',
      'strip 401',
      'strip 402',
      'strip 403',
    ]);
    const findings = files['findings.csv']!.toString();
    assert.match(findings, /plot-0,parcels-named,info,,false,"Declared by 4 parcels strip 40/);
    assert.match(findings, /plot-0,parcels-synthetic,warning/);
    const { text } = await extractText(await getDocumentProxy(new Uint8Array(files['audit.pdf']!)));
    const audit = text.join(' ').replaceAll(/\s+/g, ' ');
    assert.match(audit, /In the declaration .*Declared by cadastral identifiers strip 40/);
    assert.match(audit, /Draft Simplified declaration \(Art 4a\)/);
    assert.doesNotMatch(audit, /In the statement/);
  });

  it('names parcels that hold 95 % of any plot between them, each of them a part of it', async () => {
    const { intersection } = await openOverlay();
    const plots = fc.array(
      fc.record({
        lon: fc.double({ min: 2, max: 2.02, noNaN: true }),
        width: fc.double({ min: 0.0002, max: 0.02, noNaN: true }),
        slant: fc.double({ min: -0.01, max: 0.01, noNaN: true }),
      }),
      { minLength: 1, maxLength: 4 },
    );
    await fc.assert(
      fc.asyncProperty(plots, async (shapes) => {
        const records = shapes.map(({ lon, width, slant }, i) => {
          const ring = [
            [lon, 6],
            [lon + width, 6],
            [lon + width + slant, 6.004],
            [lon + slant, 6.004],
            [lon, 6],
          ];
          return plotRecord(i, { type: 'Polygon', coordinates: [ring] }, producer('GH', {}));
        });
        const files = await filesOf(records, { places: 'cadastral' }, strips());
        const { plots: entries } = json<{
          plots: { number: number; declared_by?: { kind: string; identifiers?: string[] } }[];
        }>(files['checks.json']);
        const drawn = json<{ features: { geometry: Polygon; properties: { firstmile_number: number } }[] }>(
          files[Object.keys(files).find((name) => name.endsWith('.geojson'))!],
        ).features;
        for (const { number, declared_by: declaredBy } of entries) {
          assert.equal(declaredBy?.kind, 'cadastral');
          const { geometry } = drawn.find(({ properties }) => properties.firstmile_number === number)!;
          const held = declaredBy.identifiers!.map((id) => {
            const part = intersection(geometry, stripOf(Number(id.slice('strip '.length))));
            return part === null ? 0 : areaOf(part);
          });
          assert.ok(held.every((area) => area > 0));
          assert.ok(held.reduce((sum, area) => sum + area) >= 0.9499 * areaOf(geometry));
        }
      }),
      { numRuns: runs(60, 6) },
    );
  });

  it('declares by its geometry a plot that lies partly in no parcel, and says how much does', async () => {
    const files = await filesOf(
      [plotRecord(0, square(1), producer('GH')), plotRecord(1, square(20), producer('GH'))],
      { places: 'cadastral' },
      strips(1.005),
    );
    assert.deepEqual(
      locations(files).map((location) => Object.keys(location)),
      [['geometryGeojson']],
    );
    const findings = files['findings.csv']!.toString();
    assert.match(findings, /plot-0,no-parcel,warning,,false,.*No parcel dataset covers this place/);
    assert.match(findings, /plot-1,no-parcel,warning/);
  });

  it('declares no parcel that has no identifier', async () => {
    const unnamed: PlotParcels = {
      parcelAt: async (place, signal) => ({ ...(await strips().parcelAt(place, signal)), id: 'row 7' }) as PlotParcel,
    };
    const files = await filesOf([plotRecord(0, square(1), producer('GH'))], { places: 'cadastral' }, unnamed);
    assert.deepEqual(Object.keys(locations(files)[0]!), ['geometryGeojson']);
    assert.match(
      files['findings.csv']!.toString(),
      /no-parcel,warning,,false,A parcel that holds it has no identifier/,
    );
  });

  it('says so where nobody could look', async () => {
    const down: PlotParcels = { parcelAt: async () => ({ status: 'unknown', reason: 'The service is down.' }) };
    const files = await filesOf([plotRecord(0, square(1), producer('GH'))], { places: 'cadastral' }, down);
    assert.deepEqual(Object.keys(locations(files)[0]!), ['geometryGeojson']);
    assert.match(
      files['findings.csv']!.toString(),
      /no-parcel,warning,,false,The service is down\. The plot is declared/,
    );
  });

  it('takes the identifiers of a column before any that are looked up', async () => {
    const files = await filesOf(
      [plotRecord(0, square(1), producer('GH', { 'Parcel ID': 'A-1; A-2' })), plotRecord(1, square(2), producer('GH'))],
      { places: 'cadastral' },
    );
    const [named, drawn] = locations(files);
    assert.deepEqual(named, { cadastralIdentifier: ['A-1', 'A-2'] });
    assert.deepEqual(Object.keys(drawn!), ['geometryGeojson']);
    assert.match(files['findings.csv']!.toString(), /plot-1,no-parcel,warning,,false,Parcels cannot be looked up here/);
  });

  it('closes the cadastres when it ends, and when nobody reads it to its end', async () => {
    let open = 0;
    const openParcels = async () => {
      open++;
      return { ...strips(), [Symbol.asyncDispose]: async () => void open-- };
    };
    const scope = { period: { ...PERIOD, filing: choices({ places: 'cadastral' }) } };
    await exportFiles([plotRecord(0, square(1), producer('GH'))], COLLECTION, scope, { openParcels });
    assert.equal(open, 0);
  });
});
