import { NOT_SUBMITTED } from './statement-text.ts';
import type { ExportOptions, ExportSource } from './export-types.ts';

/** What `README.txt` of an export says. */
export function readmeText(
  sources: readonly ExportSource[],
  { period }: ExportOptions,
  at: Date,
  version: string,
): string {
  const collections = sources.map(({ collection: { name, id } }) => `  ${name} (${id})`).join('\n');
  return `EUDR due diligence export
Made by Firstmile ${version} at ${at.toISOString()} of

${collections}

Monitoring period: after ${period.start}, up to ${period.end}.${excludedText(period)}

${NOT_SUBMITTED}

Files
  *.geojson       Plots that pass the rules of the EU information system: one file a collection,
                  more where one statement may not hold them all. 6 decimals, no holes.
                  firstmile_id is the id of your file, firstmile_number the place in it, from 0.
  dds.json        A draft statement in the shape of the V3 service, with the plots of the first
                  GeoJSON file in base64 by producer; dds-2.json and so on for the others.
                  "missing" names every field that you have to fill in.
  checks.json     What every plot met of the rules, with the official error numbers; plots that
                  are not fit to be submitted are here and not in the GeoJSON.
  left-out.csv    The plots that are in no GeoJSON file, each with its reasons.
  findings.csv    All findings as a table.
  plots.csv       Every location with what was measured.
  audit.pdf       The audit trail, with a map of each plot.
  SHA256SUMS      Checksums: sha256sum -c SHA256SUMS
`;
}

function excludedText({ exclude = [] }: ExportOptions['period']): string {
  return exclude.length === 0
    ? ''
    : `\nLeft out on request: plots whose verdict is ${exclude.join(' or ')}; see left-out.csv.`;
}
