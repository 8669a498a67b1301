import type { Config } from '../../config/settings.ts';
import { embeddingDatasets } from '../../service/labels/embeddings.ts';
import { UsageError } from '../command.ts';

type Dataset = Awaited<ReturnType<typeof embeddingDatasets>>[number];

/** The embeddings that `--dataset` names; throws a `UsageError` that lists those there are. */
export async function embeddingsNamed(id: unknown, config: Config): Promise<Dataset> {
  const datasets = await embeddingDatasets(config);
  const found = datasets.find((dataset) => dataset.id === id);
  if (found !== undefined) return found;
  const names = datasets.map((dataset) => dataset.id).join(', ');
  throw new UsageError(
    `--dataset: wanted embeddings of the catalogue (${names || 'it has none'}), got ${id === undefined ? 'nothing' : `"${String(id)}"`}`,
  );
}
