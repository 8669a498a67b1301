import { law } from '../../../service/law/law.ts';
import type { AnyReply, App } from '../../server/app.ts';
import { AnnexSchema, CountriesSchema, DayQuery, ScopeAnswerSchema, ScopeQuery } from './schemas.ts';

/** `GET /eudr/scope`, `/eudr/annex` and `/eudr/countries`; `clock` gives milliseconds since 1970. */
export function eudrRoutes(clock: () => number) {
  const today = (): string => new Date(clock()).toISOString().slice(0, 10);
  return (app: App): void => {
    app.get(
      '/eudr/scope',
      {
        config: { access: 'public' },
        schema: {
          operationId: 'getEudrScope',
          summary: 'Whether the EU deforestation regulation covers a product, and what it requires of whom',
          description:
            'By code of the Combined Nomenclature, country, day, role and size, from dated tables of Regulation (EU) 2023/1115 and its amendments: in scope or not, since when and until when, the tier of the country, from when obligations bind, and which duty, with the articles. What the law read leaves open is said so. No legal advice. See docs/law.md.',
          tags: ['law'],
          querystring: ScopeQuery,
          response: { 200: ScopeAnswerSchema },
        },
      },
      async ({ query }, reply) => {
        const { timber_regulation: timberRegulation, ...words } = query;
        return kept(reply).send(law.scope({ ...words, timberRegulation }, today()));
      },
    );
    app.get(
      '/eudr/annex',
      {
        config: { access: 'public' },
        schema: {
          operationId: 'getEudrAnnex',
          summary: 'Annex I of the EU deforestation regulation on a day',
          description: 'Every code in force with its commodity, "ex" mark, days, act, confidence and source.',
          tags: ['law'],
          querystring: DayQuery,
          response: { 200: AnnexSchema },
        },
      },
      async ({ query }, reply) => kept(reply).send(law.annex(query.date, today())),
    );
    app.get(
      '/eudr/countries',
      {
        config: { access: 'public' },
        schema: {
          operationId: 'getEudrCountries',
          summary: 'Country tiers of the EU deforestation regulation on a day',
          description:
            'Low, standard or high by Implementing Regulation (EU) 2025/1093, with what follows from each. Territories that the list does not name are not here.',
          tags: ['law'],
          querystring: DayQuery,
          response: { 200: CountriesSchema },
        },
      },
      async ({ query }, reply) => kept(reply).send(law.countries(query.date, today())),
    );
  };
}

function kept(reply: AnyReply): AnyReply {
  return reply.header('cache-control', 'public, max-age=60');
}
