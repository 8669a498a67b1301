export function ForestPage() {
  return <div class="page" />;
}
