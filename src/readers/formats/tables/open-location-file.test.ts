import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readBytes } from '../../../../test/location-files.ts';
import { archive, workbook } from '../../../../test/make-archive.ts';

const KML = (inside: string) => `<?xml version="1.0"?><kml xmlns="http://www.opengis.net/kml/2.2">${inside}</kml>`;

async function cells(content: string | Uint8Array): Promise<unknown[]> {
  const { tables } = await readBytes(content);
  return tables.flatMap(({ rows }) => rows.map((row) => ('cells' in row ? [row.row, ...row.cells] : row)));
}

function refusal(code: string) {
  return (error: Error & { code?: string; errors?: { code: string }[] }) => {
    assert.equal(error.errors?.[0]?.code ?? error.code, code, error.message);
    return true;
  };
}

test('distinguishes semicolons from decimal commas, keeps quoted line breaks in one row and counts empty lines', async () => {
  assert.deepEqual(await cells('id;lat;nota\n1;-7,5;"a\nb"\n\n2;8,25;c;d\n'), [
    [1, 'id', 'lat', 'nota'],
    [2, '1', '-7,5', 'a\nb'],
    [4, '2', '8,25', 'c', 'd'],
  ]);
});

test('reads tabs, UTF-16, Latin-1, Thai and the line that names the delimiter', async () => {
  const expected = [
    [1, 'nombre', 'lat'],
    [2, 'Peñón', '1'],
  ];
  assert.deepEqual(await cells(Buffer.from('\uFEFFnombre\tlat\nPeñón\t1\n', 'utf16le')), expected);
  assert.deepEqual(await cells(Buffer.from('nombre,lat\nPeñón,1\n', 'latin1')), expected);
  assert.deepEqual(
    (await cells('sep=|\nnombre|lat\nPeñón|1\n')).map((row) => (row as unknown[]).slice(1)),
    expected.map((row) => row.slice(1)),
  );
  // "จังหวัด" (province) and "สงขลา" (Songkhla) in windows-874.
  const thai = Buffer.concat([
    Buffer.from('a,b\n'),
    Buffer.from('a8d1a7cbc7d1b42ccac7a2c5d2', 'hex'),
    Buffer.from('\n'),
  ]);
  const [, row] = (await cells(thai)) as string[][];
  assert.equal(row[1], 'จังหวัด');
});

test('takes each line of a text of geometries for a row', async () => {
  const lines = ['SRID=4326;POINT(102.61 4.58)', 'POLYGON((1 2,3 4,5 6,1 2),(1 2,3 4,5 6,1 2))', 'POINT EMPTY'];
  const rows = lines.map((line, i) => [i + 1, line]);
  assert.deepEqual(await cells(lines.join('\n')), rows);
  assert.deepEqual(await cells(lines.map((line) => `"${line}"`).join('\r\n')), rows);
  assert.deepEqual(await cells(lines[1]), [[1, lines[1]]]);
  // Other columns next to it make it a table.
  assert.deepEqual(await cells('POINT(1 2);A\nPOINT(3 4);B'), [
    [1, 'POINT(1 2)', 'A'],
    [2, 'POINT(3 4)', 'B'],
  ]);
});

test('does not run formulas: a text file refuses them, a workbook gives the saved result and says so', async () => {
  const text = await readBytes('name,lat\n=cmd|x,-1.5\n');
  assert.deepEqual(
    text.tables[0].rows[1].notes?.map(({ code, column }) => [code, column]),
    [['formula_refused', 0]],
  );
  const { tables } = await readBytes(
    workbook(
      '<row r="3"><c r="B3"><f>1+1</f><v>2</v></c><c r="C3"><f>[1]Prices!A1</f><v>7</v></c><c r="D3" t="s"><v>0</v></c></row>',
      ['Fazenda &lt;A&gt;'],
    ),
  );
  assert.deepEqual(tables[0].rows, [
    {
      row: 3,
      cells: [null, 2, null, 'Fazenda <A>'],
      notes: [
        { code: 'formula_cell', column: 1, value: '=1+1' },
        {
          code: 'formula_refused',
          column: 2,
          value: '=[1]Prices!A1',
          blanks: { reason: 'it reaches outside the workbook' },
        },
      ],
    },
  ]);
});

