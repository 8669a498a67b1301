import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { demoCollection } from '../../service/collections/demo-collection.ts';
import type { CommandContext } from '../command.ts';
import type { DemoMailbox } from './mailbox.ts';
import { createProgressBar } from '../parts/progress-bar.ts';
import type { ServiceClient } from '../parts/service-client.ts';
import type { ReceivedWebhook } from '../webhooks/listen-server.ts';

type Json = Readonly<Record<string, unknown>>;

/** What a demo works with. */
export interface Demo {
  readonly client: ServiceClient;
  readonly folder: string;
  readonly say: (text: string) => void;
  readonly err: CommandContext['err'];
  readonly signal: AbortSignal;
}

/** A file that was written, and what it is. */
export interface DemoFile {
  readonly name: string;
  readonly what: string;
}

/** How long an email or a webhook may take once the batch is completed. */
const PATIENCE_MS = 20_000;
const RADIUS_M = 3_000;

/** Sends the made-up collection and follows its batch to the end; its id. */
export async function processPlots({ client, folder, say, err }: Demo): Promise<{ id: string; file: DemoFile }> {
  const { features, plots, facilities, monitoringEnd } = demoCollection();
  const text = JSON.stringify({ type: 'FeatureCollection', features }, null, 1);
  await writeFile(join(folder, 'plots.geojson'), text);
  say(
    `Sends ${plots} made-up plots and ${facilities} made-up mill: one is in Antarctica, where no dataset is, one is broken, one has no place.`,
  );
  const form = new FormData();
  const fields = { stats: 'true', validate_locations: 'true', eudr_dds: 'true', monitoring_end: monitoringEnd };
  for (const [name, value] of Object.entries({ collection_name: 'Synthetic demo lot', ...fields }))
    form.append(name, value);
  form.append('description', 'Made up: nothing in it is real.');
  form.append('file', new Blob([text]), 'plots.geojson');
  const work = await client.call('POST', '/batch_process', form);
  const bar = createProgressBar(err, 'locations');
  const task = await client.follow(String(work['events_url']), ({ progress }) => {
    const { done, total } = progress as { done: number; total: number | null };
    bar.update(done, total);
  });
  bar.finish();
  if (task['status'] !== 'completed')
    throw new Error(`the batch ${String(task['status'])}: ${JSON.stringify(task['error'])}`);
  return { id: String(work['collection_id']), file: { name: 'plots.geojson', what: 'what was sent' } };
}

/** Keeps the webhook; its addresses. Throws when it does not come, or is not genuine. */
export async function keepWebhook(
  { folder, say, signal }: Demo,
  arrives: Promise<ReceivedWebhook>,
): Promise<{ urls: Readonly<Record<string, string>>; file: DemoFile }> {
  const webhook = await within(arrives, signal);
  if (webhook === null) throw new Error(`no webhook came within ${PATIENCE_MS / 1000} s of the end of the batch`);
  if (webhook.verified !== true)
    throw new Error(`the signature of the webhook is wrong: ${webhook.findings.map(({ detail }) => detail).join(' ')}`);
  say(`The webhook ${webhook.type} has come, and its signature is right.`);
  const event = JSON.parse(webhook.body) as { data: { urls: Record<string, string> } };
  await writeFile(join(folder, 'webhook.json'), JSON.stringify(event, null, 2));
  return { urls: event.data.urls, file: { name: 'webhook.json', what: 'the event, with the five addresses' } };
}

/** Keeps the email with the report. Throws when it does not come. */
export async function keepEmail({ folder, say, signal }: Demo, mailbox: DemoMailbox): Promise<DemoFile> {
  const email = await mailbox.next(AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]));
  if (email === null) throw new Error(`no email came within ${PATIENCE_MS / 1000} s of the end of the batch`);
  await writeFile(join(folder, 'report.eml'), email);
  say('The report has come by email.');
  return { name: 'report.eml', what: 'the email with the due diligence report; mail programs open it' };
}

/** What is saved: the name of a file, the key of its address in the event, the format. */
const FETCHED = [
  [
    'deforestation_check_eudr.geojson',
    'deforestation_check_eudr',
    'application/geo+json',
    'forest lost after 2020-12-31, for a map',
  ],
  ['deforestation_check_eudr.csv', 'deforestation_check_eudr', 'text/csv', 'the same as a table'],
  ['deforestation_check.ndjson', 'deforestation_check', undefined, 'forest and losses since 2017, a plot a line'],
  ['biomass_emissions.ndjson', 'biomass_emissions', undefined, 'biomass by year and emissions, a plot a line'],
  ['biodiversity.ndjson', 'biodiversity', undefined, 'diversity of the canopy, a plot a line'],
  [
    'due_diligence.zip',
    'export_eudr_dds',
    undefined,
    'GeoJSON and draft statement for the EU system, and a PDF with maps',
  ],
] as const;

