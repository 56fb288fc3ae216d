import type { EmbeddingCodec, EmbeddingRequest } from '../canonical/codec.ts'
import { TranslationError } from '../canonical/error.ts'
import { embeddingFeatures, embeddingWay } from './embedding-features.ts'

/**
 * What of a request for embeddings is left out on its way to a vendor, as the client wrote it. Throws
 * `TranslationError` for what it can't do without, and in a strict request for anything left out.
 */
export function fitEmbedding(
  { others }: EmbeddingRequest,
  { operation: { protocol } }: EmbeddingCodec,
  isStrict: boolean,
): readonly string[] {
  const dropped: string[] = []
  for (const { feature, path } of others) {
    const way = embeddingWay(feature, protocol)
    const { title, note } = embeddingFeatures[feature] as { title: string; note?: string }
    if (way === 'refused')
      throw refused(
        path,
        `the model's vendor does not take this (${title}${note ? `: ${note}` : ''})`,
      )
    if (way !== 'dropped') continue
    if (isStrict) throw refused(path, 'would be left out, and the request is strict: leave it out')
    dropped.push(path)
  }
  return dropped
}

/** So large a body is translated at most; models take some 8,000 LLM tokens of each text. */
const mostBytes = 4 * 1_048_576

/** Throws where more is sent at once than the vendor takes. Nothing of the body need be parsed for it. */
export function checkSize(
  count: number,
  bytes: number,
  { operation, mostTexts }: EmbeddingCodec,
): void {
  const param = operation.protocol === 'chat' ? 'requests' : 'input'
  if (count > mostTexts)
    throw refused(
      param,
      `has ${count} texts, and at most ${mostTexts} are taken at once: send several requests`,
    )
  if (bytes > mostBytes)
    throw refused(param, 'is larger than 4 MiB, more than is taken at once: send several requests')
}

const refused = (param: string, why: string) =>
  new TranslationError({ code: 'unsupported_parameter', param, message: `${param}: ${why}.` })