test('takes the column of a table or a word in a text or name for no way out of the workbook', async () => {
  const formulas = ['SUM(Plots[2024])', 'Plots[[#This Row],[2024]]*2', `'Registered farmers'!B2`, 'B2&"|recall("&C2'];
  const outside = [
    `'[1]My sheet'!A1`,
    'SUM(A1,[2]!Area)',
    '_xlfn.WEBSERVICE(A1)',
    `cmd|'/c calc'!A0`,
    'INDIRECT("[a.xlsx]S!A1")',
  ];
  const cellsOf = [...formulas, ...outside].map(
    (formula, i) => `<c r="${String.fromCharCode(65 + i)}1"><f>${formula.replaceAll('&', '&amp;')}</f><v>7</v></c>`,
  );
  const { tables } = await readBytes(workbook(`<row r="1">${cellsOf.join('')}</row>`));
  const [{ notes = [] }] = tables[0].rows;
  assert.deepEqual(
    notes.map(({ code }) => code),
    [...formulas.map(() => 'formula_cell'), ...outside.map(() => 'formula_refused')],
  );
});

test('reads the value of a merged cell in each of its rows, and says so; a title over several rows makes no rows', async () => {
  const rows = [
    '<row r="1"><c r="A1" t="s"><v>0</v></c></row><row r="2"><c r="A2"/></row>',
    '<row r="4"><c r="A4" t="s"><v>1</v></c><c r="B4"><v>1</v></c></row>',
    '<row r="5"><c r="A5"/><c r="B5"><v>2</v></c></row>',
    '<row r="6"><c r="B6"><v>3</v></c></row>',
    '<row r="7"><c r="B7"><v>4</v></c></row>',
  ];
  const merged = (...refs: string[]) =>
    `<mergeCells count="${refs.length}">${refs.map((ref) => `<mergeCell ref="${ref}"/>`).join('')}</mergeCells>`;
  const content = workbook(rows.join(''), ['Farmers', 'Ana'], merged('A4:A6', 'A1:B3', 'B7:C7', 'D5:D6', 'A9'));
  const note = { code: 'merged_cell', column: 0, blanks: { first: 4, last: 6 } };
  const { tables } = await readBytes(content);
  assert.deepEqual(tables[0].rows, [
    { row: 1, cells: ['Farmers'], notes: [{ ...note, blanks: { first: 1, last: 3 } }] },
    { row: 4, cells: ['Ana', 1], notes: [note] },
    { row: 5, cells: ['Ana', 2], notes: [note] },
    { row: 6, cells: ['Ana', 3], notes: [note] },
    { row: 7, cells: [null, 4] },
  ]);
});

test('reads placemarks with their folders and data, and keeps one whose coordinates are no numbers', async () => {
  const { tables } = await readBytes(
    KML(`<Document><Folder><name>North</name>
      <Placemark id="a"><name>Plot 1</name><ExtendedData><Data name="owner"><value>Ana</value></Data></ExtendedData>
        <MultiGeometry><Point><coordinates>1, 2</coordinates></Point><Point><coordinates>3,4,5</coordinates></Point></MultiGeometry></Placemark>
      <Placemark><Point><coordinates>here</coordinates></Point></Placemark></Folder></Document>`),
  );
  assert.deepEqual(tables[0].rows, [
    {
      row: 1,
      id: 'a',
      geometry: {
        type: 'MultiPoint',
        coordinates: [
          [1, 2],
          [3, 4, 5],
        ],
      },
      properties: { name: 'Plot 1', owner: 'Ana', folder: 'North' },
    },
    {
      row: 2,
      geometry: null,
      properties: { folder: 'North' },
      notes: [{ code: 'unreadable_record', blanks: { reason: 'wanted longitude,latitude, got "here"' } }],
    },
  ]);
});

