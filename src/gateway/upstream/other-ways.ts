import type { Offer } from '../../catalog/catalog.ts'
import { kindOf, type ModelKind } from '../../catalog/model-kind.ts'
import type { Operation } from '../../protocols/protocol.ts'
import { shortName } from '../admit/plan.ts'
import { GatewayError } from '../errors.ts'

/** Where what models make is asked for, by the protocol that their channels speak. */
const endpoints: { readonly [kind in ModelKind]: Readonly<Record<string, string>> } = {
  answers: {
    chat: 'POST /v1/chat/completions',
    responses: 'POST /v1/responses',
    messages: 'POST /v1/messages',
    gemini: 'POST /v1beta/models/…:generateContent',
  },
  embeddings: {
    chat: 'POST /v1/embeddings',
    gemini: 'POST /v1beta/models/…:embedContent',
  },
  images: { chat: 'POST /v1/images/generations' },
}

const words: { readonly [kind in ModelKind]: string } = {
  answers: 'answers',
  embeddings: 'embeddings',
  images: 'images',
}

/** What all of an offer's models make, by their upstreams' names; answers, where they differ. */
export function offeredKind(offer: Offer): ModelKind {
  const known = offered.get(offer)
  if (known) return known
  const kinds = new Set(offer.candidates.map(({ upstreamModel }) => kindOf(upstreamModel)))
  const [only = 'answers'] = kinds
  const kind = kinds.size > 1 ? 'answers' : only
  offered.set(offer, kind)
  return kind
}

/** Offers live as long as their catalog. */
const offered = new WeakMap<Offer, ModelKind>()

/** The 400 of a model that is asked for what it does not make, or where none of its channels is asked. */
export function wrongWay(offer: Offer, { protocol, name }: Operation): GatewayError {
  const kind = offeredKind(offer)
  const spoken = new Set(offer.candidates.flatMap(({ channel }) => Object.keys(channel.speaks)))
  const ways = Object.entries(endpoints[kind]).flatMap(([one, endpoint]) =>
    spoken.has(one) ? [endpoint] : [],
  )
  const model = shortName(offer.model)
  const wanted = madeBy(name)
  const why =
    kind === wanted
      ? `The channels of the model "${model}" do not offer this in the protocol ${protocol}.`
      : `The model "${model}" makes ${words[kind]}, not ${words[wanted]}.`
  const wayOut =
    ways.length === 0
      ? `None of its channels offers ${words[kind]} here: ask for another model.`
      : `Ask for it by ${ways.join(' or ')}.`
  return new GatewayError('unsupported_parameter', `${why} ${wayOut}`, { param: 'model' })
}

/** What an operation asks for. */
function madeBy(operation: string): ModelKind {
  if (operation.includes('embed')) return 'embeddings'
  return operation.startsWith('images') ? 'images' : 'answers'
}
