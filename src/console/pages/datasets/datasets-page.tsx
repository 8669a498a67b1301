export function DatasetsPage() {
  return <div class="page" />;
}
