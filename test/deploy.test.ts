import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { describe, it } from 'node:test';
import { parse, parseAllDocuments } from 'yaml';
import { COMMANDS } from '../src/cli/commands.ts';
import { SETTINGS } from '../src/config/settings.ts';
import { createMetrics } from '../src/http/routes/service/metrics.ts';
import { peerModule, peerSkip } from './end-to-end/peers.ts';
import { watchFields } from './unread-fields.ts';

type Json = { readonly [key: string]: Json } & readonly Json[] & string;

const DEPLOY = resolve(import.meta.dirname, '../deploy');
const MODELS = 'kubernetes-models 5.1.0';
/** The parts of the models that have the kinds of the manifests. */
const API_GROUPS = ['v1', 'apps/v1', 'batch/v1', 'networking.k8s.io/v1', 'policy/v1'];

interface Kind {
  new (manifest: Json): { validate(): void };
  readonly prototype: { readonly validate: (this: object) => void };
}
type Kinds = Readonly<Record<string, Kind>>;

async function openKinds(): Promise<Kinds> {
  const groups = await Promise.all(API_GROUPS.map((group) => peerModule(MODELS, `${group}/index.js`)));
  return Object.assign({}, ...groups) as Kinds;
}

const ENVIRONMENT = new Set<string>(Object.values(SETTINGS).map(({ env }) => env));
const GRACE_S = Number(SETTINGS.shutdownTimeoutS.fallback);

function text(name: string): string {
  return readFileSync(join(DEPLOY, name), 'utf8');
}

function manifests(): readonly Json[] {
  return globSync('kubernetes/*.yaml', { cwd: DEPLOY }).flatMap((file) =>
    parseAllDocuments(text(file)).map((document) => document.toJS() as Json),
  );
}

/** The pod of a manifest that has one. */
const pods = () =>
  manifests().flatMap(({ spec }) => (spec?.['template'] === undefined ? [] : [spec['template']['spec']]));

describe('the manifests for Kubernetes', () => {
  it('are valid by its schemas', { skip: peerSkip(MODELS) }, async () => {
    const kinds = await openKinds();
    assert.ok(manifests().length > 8);
    for (const manifest of manifests()) {
      const kind = kinds[manifest['kind']];
      assert.ok(kind !== undefined, manifest['kind']);
      assert.doesNotThrow(() => new kind(manifest).validate(), `${manifest['kind']} ${manifest['metadata']['name']}`);
    }
  });

  /** Fields of a manifest that the schema of its kind does not know. */
  function unknownFields(kinds: Kinds, manifest: Json): readonly string[] {
    const { watched, unread } = watchFields(manifest);
    kinds[manifest['kind']]!.prototype.validate.call(watched);
    return unread();
  }

  it('have no field that the schemas do not know', { skip: peerSkip(MODELS) }, async () => {
    const kinds = await openKinds();
    for (const manifest of manifests())
      assert.deepEqual(unknownFields(kinds, manifest), [], `${manifest['kind']} ${manifest['metadata']['name']}`);
  });

  it('would be refused with a misspelt field, wherever it is', { skip: peerSkip(MODELS) }, async () => {
    const kinds = await openKinds();
    const misspelt = (kind: string, change: (manifest: never) => unknown): readonly string[] => {
      const copy = structuredClone(manifests().find((manifest) => manifest['kind'] === kind)!);
      change(copy as never);
      return unknownFields(kinds, copy);
    };
    type Any = Record<string, never>;
    for (const [kind, path] of [
      ['Deployment', '.replica'],
      ['Deployment', '.spec.replica'],
      ['Deployment', '.spec.template.spec.terminationGracePeriod'],
      ['Deployment', '.spec.template.spec.containers[0].readinesProbe'],
      ['Deployment', '.spec.template.spec.containers[0].securityContext.readonlyRootFilesystem'],
      ['Job', '.spec.completion'],
      ['NetworkPolicy', '.spec.policyType'],
      ['PodDisruptionBudget', '.spec.minAvailabel'],
    ] as const) {
      const steps = path
        .slice(1)
        .split(/[.[\]]+/)
        .filter((step) => step !== '');
      const found = misspelt(kind, (manifest) => {
        const parent = steps.slice(0, -1).reduce((value: Any, step) => value[step]!, manifest);
        (parent as Record<string, unknown>)[steps.at(-1)!] = 'x';
      });
      assert.deepEqual(found, [path]);
    }
  });

  it('run as nobody in particular, on a read-only root, and end later than requests', () => {
    for (const pod of pods()) {
      assert.deepEqual([pod['securityContext']['runAsNonRoot'], pod['automountServiceAccountToken']], [true, false]);
      for (const { securityContext, resources } of pod['containers'] as unknown as readonly Json[]) {
        assert.equal(securityContext['readOnlyRootFilesystem'], true);
        assert.deepEqual(securityContext['capabilities'], { drop: ['ALL'] });
        assert.ok(resources['limits']['memory'] !== undefined);
      }
      if (pod['restartPolicy'] === undefined) assert.ok(Number(pod['terminationGracePeriodSeconds']) > GRACE_S);
    }
  });

  it('call commands and settings that there are, with a part for every completion', () => {
    const jobs = manifests().filter(({ kind }) => kind === 'Job');
    for (const { spec } of jobs) {
      const words = spec['template']['spec']['containers'][0]['args'] as unknown as readonly string[];
      assert.equal(words[words.indexOf('--part') + 1], `auto/${spec['completions']}`);
    }
    for (const pod of pods())
      for (const { args, env = [] } of pod['containers'] as unknown as readonly Json[]) {
        const words = args as readonly string[];
        assert.ok(
          COMMANDS.some(({ name }) => words.slice(0, name.split(' ').length).join(' ') === name),
          words.join(' '),
        );
        for (const { name } of env as unknown as readonly Json[]) assert.ok(ENVIRONMENT.has(name), name);
      }
  });
});

