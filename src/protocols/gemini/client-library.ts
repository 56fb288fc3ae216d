/**
 * The libraries that read a stream each in a way of their own: `sdk` Google's today (Python, JS, Go, Java;
 * Gemini CLI), `legacy-js` `@google/generative-ai`, and LangChain JS on top of it; `other` all others.
 */
export type ClientLibrary = 'sdk' | 'legacy-js' | 'other'

/** Which of them a client says that it is, in `x-goog-api-client`. */
export function clientLibrary(library: string): ClientLibrary {
  if (library.includes('google-genai-sdk/')) return 'sdk'
  return library.includes('genai-js/') ? 'legacy-js' : 'other'
}

/** Google's SDK for Python. */
export const isPython = (library: string): boolean => library.includes('gl-python/')

/** Google's SDKs for Go and JavaScript, with the latter Gemini CLI. */
export const isGoOrJs = (library: string): boolean => /gl-(?:go|node|web)\//.test(library)
