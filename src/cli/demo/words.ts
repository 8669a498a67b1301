type Json = Readonly<Record<string, unknown>>;

/** What the demo fetched, in totals. */
interface DemoTotals {
  readonly deforestation: Json;
  readonly emissions: Json;
  readonly biodiversity: Json;
  readonly supplyShed: Json;
}

/** What the files show, as sentences for a person. */
export function demoWords({ deforestation, emissions, biodiversity, supplyShed }: DemoTotals): readonly string[] {
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