describe('the health check of the image', () => {
  const CONTAINERFILE = text('Containerfile').replaceAll('\\\n', '');
  const command = JSON.parse(/^HEALTHCHECK .*?CMD (\[.*\])$/m.exec(CONTAINERFILE)![1]!) as readonly string[];

  it('is kept wherever a build is described: images of OCI have none', () => {
    const builds = ['Containerfile', 'README.md', 'image/try-build.sh'].flatMap((file) =>
      [...text(file).matchAll(/\b(?:podman build|buildah (?:bud|build)) .*/g)].map(([line]) => line),
    );
    assert.equal(builds.length, 3);
    for (const line of builds) assert.match(line, / --format docker /);
  });

  it('is that of the service in the compose file, and workers, which do not listen, have none', () => {
    const { services } = parse(text('compose.yaml'), { merge: true }) as { services: Record<string, Json> };
    const { test: own, ...times } = services['service']!['healthcheck'] as Readonly<Record<string, unknown>>;
    const atPort = command.map((word) => word.replaceAll('${process.env.PORT}', '8080').replaceAll('`', "'"));
    assert.deepEqual(own, ['CMD', ...atPort]);
    for (const [name, value] of Object.entries(times))
      assert.ok(CONTAINERFILE.includes(`--${name.replace('_', '-')}=${String(value)} `), name);
    assert.deepEqual(services['worker']!['healthcheck'], { disable: true });
  });
});

describe('the compose file', () => {
  it('names settings that there are, and has no secret in it', () => {
    const { services } = parse(text('compose.yaml'), { merge: true }) as { services: Record<string, Json> };
    for (const name of ['service', 'worker']) {
      const { environment, read_only: isReadOnly, stop_grace_period: grace } = services[name]!;
      for (const setting of Object.keys(environment)) assert.ok(ENVIRONMENT.has(setting), setting);
      assert.equal(isReadOnly as unknown, true);
      assert.ok(Number.parseInt(grace, 10) > GRACE_S);
    }
    const { bucket } = services;
    const address = new URL(/:-(\S+)\}/.exec(services['service']!['environment']['OBJECT_STORE_URL'] as string)![1]!);
    assert.equal(address.hostname in services, true);
    assert.ok(String(bucket!['entrypoint']).includes(`/buckets${address.pathname} `), 'the bucket is made');
    const keys = ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_REGION'];
    assert.deepEqual(
      ['ROOT_ACCESS_KEY', 'ROOT_SECRET_KEY', 'VGW_REGION'].map((name) => bucket!['environment'][name]),
      keys.map((name) => services['service']!['environment'][name]),
    );
    assert.doesNotMatch(text('compose.yaml').replaceAll(/\$\{[^}]*\}/g, ''), /:[^/@\s]{3,}@/);
  });
});

