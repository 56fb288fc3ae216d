import type { Catalog, Group, Offer } from '../../catalog/catalog.ts'
import { kindOf, type ModelKind } from '../../catalog/model-facts.ts'
import type { Operation } from '../../protocols/protocol.ts'
import { mayUse } from '../../store/ports/group-access.ts'
import { GatewayError } from '../errors.ts'
import type { Caller } from './authenticate.ts'

export interface Plan {
  readonly group: Group
  readonly offer: Offer
}

export function callerGroup(catalog: Catalog, caller: Caller): Group {
  const group = catalog.groups.get(caller.token.groupId)
  if (group?.enabled && mayUse(group.accounts, caller.account)) return group
  if (group?.enabled) {
    throw new GatewayError(
      'group_disabled',
      `The group of this key, "${group.name}", is not open to this account any more. Choose another group for the key in the console.`,
    )
  }
  throw new GatewayError(
    'group_disabled',
    `The group of this key${group ? `, "${group.name}",` : ''} is switched off.`,
  )
}

/** Model → group and offer. Throws 403 or 404. */
export function planRequest(catalog: Catalog, caller: Caller, model: string): Plan {
  if (caller.models.size > 0 && !caller.models.has(model)) {
    throw new GatewayError(
      'model_not_allowed',
      `This key may not use the model "${shortName(model)}".`,
      {
        param: 'model',
      },
    )
  }
  const group = callerGroup(catalog, caller)
  const offer = group.offers.get(model)
  if (offer === undefined) {
    throw new GatewayError(
      'model_not_found',
      `The group "${group.name}" has no model "${shortName(model)}". GET /v1/models lists the models here.`,
      { param: 'model' },
    )
  }
  return { group, offer }
}

/** Anthropic's name of a context larger than the usual one: `context-1m-2025-08-07`. */
const largerContext = /\bcontext-(\d{1,2})m\b/gi

/** A plan with the larger context that a request names in its headers or (`betas`) its body. */
export function withAskedContext(plan: Plan, headers: Headers, betas: readonly string[]): Plan {
  const header = headers.get('anthropic-beta')
  if (header === null && betas.length === 0) return plan
  const { group, offer } = plan
  const found = [header ?? '', ...betas].flatMap((text) => [...text.matchAll(largerContext)])
  const asked = 1_000_000 * Math.max(0, ...found.map(([, millions]) => Number(millions)))
  if (offer.contextWindow === null || offer.contextWindow >= asked) return plan
  return { group, offer: { ...offer, contextWindow: asked } }
}

/** A client's name, shortened for a message. */
export function shortName(name: string): string {
  return name.length > 200 ? `${name.slice(0, 200).toWellFormed()}…` : name
}

const endpoints: { readonly [kind in ModelKind]: Readonly<Record<string, string>> } = {
  answers: {
    chat: 'POST /v1/chat/completions',
    responses: 'POST /v1/responses',
    messages: 'POST /v1/messages',
    gemini: 'POST /v1beta/models/…:generateContent',
  },
  embeddings: { chat: 'POST /v1/embeddings', gemini: 'POST /v1beta/models/…:embedContent' },
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

const offered = new WeakMap<Offer, ModelKind>()

/** The 400 of a model that can't do the requested operation. */
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

function madeBy(operation: string): ModelKind {
  if (operation.includes('embed')) return 'embeddings'
  return operation.startsWith('images') ? 'images' : 'answers'
}