/** Fetches the five addresses of the event and the supply shed, and says what they show. */
export async function fetchAll(
  { client, folder, say }: Demo,
  id: string,
  urls: Readonly<Record<string, string>>,
): Promise<readonly DemoFile[]> {
  const files: DemoFile[] = [];
  for (const [name, key, accept, what] of FETCHED) {
    const bytes = await client.save(urls[key] ?? `/${key}`, join(folder, name), accept);
    files.push({ name, what: `${what} (${size(bytes)})` });
  }
  const eudr = `filename=${id}&monitoring_start=2020-12-31`;
  const shed = `/fetch_supply_shed?${eudr}&radius=${RADIUS_M}`;
  await client.save(shed, join(folder, 'supply_shed.geojson'), 'application/geo+json');
  files.push({ name: 'supply_shed.geojson', what: `the mill, with what lies within ${RADIUS_M / 1000} km of it` });
  const total = async (path: string): Promise<Json> =>
    (await client.call('GET', `${path}&aggregate=true`))['properties'] as Json;
  const words = demoWords({
    deforestation: await total(`/fetch_deforestation_check?${eudr}`),
    emissions: await total(`/fetch_biomass_emissions?filename=${id}`),
    biodiversity: await total(`/fetch_biodiversity?filename=${id}`),
    supplyShed: await total(shed),
  });
  say(['What they show:', ...words.map((line) => `  ${line}`)].join('\n'));
  return files;
}

async function within<T>(promise: Promise<T>, signal: AbortSignal): Promise<T | null> {
  const { promise: over, resolve } = Promise.withResolvers<null>();
  const ends = AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]);
  ends.addEventListener('abort', () => resolve(null), { once: true });
  return Promise.race([promise, over]);
}

function size(bytes: number): string {
  return bytes < 1_000_000 ? `${Math.ceil(bytes / 1_000)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

/** What the demo fetched, in totals. */
interface DemoTotals {
  readonly deforestation: Json;
  readonly emissions: Json;
  readonly biodiversity: Json;
  readonly supplyShed: Json;
}

/** What the files show, as sentences for a person. */
function demoWords({ deforestation, emissions, biodiversity, supplyShed }: DemoTotals): readonly string[] {
  const status = (deforestation['eudr_status_counts'] ?? {}) as Readonly<Record<string, number>>;
  const unknown = (totals: Json, name: string): string => {
    const count = ((totals['unknown'] ?? {}) as Readonly<Record<string, number>>)[name] ?? 0;
    return count === 0 ? '' : ` ${plots(count)} not known.`;
  };
  return [
    `${plots(status['deforestation_found'])} lost forest after 2020-12-31: ${amount(deforestation['noncompliance_area_ha'])} ha of the ${amount(deforestation['baseline_forest_ha'])} ha there were. ${plots(status['no_deforestation_found'])} did not.${toLookAt(status['more_information_needed'])} ${plots(status['unknown'])} not known, which is not the same as clear.`,
    `Their change of use gives off ${amount(emissions['luc_tco2eyear'])} t of CO2 a year, ${amount(emissions['luc_tco2ehayear'])} t a hectare.${unknown(emissions, 'luc_tco2eyear')}`,
    `Their canopy has a mean diversity of ${amount(biodiversity['diversity_score'])}.${unknown(biodiversity, 'diversity_score')}`,
    `Around the mill lie ${plots(supplyShed['plots'])} with ${amount(supplyShed['area_ha'])} ha; ${percent(supplyShed['noncompliance_share'])} of it was cleared of forest after 2020-12-31.`,
  ];
}

function toLookAt(count = 0): string {
  return count === 0 ? '' : ` ${plots(count)} to look at.`;
}

function plots(count: unknown = 0): string {
  return count === 1 ? '1 plot' : `${Number(count)} plots`;
}

function amount(value: unknown): string {
  return typeof value === 'number' ? value.toLocaleString('en', { maximumFractionDigits: 2 }) : 'an unknown amount of';
}

function percent(share: unknown): string {
  return typeof share === 'number' ? `${(share * 100).toFixed(0)} %` : 'an unknown part';
}
