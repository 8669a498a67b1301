export function CollectionsPage() {
  return <div class="page" />;
}
