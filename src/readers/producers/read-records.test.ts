import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { openLocationFile } from '../formats/tables/open-location-file.ts';
import { readRecords, type ReadOptions } from './read-records.ts';

let folder = '';
before(async () => void (folder = await mkdtemp(join(tmpdir(), 'firstmile-records-'))));
after(() => rm(folder, { recursive: true, force: true }));

async function read(name: string, text: string, options: ReadOptions = {}) {
  const path = join(folder, name);
  await writeFile(path, text);
  const file = await openLocationFile(path);
  assert.ok('tables' in file);
  try {
    return await readRecords(file, options, new AbortController().signal);
  } finally {
    await file.close();
  }
}

describe('a list of producers', () => {
  it('is read from CSV by its headers, with other names, codes of countries and places', async () => {
    const { records, columns, nameless, badPlaces } = await read(
      'mills.csv',
      [
        'X,Y,UML_ID,Group_Name,Parent_Com,Mill_Name,Latitude,Longitude,ISO,Alternativ',
        '1,2,PO1,WILMAR,SUBURMAS SDN BHD,SUBURMAS,3.5,113.3,MYS,SUB 1; SUB 2',
        '1,2,PO2,UNKNOWN,UNKNOWN,SOOK OIL MILL,0,0,MYS,',
        '1,2,PO3,X,,,1,1,MYS,',
        '1,2,PO4,X,Y SAS,,10.5,-74.2,COL,"Y, Limitada"',
        '1,2,PO5,X,Z,,95,10,COL,',
        '1,2,PO6,X,W,,,,,',
      ].join('\n'),
    );
    assert.deepEqual(columns.names, ['Mill_Name', 'Parent_Com', 'Alternativ']);
    assert.deepEqual(records, [
      { id: 'PO1', names: ['SUBURMAS', 'SUBURMAS SDN BHD', 'SUB 1', 'SUB 2'], at: [113.3, 3.5], country: 'MY' },
      { id: 'PO2', names: ['SOOK OIL MILL'], at: null, country: 'MY' },
      { id: 'PO4', names: ['Y SAS', 'Y, Limitada'], at: [-74.2, 10.5], country: 'CO' },
      { id: 'PO5', names: ['Z'], at: null, country: 'CO' },
      { id: 'PO6', names: ['W'], at: null, country: null },
    ]);
    assert.deepEqual([nameless, badPlaces], [1, { count: 2, firstRow: 3 }]);
  });

  it('is read from GeoJSON, places from the geometry', async () => {
    const features = [
      {
        type: 'Feature',
        geometry: { type: 'Point', coordinates: [1, 2] },
        properties: { nama: 'PKS Satu', pais: 'Perú' },
      },
      { type: 'Feature', geometry: null, properties: { nama: 'KUD Dua' } },
    ];
    const { records } = await read('coops.geojson', JSON.stringify({ type: 'FeatureCollection', features }));
    assert.deepEqual(
      records.map(({ names, at, country }) => [names[0], at, country]),
      [
        ['PKS Satu', [1, 2], 'PE'],
        ['KUD Dua', null, null],
      ],
    );
  });

  it('takes the columns it is given, and refuses those that are not there', async () => {
    const text = 'a,b,c\nOne,5,6\n';
    const told = await read('told.csv', text, { columns: { names: ['a'], lat: 'b', lon: 'c' } });
    assert.deepEqual([told.records[0].names, told.records[0].at], [['One'], [6, 5]]);
    await assert.rejects(read('x.csv', text, { columns: { lat: 'z' } }), /has no column z; it has a, b, c/);
    await assert.rejects(read('y.csv', text), /No column was taken for names; say which of a, b, c/);
  });
});
