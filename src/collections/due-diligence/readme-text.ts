import { NOT_SUBMITTED } from './statement-text.ts';
import type { FilingChoices } from './filing-choices.ts';
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
${filingText(period.filing)}

${NOT_SUBMITTED}

Files
  *.geojson       Plots that pass the rules of the EU information system: one file a collection,
                  more where one statement may not hold them all. 6 decimals, no holes.
                  firstmile_id is the id of your file, firstmile_number the place in it, from 0.
${draftText(period.filing)}
                  "missing" names every field that you have to fill in.
  checks.json     What every plot met of the rules, with the official error numbers; plots that
                  are not fit to be submitted are here and not in the GeoJSON.
  left-out.csv    The plots that are in no GeoJSON file, each with its reasons.
  findings.csv    All findings as a table.
  plots.csv       Every location with what was measured, and the columns of your file (source.).
  audit.pdf       The audit trail, with a map of each plot.
  SHA256SUMS      Checksums: sha256sum -c SHA256SUMS
`;
}

function filingText(filing: FilingChoices | undefined): string {
  const said = [
    ...(filing?.role == null ? [] : [`role ${filing.role}`]),
    ...(filing?.activity == null ? [] : [`activity ${filing.activity}`]),
    ...(filing?.codes ?? []).map(({ digits }) => `code ${digits}`),
  ];
  const given = said.length === 0 ? 'nothing' : said.join(', ');
  return `Said of the filing: ${given}. The law of the day is in checks.json under "law".`;
}

function draftText(filing: FilingChoices | undefined): string {
  return filing?.kind === 'simplified_declaration'
    ? `  sd.json         A draft of a simplified declaration in the shape of the V3 service, for the plots of
                  the first GeoJSON file and those that an address or identifier stands for;
                  sd-2.json and so on for the others. The GeoJSON is evidence, not part of it.`
    : `  dds.json        A draft statement in the shape of the V3 service, with the plots of the first
                  GeoJSON file in base64 by producer; dds-2.json and so on for the others.`;
}

function excludedText({ exclude = [] }: ExportOptions['period']): string {
  return exclude.length === 0
    ? ''
    : `\nLeft out on request: plots whose verdict is ${exclude.join(' or ')}; see left-out.csv.`;
}
