import { Type } from 'typebox';
import { CountriesSchema, DayQuery, ScopeAnswerSchema, ScopeQuery } from '../../routes/law/schemas.ts';
import { ValidatedCollection } from '../../routes/locations/schemas.ts';
import { SplitCollection } from '../../routes/plots/split-schemas.ts';
import { tool, type Tool } from '../tool.ts';
import { featureFile, Features, readFeatures } from './places.ts';

/** Plots whose verdict takes a batch are among the tools of collections. */
export const PLOT_TOOLS: readonly Tool[] = [
  tool({
    name: 'check_plots',
    title: 'Check the geometry of plots',
    description:
      'Holds plots to the rules of the EU information system (geometry, decimals, area, overlaps within the call) and compares them with forest and losses, in one answer that keeps nothing. evaluate_plots gives the verdict.',
    input: Type.Object(
      {
        features: Features,
        commodity_type: Type.Optional(
          Type.String({ maxLength: 100, description: 'Commodity of plots that name none.' }),
        ),
        repair: Type.Optional(Type.Boolean({ default: false, description: 'Repair geometries that cannot be used.' })),
      },
      { additionalProperties: false },
    ),
    output: ValidatedCollection,
    hints: { openWorld: true },
    run: ({ features, ...options }, calls) =>
      readFeatures(
        calls,
        '/validate_locations',
        { ...options, location_type: 'plot', geocode: false, file: featureFile(features) },
        features.length,
      ),
  }),
  tool({
    name: 'split_plots',
    title: 'Is this one plot?',
    description:
      'Whether plots are clearly two things by satellite embeddings, with the kinds of ground inside and a proposed split. What could not be looked at is unknown, with the reason.',
    input: Type.Object({ features: Features }, { additionalProperties: false }),
    output: SplitCollection,
    hints: { openWorld: true },
    run: ({ features }, calls) => calls.json({ method: 'POST', path: '/plots/split', body: { features } }),
  }),
  tool({
    name: 'get_eudr_scope',
    title: 'Scope of the EU deforestation regulation',
    description:
      'Whether Regulation (EU) 2023/1115 covers a product by its code of the Combined Nomenclature, since when, the tier of the country and the duty of a role, from dated tables with articles. What the law leaves open is said so. No legal advice.',
    input: ScopeQuery,
    output: ScopeAnswerSchema,
    hints: {},
    run: (query, calls) => calls.json({ path: '/eudr/scope', query }),
  }),
  tool({
    name: 'list_eudr_countries',
    title: 'Country tiers of the regulation',
    description: 'The countries that are low or high on a day, and what follows from each tier.',
    input: DayQuery,
    output: CountriesSchema,
    hints: {},
    run: (query, calls) => calls.json({ path: '/eudr/countries', query }),
  }),
];
