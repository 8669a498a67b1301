import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { describe, it } from 'node:test';
import { COMMANDS } from '../commands.ts';
import { runCommand } from '../run-command.ts';

describe('firstmile eudr', () => {
  it('answers in 80 columns', async () => {
    const calls = [
      'eudr scope --cn 1801 --country GH --role operator --size large --date 2026-12-30',
      'eudr scope --cn 9401 --country Taiwan --role mspo --size micro --date 2026-12-30',
      'eudr scope --cn 44 --country Congo --role first-trader --date 2026-09-17',
      'eudr scope --cn 1520 --date 2026-12-30',
      'eudr scope --cn 4403 --produced 2020-01-01 --date 2031-01-01',
      'eudr annex --date 2026-09-17',
      'eudr annex --date 2027-12-30',
      'eudr countries',
    ];
    for (const call of calls) {
      const { code, out } = await run(call);
      assert.equal(code, 0, call);
      const long = out.split('\n').filter((line) => line.length > 80);
      assert.deepEqual(long, [], call);
    }
  });

  it('says what decides, the tier and the duty', async () => {
    const { out } = await run('eudr scope --cn 4403 --country MM --role operator --size large --date 2026-12-30');
    assert.match(out, /^In scope {4}depends$/m);
    assert.match(out, /^Decides .*4403/m);
    assert.match(out, /^Country {5}Myanmar \(MM\): high risk$/m);
    assert.match(out, /^Binds from {2}2026-12-30$/m);
    assert.match(out, /^Duty {8}full statement$/m);
  });

  it('gives the JSON of the endpoint', async () => {
    const { out } = await run('eudr scope --cn 4101 --date 2026-09-18 --timber-regulation no --json');
    assert.deepEqual([JSON.parse(out).in_scope, JSON.parse(out).until], ['no', null]);
    const high = JSON.parse((await run('eudr countries --tier high --json')).out);
    assert.deepEqual(
      high.countries.map(({ code }: { code: string }) => code),
      ['BY', 'KP', 'MM', 'RU'],
    );
  });

  it('is called wrongly with what was wanted and what is near', async () => {
    const calls = [
      ['eudr scope', /--cn is missing/],
      ['eudr scope --cn 901', /did you mean 0901/],
      ['eudr scope --cn 1801 --size mikro', /Did you mean micro/],
      ['eudr scope --cn 1801 --timber-regulation maybe', /wanted yes or no/],
      ['eudr annex --date soon', /wanted a day of the calendar/],
      ['eudr countries --tier none', /wanted low, standard, high/],
    ] as const;
    for (const [call, message] of calls) {
      const { code, err } = await run(call);
      assert.equal(code, 2, call);
      assert.match(err, message);
    }
  });
});

async function run(call: string) {
  const texts = { out: '', err: '' };
  const sink = (name: 'out' | 'err') =>
    new Writable({
      write(chunk, _encoding, done) {
        texts[name] += String(chunk);
        done();
      },
    });
  const code = await runCommand(COMMANDS, call.split(' '), {
    out: sink('out'),
    err: sink('err'),
    signal: new AbortController().signal,
    readConfig: async () => (await import('../../config/settings.ts')).readConfig({}),
    version: '0',
  });
  return { code, ...texts };
}
