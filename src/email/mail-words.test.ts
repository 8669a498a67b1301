import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { LANGUAGE_CODES } from '../messages/languages.ts';
import { mailWords, type MailWords } from './mail-words.ts';
import { batchStoppedEmail, deliveriesPausedEmail, deliveryFailedEmail } from './notice-emails.ts';
import { reportEmail } from './report-email.ts';
import { watchEmail } from './watch-email.ts';

const at = new Date('2026-11-23T10:00:00Z');
const SERVICE = 'https://firstmile.example';
const FILE = { filename: 'due.zip', contentType: 'application/zip', blobId: 'b', size: 1, sha256: 'abc' };
const COMPARED = { verdict: 'more_information_needed', eudrStatus: 'unknown', lossM2: null, rules: ['annual-2'] };
const REASON = 'No dataset covers the plot.';

/** Every email that there is, each with all that it may say. */
const emails = (words: MailWords) => [
  deliveryFailedEmail(
    {
      deliveryId: 'd',
      eventId: 'e',
      eventType: 'test_event',
      url: 'none',
      reason: 'The receiver refused the request.',
      failedAt: at,
      serviceUrl: SERVICE,
    },
    words,
  ),
  deliveriesPausedEmail({ url: 'https://a.example/x', failures: 10, probeEveryMinutes: 15, serviceUrl: null }, words),
  ...(['failed', 'cancelled'] as const).map((status) =>
    batchStoppedEmail(
      {
        collectionId: 'c',
        collectionName: 'Lot 7',
        status,
        reason: 'The file has too many rows; wanted at most 10, got more.',
        processed: 3,
        endedAt: at,
        serviceUrl: SERVICE,
      },
      words,
    ),
  ),
  ...[1, 20_000_000].map((size) =>
    reportEmail(
      {
        collectionName: 'Lot 7',
        file: { ...FILE, size },
        fetchUrl: `${SERVICE}/export`,
        digest: {
          counts: {
            locations: 5,
            facilities: 1,
            exported: 3,
            leftOut: 1,
            areaHa: 12.5,
            overlapHa: 0.5,
            overlapsReason: 'Plots of different collections are not compared with each other.',
          },
          groups: [[words.word('group.open', 'Not settled'), 4]],
          open: {},
          synthetic: ['made-up', 'made-too'],
        },
      },
      words,
    ),
  ),
  ...(['changed', 'failed'] as const).map((outcome) =>
    watchEmail(
      {
        collectionId: 'c',
        collectionName: 'Lot 7',
        run: 2,
        outcome,
        reason: outcome === 'failed' ? 'The batch failed.' : null,
        datasets: [
          { dataset: 'map-a', before: null, after: '2' },
          { dataset: 'map-b', before: '1', after: null },
        ],
        counts: {
          plots: 90,
          changed: 60,
          worse: 50,
          better: 10,
          not_measured: 1,
          only_before: 2,
          only_after: 3,
          only_after_not_cleared: 1,
        },
        changes: Array.from({ length: 55 }, (_, i) => ({ plot: `p${i}`, before: COMPARED, after: COMPARED })),
        newPlots: [{ plot: 'n', after: { ...COMPARED, verdict: null, eudrStatus: 'deforestation_found', lossM2: 5 } }],
        unmeasured: [{ plot: 'u', reasons: [REASON] }],
        serviceUrl: SERVICE,
      },
      words,
    ),
  ),
];

describe('the words of emails', () => {
  for (const language of LANGUAGE_CODES.filter((code) => code !== 'en'))
    it(`are all in ${language}`, async () => {
      const words = await mailWords(language);
      for (const { subject, text, textWithoutAttachments } of emails(words))
        for (const one of [subject, text, textWithoutAttachments ?? ''])
          assert.doesNotMatch(one, /\{(?!"since)|undefined|\b(the|is|are|were|of|and|not|with|which|it)\b/i, one);
    });

  it('begin what stands after a label in one column', async () => {
    const [failed] = emails(await mailWords('de'));
    assert.match(failed!.text, /\nEreignis:   test_event e\nEmpfänger:  die registrierte Adresse\nFehler am:  2026/);
    assert.match(failed!.text, /\nGrund:      Der Empfänger lehnte die Anfrage ab\.\n/);
  });
});
