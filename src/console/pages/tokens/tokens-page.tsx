export function TokensPage() {
  return <div class="page" />;
}
