export function WebhooksPage() {
  return <div class="page" />;
}
