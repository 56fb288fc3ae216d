import type { Candidate } from '../../catalog/catalog.ts'
import { readVectors } from '../../protocols/canonical/codec.ts'
import type { Protocol } from '../../protocols/protocol.ts'
import { checkSize, fitEmbedding } from '../../protocols/translation/fit.ts'
import type { RequestBody } from '../body/body.ts'
import { asRefusal, type Translation } from './translation.ts'

/** A request for embeddings on its way to a channel of another protocol. */
export interface EmbeddingTask {
  readonly client: Protocol
  readonly body: RequestBody
  /** As the client named it. */
  readonly model: string
  readonly isStrict: boolean
}

/**
 * Translates a request for embeddings, and its answer back; throws the 400 of what can't be expressed.
 * Both protocols have embeddings.
 */
export function translateEmbedding(
  { client, body, model, isStrict }: EmbeddingTask,
  { upstreamModel }: Candidate,
  upstream: Protocol,
): Translation {
  const [from, to] = [client.embedding, upstream.embedding]
  if (from === undefined || to === undefined) throw new Error('There are no embeddings.')
  const { request, dropped } = asRefusal(() => {
    // Before the whole body is parsed: what is too much may be very much.
    checkSize(body.facts.calls, body.bytes.byteLength, to)
    const read = from.decodeRequest(body.value(), model)
    return { request: read, dropped: fitEmbedding(read, to, isStrict) }
  })
  return {
    dropped,
    hiddenWork: () => 'none',
    encode: async () => asJson(to.encodeRequest(request, upstreamModel)),
    body(answer, facts) {
      const vectors = readVectors(to.decodeVectors(answer), request.texts.length)
      if (vectors === undefined) return notVectors
      const observer = to.operation.createObserver()
      observer.pushBody(answer)
      const inputTokens = observer.seen.usage?.inputTokens ?? facts.inputTokens
      return asJson(from.encodeAnswer(vectors, request, { model: facts.model, inputTokens }))
    },
    stream: () => {
      throw new Error('Embeddings are not streamed.')
    },
    refusal: (refused) => upstream.codec.decodeError(refused),
  }
}

const notVectors = { message: 'The upstream has not answered with one vector for each text.' }

const asJson = (value: object): Uint8Array => new TextEncoder().encode(JSON.stringify(value))
