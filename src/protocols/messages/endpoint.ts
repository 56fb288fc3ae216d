import { joinUrl, pathSegments } from '../url.ts'

/**
 * Upstream URL: the base is written as Anthropic's SDK wants it, without `/v1`. One that ends in
 * `/v1` all the same gets no second one.
 */
export function messagesUrl(base: string, path: string): string {
  const versioned = pathSegments(base).at(-1) === 'v1'
  return joinUrl(base, versioned ? path.replace(/^\/v1(?=\/)/, '') : path)
}

/** The key as Anthropic takes it. */
export function messagesKeyHeaders(key: string): Readonly<Record<string, string>> {
  return { 'x-api-key': key }
}
