import type { LanguageModel } from 'ai';

interface ModelSettings {
  readonly provider: 'openai-compatible' | 'anthropic' | 'google' | 'azure';
  /** Name of the model, or of the deployment at Azure. */
  readonly model: string;
  /** Null for a server that requires none. */
  readonly key: string | null;
  /** Null takes the address of the maker. */
  readonly url: string | null;
}

/** Opens a model of the provider; its package is loaded only then. */
export async function openModel({ provider, model, key, url }: ModelSettings): Promise<LanguageModel> {
  // The SDK would print remarks about settings a model ignores; standard output belongs to results.
  (globalThis as { AI_SDK_LOG_WARNINGS?: boolean }).AI_SDK_LOG_WARNINGS = false;
  const access = {
    ...(key === null ? {} : { apiKey: key }),
    ...(url === null ? {} : { baseURL: url }),
    fetch: boundedFetch,
  };
  switch (provider) {
    case 'anthropic':
      return (await import('@ai-sdk/anthropic')).createAnthropic(access)(model);
    case 'google':
      return (await import('@ai-sdk/google')).createGoogle(access)(model);
    case 'azure':
    case 'openai-compatible': {
      const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
      // Azure speaks the same protocol at another path, and takes the key in a header of its own.
      const server =
        provider === 'azure'
          ? { baseURL: `${url ?? ''}/v1`, headers: { 'api-key': key ?? '' }, queryParams: { 'api-version': 'v1' } }
          : { baseURL: url ?? '', ...(key === null ? {} : { apiKey: key }) };
      const options = { ...server, name: provider, supportsStructuredOutputs: true, fetch: boundedFetch };
      return createOpenAICompatible(options)(model);
    }
    default:
      return provider satisfies never;
  }
}

/** Longest reply that is read, in bytes. */
const MAX_BYTES = 1_048_576;

/** `fetch` that follows no redirect, so that a key stays with its host, and reads no reply without end. */
async function boundedFetch(input: string | URL | Request, init?: RequestInit): Promise<Response> {
  const { body, status, statusText, headers } = await fetch(input, { ...init, redirect: 'error' });
  let size = 0;
  const bounded = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      size += chunk.length;
      if (size > MAX_BYTES) controller.error(new Error(`wanted a reply of at most ${MAX_BYTES} bytes, got more`));
      else controller.enqueue(chunk);
    },
  });
  return new Response(body === null ? null : body.pipeThrough(bounded), { status, statusText, headers });
}
