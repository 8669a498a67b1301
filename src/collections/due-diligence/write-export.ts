import type { FilingScope } from './exclude.ts';
import { createHash } from 'node:crypto';
import { setImmediate as breath } from 'node:timers/promises';
import type { DatasetUse } from '../plot-record.ts';
import { listRow } from './audit/list-row.ts';
import { createNeighbours } from './audit/neighbours.ts';
import { createDeclarer, type PlotParcels } from './declared-place.ts';
import { declarationText } from './declaration-text.ts';
import { createCounts } from './export-counts.ts';
import { collectionText, createPart, type ExportPart } from './export-part.ts';
import {
  DEFAULT_PLOT_PAGES,
  type ExportOptions,
  type ExportParts,
  type ExportSource,
  type ExportSummary,
  type Fit,
  type WrittenFile,
} from './export-types.ts';
import { noChoices } from './filing-choices.ts';
import { fitPlot, isExported, type FittedPlot } from './fit-plot.ts';
import { lawOfPlots } from './law-of-export.ts';
import { OFFICIAL_RULES } from './official-errors.ts';
import { createPageChoice } from './page-choice.ts';
import { checkEntry, findingRows, FINDINGS_HEAD, LEFT_OUT_HEAD, leftOutRow } from './plot-texts.ts';
import { readmeText } from './readme-text.ts';
import { createPlotTable } from './plot-table.ts';
import type { Spool } from './spool.ts';
import { NOT_SUBMITTED, statementText } from './statement-text.ts';
import { zipEntries, type ZipEntry } from './zip-entries.ts';

/**
 * The due diligence export as the bytes of a ZIP archive, as they come: GeoJSON by the rules of the EU information system,
 * one draft statement a GeoJSON file, checks, tables, the audit trail as PDF and checksums. Memory is bounded by what one
 * statement may hold, whatever the number of plots.
 */
export function writeExport(
  sources: readonly ExportSource[],
  options: ExportOptions,
  parts: ExportParts,
): AsyncGenerator<Uint8Array, void, void> {
  const filing = options.period.filing ?? noChoices(parts.at.toISOString().slice(0, 10));
  const decided: DecidedOptions = { ...options, period: { ...options.period, filing } };
  return zipEntries(summed(exportFiles(sources, decided, parts)), parts.at);
}

interface DecidedOptions extends ExportOptions {
  readonly period: FilingScope;
}

/** Remembers name, size and checksum of a file when it has been written. */
type Remember = (entry: ZipEntry) => ZipEntry;

/** Adds the list of checksums as the last file. */
async function* summed(
  files: (remember: Remember, written: readonly WrittenFile[]) => AsyncIterable<ZipEntry>,
): AsyncGenerator<ZipEntry, void> {
  const written: WrittenFile[] = [];
  yield* files(({ name, bytes, compress }) => ({ name, compress, bytes: hashed(name, bytes, written) }), written);
  const lines = written.map(({ name, sha256 }) => `${sha256}  ${name}\n`);
  yield { name: 'SHA256SUMS', bytes: [Buffer.from(lines.join(''))], compress: true };
}

async function* hashed(
  name: string,
  bytes: ZipEntry['bytes'],
  written: WrittenFile[],
): AsyncGenerator<Uint8Array, void> {
  const hash = createHash('sha256');
  let size = 0;
  for await (const chunk of bytes) {
    hash.update(chunk);
    size += chunk.length;
    yield chunk;
  }
  written.push({ name, bytes: size, sha256: hash.digest('hex') });
}

