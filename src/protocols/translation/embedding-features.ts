import type { ProtocolName } from '../protocol.ts'
import type { Feature, Way } from './features.ts'

/** Chat and gemini alone have embeddings. */
const row = (title: string, [chat, gemini]: readonly [Way, Way], note?: string): Feature => ({
  title,
  ways: { chat, gemini, responses: 'refused', messages: 'refused' },
  ...(note === undefined ? {} : { note }),
})

/**
 * What a request for embeddings may hold, and what becomes of it on channels of each protocol when the
 * client speaks another one. `fitEmbedding` acts by it, and `/docs/translation` shows it.
 */
export const embeddingFeatures = {
  text: row('Texts, one or up to 100', ['carried', 'carried']),
  tokens: row('Texts as numbers of LLM tokens', ['carried', 'refused'], 'every vendor has its own'),
  dimensions: row('Length of the vectors', ['carried', 'carried']),
  own_dimensions: row(
    'Lengths that differ within one request',
    ['refused', 'carried'],
    'ask for each length by itself',
  ),
  base64: row('Vectors as base64', ['carried', 'adapted'], 'written by the gateway'),
  media: row('Images, sound and files', ['refused', 'carried']),
  task_type: row('Task type', ['dropped', 'carried']),
  title: row('Title of a document', ['dropped', 'carried']),
  user_id: row('Id of the end user', ['carried', 'dropped']),
  unknown_field: row('Other fields', ['dropped', 'dropped']),
} as const satisfies Record<string, Feature>

export type EmbeddingFeature = keyof typeof embeddingFeatures

/** What becomes of it. */
export const embeddingWay = (feature: EmbeddingFeature, target: ProtocolName): Way =>
  embeddingFeatures[feature].ways[target]
