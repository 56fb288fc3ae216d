/** Which header the key came in; a Gemini reader wants its own list shape. */
export interface Credential {
  readonly key: string
  readonly source: 'bearer' | 'x-api-key' | 'x-goog-api-key' | 'query'
}

const bearer = /^bearer[ \t]+(\S+)[ \t]*$/i

/**
 * The key that a request carries, or undefined. The first header with a usable form decides;
 * on `/v1beta` paths Gemini's header is looked at first (CONTRACT 1.1). `queryKey` is the value of
 * `?key=`, passed in only where the setting allows it.
 */
export function readCredential(
  headers: Headers,
  geminiFirst: boolean,
  queryKey?: string,
): Credential | undefined {
  const goog = headers.get('x-goog-api-key')?.trim()
  if (geminiFirst && goog) return { key: goog, source: 'x-goog-api-key' }
  const token = bearer.exec(headers.get('authorization') ?? '')?.[1]
  if (token) return { key: token, source: 'bearer' }
  const apiKey = headers.get('x-api-key')?.trim()
  if (apiKey) return { key: apiKey, source: 'x-api-key' }
  if (goog) return { key: goog, source: 'x-goog-api-key' }
  if (queryKey) return { key: queryKey, source: 'query' }
  return undefined
}