test('names each link of a KML to another file, in which places would be lost without a word', async () => {
  const { tables } = await readBytes(
    KML(`<Document><Placemark><name>A</name><Point><coordinates>1,2</coordinates></Point></Placemark>
      <Folder><name>North</name><NetworkLink><name>Live</name><Link><href> plots.kml </href></Link></NetworkLink></Folder></Document>`),
  );
  assert.deepEqual(tables[0].rows.slice(1), [
    {
      row: 2,
      geometry: null,
      properties: { name: 'Live', folder: 'North', link: 'plots.kml' },
      notes: [{ code: 'link_not_followed', blanks: { link: 'plots.kml' } }],
    },
  ]);
});

test('reads lists of plain objects, bare geometries and features in a row', async () => {
  const { tables } = await readBytes('[{"lat": 1, "lon": 2}, {"lat": 3}]');
  assert.deepEqual(tables[0].rows, [
    { row: 1, properties: { lat: 1, lon: 2 } },
    { row: 2, properties: { lat: 3 } },
  ]);
  const bare = await readBytes('{"type":"Point","coordinates":[1,2]}\n{"type":"Point","coordinates":[3,4]}\n');
  assert.deepEqual(
    bare.tables[0].rows.map((row) => 'geometry' in row && row.geometry),
    [
      { type: 'Point', coordinates: [1, 2] },
      { type: 'Point', coordinates: [3, 4] },
    ],
  );
});

test('distinguishes prose and PDF from tables', async () => {
  assert.equal(
    (await readBytes('Dear Sir,\n\nour mill is near Pekanbaru, in Riau. We hope that helps.\n')).format,
    'text',
  );
  assert.equal((await readBytes('%PDF-1.7\n')).format, 'pdf');
});

test('refuses archives that unpack to too much, lead outside, repeat a path or are locked', async () => {
  await assert.rejects(readBytes(archive({ 'a.shp': new Uint8Array(80_000_000) })), refusal('too_large'));
  await assert.rejects(readBytes(archive({ '../a.shp': 'x' })), refusal('path_traversal'));
  await assert.rejects(readBytes(archive({ '/etc/a.shp': 'x' })), refusal('path_traversal'));
  await assert.rejects(readBytes(archive({ 'a.shp': 'x', 'A.shp': 'y' })), refusal('duplicate_entry'));
  const locked = Buffer.from(archive({ 'a.kml': KML('') }));
  locked[locked.indexOf('PK\x01\x02', 0, 'latin1') + 8] |= 1;
  await assert.rejects(readBytes(locked), refusal('encrypted_archive'));
  const many = Object.fromEntries(Array.from({ length: 10_001 }, (_, i) => [`${i}.txt`, '']));
  await assert.rejects(readBytes(archive(many)), refusal('too_large'));
});

test('counts what an entry unpacks to, because a directory can lie', async () => {
  const honest = Buffer.from(archive({ 'doc.kml': KML('<Placemark/>'.repeat(1000)) }));
  honest.writeUInt32LE(50, honest.indexOf('PK\x01\x02', 0, 'latin1') + 24);
  await assert.rejects(readBytes(honest), refusal('archive_lies'));
});

test('refuses document type declarations and entities in every XML', async () => {
  const bomb = '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>';
  await assert.rejects(
    readBytes(`<?xml version="1.0"?>${bomb}<kml><Placemark><name>&b;</name></Placemark></kml>`),
    refusal('xml_doctype'),
  );
  await assert.rejects(readBytes(KML('<Placemark><name>&file;</name></Placemark>')), refusal('invalid_xml'));
  const sheet = archive({
    'xl/workbook.xml': `${bomb}<workbook/>`,
    'xl/_rels/workbook.xml.rels': '<Relationships/>',
  });
  await assert.rejects(readBytes(sheet), refusal('xml_doctype'));
  await assert.rejects(readBytes(KML('<a>'.repeat(200))), refusal('nesting_too_deep'));
});

test('names what it cannot read', async () => {
  await assert.rejects(readBytes(Buffer.from('d0cf11e0a1b11ae1', 'hex')), /old Excel/);
  await assert.rejects(readBytes(archive({ 'readme.txt': 'hello' })), /got an archive with readme.txt/);
  await assert.rejects(readBytes('<html></html>'), /HTML page/);
  await assert.rejects(readBytes('a,b\n1,"2'), refusal('open_quote'));
  await assert.rejects(readBytes('PAR1 and nothing more'), refusal('broken_parquet'));
});
