import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { TYPE, type MessageFormatElement } from '@formatjs/icu-messageformat-parser';
import { BATCH_WARNINGS } from '../../src/collections/batch-warnings.ts';
import { SENTENCES } from '../../src/facilities/evidence/sentences.ts';
import { SUBJECTS } from '../../src/facilities/evidence/unknown.ts';
import { WARNINGS } from '../../src/facilities/evidence/warnings.ts';
import { COMMODITY_RULES } from '../../src/facilities/commodity/commodities.ts';
import { LOCATION_WARNINGS } from '../../src/locations/warnings.ts';
import { INDICATORS } from '../../src/plots/indicators.ts';
import { reasonSentences } from '../../src/collections/collection-confidence.ts';
import { GROUP_WORDS } from '../../src/collections/plot-group.ts';
import { MAIL_TEXTS } from '../../src/email/mail-words.ts';
import { plotReasons } from '../../src/collections/location-confidence.ts';
import { PROBLEM_TITLES } from '../../src/http/problems/send-problem.ts';
import { FILING_CODES } from '../../src/traces/faults/filing-codes.ts';
import { FILING_ISSUES } from '../../src/traces/rules/filing-issues.ts';
import { SIGNATURE_MISTAKES } from '../../src/webhooks/signature-mistakes.ts';
import { FAILURE_REASONS } from '../../src/webhooks/delivery.ts';
import { codesOf } from '../../src/messages/recognised/codes-of.ts';
import { catalogueOf } from '../../src/messages/catalogue.ts';
import { parseTemplate } from '../../src/messages/format-message.ts';

/** The tables from which the service speaks English, by the beginning of their codes in the other languages. */
const TABLES: readonly (readonly [prefix: string, table: Readonly<Record<string, string>>])[] = [
  ['', SENTENCES],
  ['warning.', messagesOf(WARNINGS)],
  ['row.', messagesOf(LOCATION_WARNINGS)],
  ['warning.', messagesOf(BATCH_WARNINGS)],
  ['webhook.', FAILURE_REASONS],
  ['problem.', PROBLEM_TITLES],
  ['mail.', MAIL_TEXTS],
  ['group.', GROUP_WORDS],
  ['filing_failure.', literal(FILING_CODES)],
  [
    'signature.',
    Object.fromEntries(
      Object.entries(SIGNATURE_MISTAKES).flatMap(([code, { detail, fix }]) => [
        [code, detail],
        [`${code}.fix`, fix],
      ]),
    ),
  ],
  ['filing.', literal(Object.fromEntries(Object.entries(FILING_ISSUES).map(([code, { advice }]) => [code, advice])))],
];

/** Words that stand in sentences and are made from lists. */
const WORDS = [
  ...Object.keys(COMMODITY_RULES).map((commodity) => `commodity.${commodity}`),
  ...Object.keys(SUBJECTS).flatMap((subject) => [`subject.${subject}`, `dataset.${subject}`]),
];

const INDICATOR_WORDS = INDICATORS.map((indicator) => `term.indicator.${indicator}`);
const FIXES = Object.keys(LOCATION_WARNINGS).map((code) => `row.${code}.fix`);

let catalogue: Awaited<ReturnType<typeof catalogueOf>>;
before(async () => {
  catalogue = await catalogueOf('es');
});

describe('the tables of sentences', () => {
  for (const [prefix, table] of TABLES) {
    const [first] = Object.keys(table);
    it(`have a translation for each code of the table that begins with ${first}, with the same blanks`, () => {
      const lacking = Object.entries(table).flatMap(([code, english]) => {
        const translated = catalogue[prefix + code];
        if (translated === undefined) return [`${prefix}${code} has none`];
        const [wanted, got] = [blanks(english), blanks(translated)];
        return got.every((name) => wanted.includes(name)) && wanted.every((name) => got.includes(name))
          ? []
          : [`${prefix}${code}: wanted ${wanted.join()}, got ${got.join()}`];
      });
      assert.deepEqual(lacking, []);
    });
  }

  it('have a translation for each word that stands in them', () => {
    assert.deepEqual(
      [...WORDS, ...INDICATOR_WORDS, ...FIXES].filter((word) => catalogue[word] === undefined),
      [],
    );
  });
});

describe('texts that are put together', () => {
  it('say why an event was not delivered, by its code', () => {
    for (const [reason, detail] of Object.entries(FAILURE_REASONS))
      assert.deepEqual(codesOf({ detail }), { messages: { detail: [{ code: `webhook.${reason}`, params: {} }] } });
  });

  it('say why a collection has its confidence, whatever its plots lack, of one and of many', () => {
    const status = ['fail', 'warn', 'unknown'] as const;
    const checks = status.map((one) => ({ check: `commodity_zone`, status: one }));
    const reasons = [
      ...plotReasons({ checks, geocoded: true }),
      ...Object.values(SUBJECTS).flatMap(({ words }) => [
        `facilities could not be checked for ${words}`,
        `facilities lost points for ${words}`,
      ]),
      'facilities have a geometry that cannot be used',
    ];
    for (const count of [1, 2]) {
      const sentences = reasonSentences(Object.fromEntries(reasons.map((reason) => [reason, count])));
      const codes = codesOf({ sentences }).messages?.['sentences'];
      assert.equal(codes?.length, reasons.length);
      assert.ok(
        (codes as readonly unknown[]).every((one) => one !== null),
        JSON.stringify(sentences),
      );
    }
  });
});

/** Sentences that have no blanks, whatever stands in braces. */
function literal(sentences: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(sentences).map(([code, text]) => [code, text.replaceAll(/\{\w+\}/g, "'$&'")]),
  );
}

function messagesOf(rows: Readonly<Record<string, { readonly message: string }>>): Record<string, string> {
  return Object.fromEntries(Object.entries(rows).map(([code, { message }]) => [code, message]));
}

function blanks(template: string): string[] {
  const names = new Set<string>();
  const walk = (elements: readonly MessageFormatElement[]): void => {
    for (const element of elements) {
      if (element.type === TYPE.argument) names.add(element.value);
      if (element.type !== TYPE.select && element.type !== TYPE.plural) continue;
      names.add(element.value);
      for (const { value } of Object.values(element.options)) walk(value);
    }
  };
  walk(parseTemplate(template));
  return [...names].sort();
}
