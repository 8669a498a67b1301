import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { KmlGeometryError, kmlGeometry, type XmlNode } from './kml-geometry.ts';

function line(text: string): unknown {
  const node = (name: string, children: XmlNode[], content = ''): XmlNode => ({
    name,
    attributes: {},
    children,
    text: content,
  });
  const geometry = kmlGeometry(node('Placemark', [node('LineString', [node('coordinates', [], text)])]));
  return (geometry as { coordinates: unknown }).coordinates;
}

describe('the coordinates of KML', () => {
  it('are separated by any space, also around the comma', () => {
    assert.deepEqual(line('\n\t101.5,-0.25,12 \r\n 1.5e2 , 3\u00a04,5,6,7 \n'), [
      [101.5, -0.25, 12],
      [150, 3],
      [4, 5, 6],
    ]);
    assert.deepEqual(line('  \n'), []);
  });

  it('are refused where a part is missing or no number', () => {
    for (const text of ['1', '1,', '1,,3', '1,2,', '1;2', '1,2,x', '1,Infinity'])
      assert.throws(() => line(`0,0 ${text}`), KmlGeometryError, text);
  });

  it('are read in time that does not depend on where the spaces are', () => {
    assert.deepEqual(line(`${' '.repeat(2_000_000)}1,2${' '.repeat(2_000_000)}`), [[1, 2]]);
  });
});
