import type { Site } from './read-site.ts';

/** The pages as `/llms.txt` lists them for programs that read: with what each is about, as Markdown. */
export function llmsText({ groups }: Site): string {
  const sections = groups.map(({ title, items }) => {
    const lines = items.map(({ path, title: label, about }) => {
      const words = about === '' ? '' : `: ${about}`;
      return `- [${label}](/docs/${path}.md)${words}`;
    });
    return [`## ${title}`, '', ...lines].join('\n');
  });
  return `# Firstmile

> Rates how likely a place is a first-mile aggregation point of a commodity, finds forest patches and parcels, and evaluates plots for the EU deforestation regulation, with a receipt for every number. What nobody looked at is unknown, never absent.

The API is described at [/openapi.json](/openapi.json). Assistants connect to \`/mcp\`.

${sections.join('\n\n')}
`;
}
