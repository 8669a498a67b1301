import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { normalizedTable } from '../../test/normalized-table.ts';

const OUTLINE = 'POLYGON ((0 6, 0.01 6, 0.01 6.01, 0 6.01, 0 6))';

/** The types of the rows of a table, with `?` where the row says that its type is a guess. */
async function typesOf(rows: readonly (readonly unknown[])[], sheet: string | null = null): Promise<readonly string[]> {
  const { locations } = await normalizedTable(rows, {}, sheet);
  return locations.map(({ properties: { location_type: type, warnings } }) =>
    warnings.some(({ code }) => code === 'location_type_guessed') ? `${type}?` : type,
  );
}

describe('a row is a facility or a plot', () => {
  it('by what it fills itself, whatever headings other rows fill', async () => {
    const rows = [
      ['name', 'farmer_name', 'area_ha', 'lat', 'lon'],
      ['Kilang Sawit', '', '', 6.1, 0.1],
      ['Blok 7', 'Siti', 2.5, 6.2, 0.2],
      ['Blok 8', 'Ahmad', '', 6.3, 0.3],
      ['Blok 9', '', 3, 6.4, 0.4],
    ];
    assert.deepEqual(await typesOf(rows), ['facility', 'plot', 'plot', 'plot']);
    const mixed = [
      ['Mill name', 'Farm name', 'lat', 'lon'],
      ['Lepar', '', 6.1, 0.1],
      ['', 'Hilltop', 6.2, 0.2],
    ];
    assert.deepEqual(await typesOf(mixed), ['facility', 'plot']);
  });

  it('a row of the EU format is a plot, and one among them with the name of a mill is not', async () => {
    const rows = [
      ['ProducerName', 'ProductionPlace', 'name', 'lat', 'lon'],
      ['F000', '', '', 6.1, 0.1],
      ['', 'Kg Baru', '', 6.2, 0.2],
      ['', '', 'Kilang Sawit', 6.3, 0.3],
    ];
    assert.deepEqual(await typesOf(rows), ['plot', 'plot', 'facility']);
  });

  it('by the words of its name in the languages we serve', async () => {
    const names: readonly (readonly [string, string])[] = [
      ['Lepar Hilir Palm Oil Mill', 'facility'],
      ['Kilang Sawit Felda', 'facility'],
      ['Pabrik Kelapa Sawit Riau', 'facility'],
      ['PKS Sei Mangkei', 'facility'],
      ['Gudang Koperasi Maju', 'facility'],
      ['Beneficiadero El Roble', 'facility'],
      ['Centro de Acopio La Unión', 'facility'],
      ['Extractora Monterrey', 'facility'],
      ['Bodega 4', 'facility'],
      ['Huilerie de Bangui', 'facility'],
      ['Entrepôt Abidjan', 'facility'],
      ['Usine de Divo', 'facility'],
      ['Armazém Central', 'facility'],
      ['Frigorífico Boa Vista', 'facility'],
      ['Nhà máy Đắk Lắk', 'facility'],
      ['โรงงานน้ำมันปาล์ม', 'facility'],
      ['Kumasi Cocoa Warehouse', 'facility'],
      ['Sugar Factory', 'facility'],
      ['Finca El Roble', 'plot'],
      ['Fazenda Santa Rita', 'plot'],
      ['Ferme Koffi', 'plot'],
      ['Kebun Pak Ahmad', 'plot'],
      ['Hilltop Farm', 'plot'],
      ['สวนปาล์ม', 'plot'],
    ];
    const rows = [['name', 'lat', 'lon'], ...names.map(([name], i) => [name, 6 + i / 100, 0.5])];
    assert.deepEqual(
      await typesOf(rows),
      names.map(([, type]) => type),
    );
  });

  it('and no word inside another word counts', async () => {
    const rows = [
      ['name', 'lat', 'lon', 'area_ha'],
      ['Millennium', 6, 0, 2],
      ['Port Harcourt Road', 6.1, 0, 2],
      ['Windmillers', 6.2, 0, 2],
      ['Plantation Road', 6.3, 0, 2],
    ];
    assert.deepEqual(await typesOf(rows), ['plot', 'plot', 'plot', 'plot']);
  });

  it('an outline is a plot, but one with the name of a facility is a facility, said to be a guess', async () => {
    const rows = [
      ['name', 'Mill name', 'geometry'],
      ['Block 3', '', OUTLINE],
      ['Kilang Sawit', '', OUTLINE],
      ['', 'Lepar', OUTLINE],
    ];
    assert.deepEqual(await typesOf(rows), ['plot', 'facility?', 'facility?']);
    const { locations } = await normalizedTable(rows);
    assert.match(
      locations[1]!.properties.warnings.find(({ code }) => code === 'location_type_guessed')!.message,
      /^Row 3: The row was taken for a facility \(a guess\): its name is "Kilang Sawit", but it is an outline, as plots are\.$/,
    );
  });

  it('a plot that names the mill it delivers to stays a plot, without the name of the mill', async () => {
    const rows = [
      ['Plot ID', 'Farmer', 'Mill', 'Area (ha)', 'lat', 'lon'],
      ['P1', 'Ama', 'Lepar Hilir Palm Oil Mill', 2, 6.1, 0.1],
      ['P2', 'Kofi', '', 2, 6.2, 0.2],
    ];
    const { locations } = await normalizedTable(rows);
    assert.deepEqual(
      locations.map(({ properties: p }) => [p.location_type, p.name, p.eudr.ProducerName, p.eudr.ProductionPlace]),
      [
        ['plot', null, 'Ama', null],
        ['plot', null, 'Kofi', null],
      ],
    );
    assert.deepEqual(await typesOf(rows), ['plot?', 'plot']);
  });

  it('by what it states and what the request says before anything else, without a doubt', async () => {
    const rows = [
      ['name', 'location type', 'geometry'],
      ['Kilang Sawit', 'plot', OUTLINE],
      ['Finca', 'centro de acopio', OUTLINE],
    ];
    assert.deepEqual(await typesOf(rows), ['plot', 'facility']);
    const { locations } = await normalizedTable(rows, { locationType: 'plot' });
    assert.ok(locations.every(({ properties }) => properties.location_type === 'plot'));
  });

  it('by the name of its sheet where the row says nothing, and guessed where nothing does', async () => {
    const rows = [
      ['name', 'lat', 'lon'],
      ['Alpha', 6, 0],
    ];
    assert.deepEqual(await typesOf(rows, 'Farms'), ['plot']);
    assert.deepEqual(await typesOf(rows, 'Mills'), ['facility']);
    assert.deepEqual(await typesOf(rows), ['facility?']);
  });
});
