import { mkdir, writeFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { UsageError, type Command, type CommandContext } from '../command.ts';
import { openDemoMailbox, type DemoMailbox } from './mailbox.ts';
import { startDemoService, type DemoService } from './service.ts';
import { type Demo, type DemoFile, fetchAll, keepEmail, keepWebhook, processPlots } from './steps.ts';
import { createServiceClient } from '../parts/service-client.ts';
import { untilStopped } from '../parts/until-stopped.ts';
import { listenForWebhooks, type ReceivedWebhook } from '../webhooks/listen-server.ts';

const HEADING = 'Everything in this demo is made up: no plot, mill or loss in it is real.';

export const demo: Command = {
  args: [],
  options: {
    output: { type: 'string', short: 'o', value: 'DIR', doc: 'Where the files go; default ./firstmile-demo.' },
    data: { type: 'string', value: 'DIR', doc: 'Data folder of the service; default one that is removed at the end.' },
    service: {
      type: 'string',
      value: 'URL',
      doc: 'A service that runs with WEBHOOK_ALLOW_LOCAL=on, instead of one of its own; no email is shown.',
    },
    token: { type: 'string', value: 'TOKEN', doc: 'A token of that service.' },
    keep: { type: 'boolean', doc: 'Leaves the service running until Ctrl-C and prints its token.' },
  },
  examples: ['npx firstmile demo', 'npx firstmile demo --keep --output ./tour'],
  async run(context) {
    const { options, err } = context;
    const text = (name: string): string | undefined => options[name] as string | undefined;
    const [service, token] = [text('service'), text('token')];
    if ((service === undefined) !== (token === undefined)) throw new UsageError('--service and --token go together');
    if (service !== undefined && text('data') !== undefined) throw new UsageError('--data is for a service of its own');
    const begun = performance.now();
    const folder = resolve(text('output') ?? 'firstmile-demo');
    await mkdir(folder, { recursive: true });
    err.write(`${HEADING}\n`);
    await using opened = new AsyncDisposableStack();
    const mailbox = service === undefined ? opened.use(await openDemoMailbox()) : null;
    if (service === undefined) err.write('A service starts; without its data at hand that takes some seconds.\n');
    err.write('\n');
    const running: DemoService = opened.use(
      service !== undefined && token !== undefined
        ? { url: service, token, dataDir: null, [Symbol.asyncDispose]: () => Promise.resolve() }
        : await startDemoService(context.config, {
            dataDir: text('data') ?? null,
            smtpUrl: mailbox!.url,
            logFile: join(folder, 'service.log'),
          }),
    );
    await show(context, running, mailbox, { folder, begun });
    return 0;
  },
};

async function show(
  { options, out, err, signal }: CommandContext,
  service: DemoService,
  mailbox: DemoMailbox | null,
  { folder, begun }: { readonly folder: string; readonly begun: number },
): Promise<void> {
  const say = (text: string): void => void err.write(`${seconds(begun)}  ${text.replaceAll('\n', '\n        ')}\n`);
  say(`A service is running at ${service.url}.`);
  const client = createServiceClient(service.url, service.token, signal);
  const demo: Demo = { client, folder, say, err, signal };
  await using opened = new AsyncDisposableStack();
  const { arrives } = await receiveWebhook(demo, opened);
  const { id, file } = await processPlots(demo);
  const { urls, file: event } = await keepWebhook(demo, arrives);
  const email = mailbox === null ? [] : [await keepEmail(demo, mailbox)];
  const files = [...(await fetchAll(demo, id, urls)), event, ...email, file];
  if (service.dataDir !== null) files.push({ name: 'service.log', what: 'the log of the service' });
  await writeFile(join(folder, 'README.txt'), `${HEADING}\n\n${listing(files)}`);
  say(`Done. The files are in ${folder}:`);
  out.write(`${listing(files, `${nearest(folder)}/`)}`);
  if (options['keep'] !== true) return;
  err.write(`\nThe service goes on at ${service.url} until Ctrl-C; its documentation is at ${service.url}/docs.\n`);
  err.write(`Token: ${service.token}\n`);
  await untilStopped(signal);
}

/** Registers a receiver on this machine; the registration is removed at the end. */
async function receiveWebhook(
  { client, say }: Demo,
  opened: AsyncDisposableStack,
): Promise<{ arrives: Promise<ReceivedWebhook> }> {
  const { promise: arrives, resolve: onWebhook } = Promise.withResolvers<ReceivedWebhook>();
  let secret: string | null = null;
  const receiver = await listenForWebhooks({
    port: 0,
    secret: () => secret,
    respond: (_times, verified) => ({ kind: 'status', status: verified ? 200 : 401, afterMs: 0 }),
    onWebhook: (webhook) => {
      if (webhook.type === 'batch_zonal_stats_complete') onWebhook(webhook);
    },
  });
  opened.defer(() => receiver.close());
  const { client_secret: given } = await client.call('POST', '/webhooks/register', { url: receiver.url });
  secret = String(given);
  opened.defer(() =>
    client.call('DELETE', '/webhooks/remove').then(
      () => {},
      () => {},
    ),
  );
  say(`A receiver of webhooks at ${receiver.url} is registered.`);
  return { arrives };
}

/** As short as it can be copied from here. */
function nearest(folder: string): string {
  const path = relative('', folder);
  return path.startsWith('..') ? folder : path;
}

function listing(files: readonly DemoFile[], prefix = ''): string {
  const width = Math.max(...files.map(({ name }) => name.length)) + prefix.length;
  return files.map(({ name, what }) => `${`${prefix}${name}`.padEnd(width)}  ${what}\n`).join('');
}

function seconds(begun: number): string {
  return `${((performance.now() - begun) / 1000).toFixed(1).padStart(4)} s`;
}
