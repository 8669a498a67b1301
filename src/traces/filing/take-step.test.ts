import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SAMPLE_DDS } from '../../../test/traces/sample-filings.ts';
import type { TracesClient } from '../client/open-client.ts';
import { TracesFailure } from '../faults/traces-failure.ts';
import type { StatementOverview } from '../messages/read-answers.ts';
import type { ClaimedFiling } from './filing-queue.ts';
import { FILING_TIMES, MAX_SENDS } from './filing-times.ts';
import { allowedActs, amendWindow } from './submission.ts';
import { takeStep } from './take-step.ts';

const MINUTE = 60_000;
const BEGUN = new Date('2026-12-30T12:00:00Z');

function claimed(change: Partial<ClaimedFiling> = {}, minutes = 0): ClaimedFiling {
  return {
    id: 'a',
    attempt: 1,
    userId: 'u',
    kind: 'dds',
    environment: 'acceptance',
    internalReference: 'FM-1',
    state: 'sending',
    change: null,
    uuid: null,
    handedOverAt: BEGUN,
    sends: 1,
    emptyAnswers: 0,
    failures: 0,
    createdAt: BEGUN,
    claimedAt: new Date(BEGUN.getTime() + minutes * MINUTE),
    ...change,
  };
}

const entry = (status: string): StatementOverview => ({
  uuid: 'u-1',
  internalReferenceNumber: 'FM-1',
  referenceNumber: status === 'AVAILABLE' ? '26BEA' : null,
  verificationNumber: status === 'AVAILABLE' ? 'ABCD1234' : null,
  status,
  rejectionReason: null,
  communication: null,
  date: null,
  version: null,
});

function step(filing: ClaimedFiling, found: readonly StatementOverview[] | TracesFailure, isHeld = true) {
  const calls: string[] = [];
  const answer = async () => {
    if (found instanceof TracesFailure) throw found;
    return found;
  };
  const client = {
    byInternalReference: answer,
    byUuid: answer,
    prepareSubmission: async () => ({ at: BEGUN, send: async () => (calls.push('submit'), 'u-1') }),
    withdraw: async () => (calls.push('withdraw'), 'WITHDRAWN'),
  } as unknown as TracesClient;
  const queue = { readContent: async () => SAMPLE_DDS, markHandedOver: async () => isHeld };
  const parts = { client, queue, times: FILING_TIMES.acceptance, signal: new AbortController().signal };
  return takeStep(filing, parts).then((update) => ({ update, calls }));
}

describe('a step of a submission', () => {
  it('sends what waits, and nothing once its lease is lost', async () => {
    const sent = await step(claimed({ state: 'waiting', handedOverAt: null }), []);
    assert.deepEqual([sent.update?.state, sent.update?.uuid, sent.calls], ['submitted', 'u-1', ['submit']]);
    const lost = await step(claimed({ state: 'waiting', handedOverAt: null }), [], false);
    assert.deepEqual([lost.update, lost.calls], [null, []]);
  });

  it('sends again only after two empty answers, the second over 30 minutes after it was handed over', async () => {
    for (const [minutes, emptyAnswers, state] of [
      [0, 0, 'unconfirmed'],
      [29, 5, 'unconfirmed'],
      [31, 0, 'unconfirmed'],
      [31, 1, 'waiting'],
    ] as const) {
      const { update, calls } = await step(claimed({ emptyAnswers }, minutes), []);
      assert.deepEqual([update?.state, calls], [state, []], `${minutes} minutes`);
    }
    const given = await step(claimed({ emptyAnswers: 1, sends: MAX_SENDS }, 31), []);
    assert.equal(given.update?.state, 'unconfirmed');
  });

  it('takes over what it finds, and never takes a failed query for an empty answer', async () => {
    assert.equal((await step(claimed(), [entry('SUBMITTED')])).update?.state, 'submitted');
    const available = (await step(claimed(), [entry('AVAILABLE')])).update;
    assert.deepEqual([available?.state, available?.referenceNumber, available?.nextMs], ['available', '26BEA', null]);
    const failed = new TracesFailure('busy', 'busy', { outcome: 'unknown' });
    const { update } = await step(claimed({ emptyAnswers: 5 }, 60), failed);
    assert.deepEqual([update?.state, update?.queried], ['unconfirmed', undefined]);
    assert.match(
      (await step(claimed(), [entry('SUBMITTED'), entry('SUBMITTED')])).update?.failure?.detail ?? '',
      /lists 2/,
    );
  });

  it('looks before it retracts a second time', async () => {
    const filed = claimed({ state: 'available', change: 'retract', uuid: 'u-1' }, 10);
    const done = await step(filed, [entry('WITHDRAWN')]);
    assert.deepEqual([done.update?.state, done.update?.change, done.calls], ['withdrawn', null, []]);
    const open = await step(filed, [entry('AVAILABLE')]);
    assert.deepEqual([open.update?.isSettled, open.calls], [true, []]);
    const early = await step({ ...filed, claimedAt: BEGUN }, [entry('AVAILABLE')]);
    assert.equal(early.update?.isSettled, undefined);
  });
});

describe('the window for changes', () => {
  it('lies between the last answer without a number and the first with one, and declarations have none', () => {
    const seen = {
      kind: 'dds',
      availableAt: new Date(BEGUN.getTime() + 60 * MINUTE),
      notYetAvailableAt: BEGUN,
      handedOverAt: null,
    } as const;
    const window = amendWindow(seen)!;
    assert.equal(window.surely.toISOString(), '2027-01-02T12:00:00.000Z');
    assert.equal(window.atMost.toISOString(), '2027-01-02T13:00:00.000Z');
    assert.equal(amendWindow({ ...seen, kind: 'sd' }), null);
    const filed = { ...seen, state: 'available', change: null, uuid: 'u-1' } as const;
    assert.deepEqual(allowedActs(filed, new Date('2027-01-02T12:59:00Z')), ['amend', 'retract']);
    assert.deepEqual(allowedActs(filed, new Date('2027-01-02T13:01:00Z')), []);
    assert.deepEqual(allowedActs({ ...filed, kind: 'sd' }, new Date('2030-01-01T00:00:00Z')), ['amend', 'retract']);
  });
});