/** Whether a program that is no part of the tests' own needs is installed. */
function isInstalled(program: string): boolean {
  try {
    execFileSync(program, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

describe('the array job for SLURM', () => {
  const run = (env: Readonly<Record<string, string>>) =>
    spawnSync('bash', [join(DEPLOY, 'slurm/build-store.sbatch')], {
      encoding: 'utf8',
      env: { PATH: process.env['PATH'] ?? '', FIRSTMILE: 'echo', PARTS: '4', DATASET: 'aef', ...env },
    });

  it('builds into a folder or a bucket, and refuses to build into neither', () => {
    const part = '--part auto/4 --workers 1';
    assert.equal(
      run({ OUT: '/shared/labels' }).stdout.trim(),
      `store build --dataset aef --out /shared/labels ${part}`,
    );
    assert.equal(
      run({ BUCKET: 'labels/aef', BBOX: '-64,-10,-60,-6' }).stdout.trim(),
      `store build --dataset aef --bbox=-64,-10,-60,-6 --bucket labels/aef ${part}`,
    );
    const neither = run({});
    assert.notEqual(neither.status, 0);
    assert.match(neither.stderr, /wanted OUT or BUCKET/);
  });
});

describe('the units for systemd', () => {
  it('are valid, where it is installed', (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'firstmile-units-'));
    t.after(() => rmSync(folder, { recursive: true }));
    const units = globSync('systemd/*.service', { cwd: DEPLOY });
    assert.equal(units.length, 2);
    for (const unit of units) {
      const grace = Number(/^TimeoutStopSec=(\d+)$/m.exec(text(unit))?.[1]);
      assert.ok(grace > GRACE_S);
      // The program is not installed where this runs.
      writeFileSync(
        join(folder, basename(unit)),
        text(unit).replace(/^ExecStart=\S+/m, `ExecStart=${process.execPath}`),
      );
    }
    if (!isInstalled('systemd-analyze')) return t.skip('there is no systemd-analyze');
    for (const unit of units)
      execFileSync('systemd-analyze', ['verify', join(folder, basename(unit))], {
        stdio: ['ignore', 'ignore', 'pipe'],
      });
  });
});

describe('the dashboard and the alerts', () => {
  it('name measurements of /metrics alone', async () => {
    const none = async () => ({});
    const metrics = createMetrics({
      countTasks: none,
      measureQueue: async () => ({ oldestWaitingS: 0, running: 0, limit: 1 }),
      countCollections: none,
      observeLookups: () => {},
      contracts: async () => [],
      webhooks: { onAttempt: () => {}, status: () => ({ sending: 0, fault: null }), count: async () => null } as never,
    });
    const known = new Set([...(await metrics.text()).matchAll(/^# TYPE (\w+) \w+$/gm)].map(([, name]) => name));
    const named = (source: string) =>
      [...source.matchAll(/\b(?:firstmile|process|nodejs)_\w+/g)].map(([name]) =>
        name.replace(/_(bucket|sum|count)$/, ''),
      );
    for (const file of ['monitoring/dashboard.json', 'monitoring/alerts.yaml']) {
      const names = named(text(file));
      assert.ok(names.length > 6, file);
      assert.deepEqual(
        names.filter((name) => !known.has(name)),
        [],
      );
    }
    // Each of ours that there is has its place on the dashboard, but for the times of contracts.
    const shown = new Set(named(text('monitoring/dashboard.json')));
    const missing = [...known].filter((name) => name?.startsWith('firstmile_') && !shown.has(name));
    assert.deepEqual(missing, ['firstmile_dataset_contract_held_timestamp_seconds']);
  });

  it('group by labels that the measurements have', () => {
    const sources = ['service', 'webhooks'].map((folder) =>
      readFileSync(resolve(import.meta.dirname, `../src/http/routes/${folder}/metrics.ts`), 'utf8'),
    );
    const labels = new Set(['le', 'instance', 'job', 'dataset']);
    for (const [, list] of sources.join('\n').matchAll(/labelNames(?: =|:) \[([^\]]*)\]/g))
      for (const [, name] of (list ?? '').matchAll(/'(\w+)'/g)) labels.add(name!);
    for (const file of ['monitoring/dashboard.json', 'monitoring/alerts.yaml'])
      for (const [, list] of text(file).matchAll(/\bby \(([^)]*)\)/g))
        for (const label of (list ?? '').split(/,\s*/)) assert.ok(labels.has(label), label);
  });

  it('are files that their readers open', () => {
    const board = JSON.parse(text('monitoring/dashboard.json')) as {
      panels: readonly { id: number; gridPos: object }[];
    };
    assert.equal(new Set(board.panels.map(({ id }) => id)).size, board.panels.length);
    const { groups } = parse(text('monitoring/alerts.yaml')) as { groups: readonly { rules: readonly Json[] }[] };
    for (const rule of groups.flatMap(({ rules }) => rules)) {
      assert.match(rule['alert'], /^Firstmile[A-Z]\w+$/);
      assert.match(rule['for'], /^\d+[mh]$/);
      assert.ok(['page', 'ticket'].includes(rule['labels']['severity']));
      assert.ok(rule['annotations']['summary'] && rule['annotations']['description']);
    }
  });

  it('are understood by Prometheus, and alert when they should, where its promtool is installed', (t) => {
    if (!isInstalled('promtool')) return t.skip('there is no promtool');
    const folder = mkdtempSync(join(tmpdir(), 'firstmile-rules-'));
    t.after(() => rmSync(folder, { recursive: true }));
    const expressions = [...text('monitoring/dashboard.json').matchAll(/"expr": ("(?:[^"\\]|\\.)*")/g)].map(
      ([, json]) => JSON.parse(json!).replaceAll('$__rate_interval', '5m') as string,
    );
    assert.ok(expressions.length > 15, String(expressions.length));
    const rules = expressions.map((expr, i) => ({ record: `shown:number_${i}`, expr }));
    writeFileSync(join(folder, 'dashboard.json'), JSON.stringify({ groups: [{ name: 'dashboard', rules }] }));
    const promtool = (...words: readonly string[]) =>
      execFileSync('promtool', words, { cwd: join(DEPLOY, 'monitoring'), encoding: 'utf8' });
    assert.match(promtool('check', 'rules', join(folder, 'dashboard.json')), /SUCCESS: \d+ rules found/);
    assert.match(promtool('check', 'rules', 'alerts.yaml'), /SUCCESS: \d+ rules found/);
    assert.match(promtool('test', 'rules', 'alerts.test.yaml'), /SUCCESS/);
  });
});
