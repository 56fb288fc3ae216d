import { joinUrl } from '../url.ts'

/** Upstream URL: the base is written as OpenAI's SDK wants it, with its `/v1`. */
export const chatUrl = joinUrl

/** The key as OpenAI and all who speak its protocols take it. */
export function bearerHeaders(key: string): Readonly<Record<string, string>> {
  return { authorization: `Bearer ${key}` }
}