function exportFiles(sources: readonly ExportSource[], options: DecidedOptions, parts: ExportParts) {
  return async function* (remember: Remember, written: readonly WrittenFile[]): AsyncGenerator<ZipEntry, void> {
    await using checks = await parts.openSpool();
    await using findings = await parts.openSpool();
    await using plots = await parts.openSpool();
    await using leftOut = await parts.openSpool();
    const { filing } = options.period;
    const needsParcels = filing.kind === 'simplified_declaration' && filing.places === 'cadastral';
    await using parcels = needsParcels ? await parts.openParcels?.() : undefined;
    await using rows = await parts.openSpool();
    const plotTable = createPlotTable(plots);
    const spools = { checks, findings, plots: plotTable, leftOut, rows };
    const fit = fitBy(options.period, parts, parcels);
    const reading = createReading(sources, options, fit);
    yield remember(textFile('README.txt', readmeText(sources, options, parts.at, parts.version)));
    let statements = 0;
    for (const source of sources)
      for await (const { part, file } of partsOf(source, reading, spools, fit, parts)) {
        statements++;
        yield remember({ name: file, bytes: collectionText(part.features), compress: true });
        const stem = filing.kind === 'statement' ? 'dds' : 'sd';
        const name = statements === 1 ? `${stem}.json` : `${stem}-${statements}.json`;
        const text = filing.kind === 'statement' ? statementText : declarationText;
        const place = { collection: source.collection, number: statements, file };
        yield remember({ name, bytes: text(part, place, filing), compress: true });
      }
    const summary = reading.finish([...written]);
    const { counts, verdicts, doubts, groups, open, datasets } = summary;
    const synthetic = datasets.flatMap((use) => (use.synthetic ? [use.dataset] : []));
    options.onDigest?.({ counts, verdicts, doubts, groups, open, synthetic });
    yield remember({ name: 'checks.json', bytes: checksText(summary, checks), compress: true });
    yield remember({ name: 'findings.csv', bytes: withHead(FINDINGS_HEAD, findings), compress: true });
    yield remember({ name: 'left-out.csv', bytes: withHead(LEFT_OUT_HEAD, leftOut), compress: true });
    yield remember({ name: 'plots.csv', bytes: plotTable.text(), compress: true });
    // Loaded by the first export rather than at every start.
    const { auditPdf } = await import('./audit/audit-pdf.ts');
    yield remember({ name: 'audit.pdf', bytes: auditPdf(summary, reading.neighbours, rows, parts), compress: false });
  };
}

interface Spools {
  readonly checks: Spool;
  readonly findings: Spool;
  readonly plots: ReturnType<typeof createPlotTable>;
  readonly leftOut: Spool;
  /** Lines of the list of plots in the audit trail. */
  readonly rows: Spool;
}

interface NamedPart {
  readonly part: ExportPart;
  readonly file: string;
}

/** Reads a collection once; gives its plots part by part and everything else to the spools. A collection without plots gives one empty part. */
async function* partsOf(
  { collection, records }: ExportSource,
  reading: Reading,
  spools: Spools,
  fit: Fit,
  parts: ExportParts,
): AsyncGenerator<NamedPart, void> {
  const stem = fileStem(collection);
  let number = 1;
  const fileName = (): string => (number === 1 ? `${stem}.geojson` : `${stem}-part-${number}.geojson`);
  let part = createPart();
  reading.begin(collection.id);
  for await (const record of records()) {
    parts.signal.throwIfAborted();
    if (record.number % 32 === 0) await breath();
    let plot = await fit(record, collection);
    if (isExported(plot) && !part.add(plot)) {
      if (!part.isEmpty()) {
        yield { part: part.finish(), file: fileName() };
        part = createPart();
        number++;
      }
      if (part.isEmpty() && !part.add(plot)) plot = tooLarge(plot);
    }
    reading.add(plot);
    await spools.plots.add(collection, plot, plot.members.length > 0 ? fileName() : null);
    await spools.findings.write(findingRows(collection, plot));
    await spools.leftOut.write(leftOutRow(collection, plot));
    await spools.rows.write(`${JSON.stringify(listRow(collection, plot))}\n`);
    const entry = checkEntry(collection, plot);
    if (entry !== null) await spools.checks.write(`${entry}\n`);
  }
  if (number === 1 || !part.isEmpty()) yield { part: part.finish(), file: fileName() };
}

/** A location as the period and the kind of filing take it. */
function fitBy(period: FilingScope, parts: ExportParts, parcels: PlotParcels | undefined): Fit {
  if (period.filing.kind === 'statement')
    return async (record, collection) => fitPlot(record, collection, period, parts);
  const { geometry, signal } = parts;
  const declare = createDeclarer(period.filing, { geometry, signal, ...(parcels === undefined ? {} : { parcels }) });
  return (record, collection) =>
    declare(fitPlot(record, collection, period, parts), `${collection.id} ${record.number}`);
}

function tooLarge(plot: FittedPlot): FittedPlot {
  const detail = 'The plot alone is larger than the 25 MB of a statement.';
  return {
    ...plot,
    members: [],
    place: null,
    findings: [...plot.findings, { rule: 'too-large', detail, fixed: false }],
  };
}

type Reading = ReturnType<typeof createReading>;

