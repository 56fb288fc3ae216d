import type { ShownModel } from './models.ts'

/** A path by which a model can be called. */
export interface Endpoint {
  readonly path: string
  /** The protocol in the words of its vendor. */
  readonly protocol: string
  /** Whether a channel speaks it; else answers are translated. */
  readonly isNative: boolean
}

const ways = {
  answers: [
    ['chat', 'OpenAI Chat Completions', () => '/v1/chat/completions'],
    ['responses', 'OpenAI Responses', () => '/v1/responses'],
    ['messages', 'Anthropic Messages', () => '/v1/messages'],
    ['gemini', 'Google Gemini', (id: string) => `/v1beta/models/${id}:generateContent`],
  ],
  embeddings: [
    ['chat', 'OpenAI Embeddings', () => '/v1/embeddings'],
    ['gemini', 'Google Gemini', (id: string) => `/v1beta/models/${id}:embedContent`],
  ],
  images: [
    ['chat', 'OpenAI Images', () => '/v1/images/generations'],
    ['chat', 'OpenAI Images', () => '/v1/images/edits'],
    ['gemini', 'Google Gemini', (id: string) => `/v1beta/models/${id}:generateContent`],
  ],
} as const

/** The paths that work for a model: text and embeddings are translated between protocols, images are not. */
export function endpointsOf({ name, kind, sales }: ShownModel): readonly Endpoint[] {
  const spoken = new Set(
    sales.flatMap(({ offer }) =>
      offer.candidates.flatMap(({ channel }) => Object.keys(channel.speaks)),
    ),
  )
  const id = name.split('/').map(encodeURIComponent).join('/')
  const own = ways[kind].map(([protocol, title, path]) => ({
    ...{ path: path(id), protocol: title },
    isNative: spoken.has(protocol),
  }))
  const canTranslate =
    kind === 'answers' || (kind === 'embeddings' && own.some((one) => one.isNative))
  return own.filter(({ isNative }) => isNative || canTranslate)
}