/** Gathers what the later files say about all plots. */
function createReading(
  sources: readonly ExportSource[],
  { period, plotPages = DEFAULT_PLOT_PAGES }: DecidedOptions,
  fit: Fit,
) {
  const all = createCounts();
  const byCollection = new Map<string, ReturnType<typeof createCounts>>();
  const choice = createPageChoice();
  const datasets = new Map<string, DatasetUse>();
  const countries = new Map<string | null, number>();
  const commodities = new Set<string | null>();
  const neighbours = createNeighbours();
  let own = all;
  let id = '';
  return {
    neighbours,
    begin(collectionId: string): void {
      id = collectionId;
      own = createCounts();
      byCollection.set(id, own);
      choice.begin(id);
    },
    add(plot: FittedPlot): void {
      all.add(plot, id);
      own.add(plot, id);
      choice.add(plot);
      neighbours.add(`${id} ${plot.record.number}`, plot);
      if (isExported(plot)) {
        const { country, commodity } = plot.facts;
        countries.set(country, (countries.get(country) ?? 0) + 1);
        commodities.add(commodity);
      }
      for (const use of usesOf(plot)) datasets.set(`${use.dataset} ${use.version}`, use);
    },
    finish: (files: readonly WrittenFile[]): ExportSummary => ({
      sources,
      period,
      fit,
      ...all.result(),
      countsOf: new Map([...byCollection].map(([id, counts]) => [id, counts.result().counts])),
      datasets: [...datasets.values()],
      plotsByCountry: countries,
      commodities: [...commodities],
      files,
      pages: choice.choose(plotPages),
    }),
  };
}

function usesOf({ record: { statistics } }: FittedPlot): readonly DatasetUse[] {
  if (statistics === null) return [];
  const { baseline, losses, biomass, diversity, evidence = [] } = statistics;
  const measured = [baseline, ...losses, biomass, diversity].filter(({ status }) => status === 'measured');
  const voted = evidence.filter((one) => 'yesHa' in one);
  return ([...measured, ...voted] as readonly DatasetUse[]).map(({ dataset, version, synthetic }) => ({
    dataset,
    version,
    synthetic,
  }));
}

async function* checksText(
  { sources, period, counts, groups, errors, verdicts, convergences, plotsByCountry, commodities }: ExportSummary,
  entries: Spool,
): AsyncGenerator<Uint8Array, void> {
  const head = {
    submitted: false,
    kind: period.filing.kind,
    notice: NOT_SUBMITTED,
    rules: OFFICIAL_RULES,
    collections: sources.map(({ collection: { id, name, mapping } }) => ({ id, name, mapping })),
    monitoring_start: period.start,
    monitoring_end: period.end,
    exclude: period.exclude ?? [],
    counts: {
      locations: counts.locations,
      plots_in_geojson: counts.exported - counts.withoutGeometry,
      ...(period.filing.kind === 'statement' ? {} : { plots_declared: counts.exported }),
      plots_left_out: counts.leftOut,
      plots_excluded: counts.excluded,
      locations_by_group: groups,
      plots_by_eudr_status: verdicts,
      plots_by_convergence: convergences,
      facilities: counts.facilities,
      features: counts.features,
      plots_changed: counts.changed,
      area_ha: counts.areaHa,
      overlap_area_ha: counts.overlapHa,
      overlaps_counted_once: counts.overlapsCountedOnce,
      overlaps_reason: counts.overlapsReason,
      geojson_area_ha: counts.exportedHa,
      plots_with_loss_in_baseline_forest: counts.withLoss,
      noncompliance_area_ha: counts.lossHa,
      plots_with_loss_unknown: counts.unknownLoss,
    },
    law: lawOfPlots(period.filing, plotsByCountry, commodities),
    official_errors: errors,
  };
  yield Buffer.from(`${JSON.stringify(head, null, 2).slice(0, -2)},\n  "plots": [`);
  let isFirst = true;
  let rest = '';
  const decoder = new TextDecoder();
  for await (const bytes of entries.read()) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    const text = lines.map((line) => `\n    ${line}`).join(',');
    if (text === '') continue;
    yield Buffer.from(isFirst ? text : `,${text}`);
    isFirst = false;
  }
  yield Buffer.from('\n  ]\n}\n');
}

async function* withHead(head: string, { read }: Spool): AsyncGenerator<Uint8Array, void> {
  yield Buffer.from(head);
  yield* read();
}

function textFile(name: string, text: string): ZipEntry {
  return { name, bytes: [Buffer.from(text)], compress: true };
}

/** The name of a collection as the beginning of a file name that every system takes, with the start of its id. */
function fileStem({ id, name }: { readonly id: string; readonly name: string }): string {
  const plain = name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 40)
    .replaceAll(/^-+|-+$/g, '');
  return `${plain === '' ? 'collection' : plain}-${id.replaceAll(/[^a-zA-Z0-9]/g, '').slice(0, 8)}`;
}
