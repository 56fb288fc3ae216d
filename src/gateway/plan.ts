import type { Candidate, Catalog, Group, Offer } from '../catalog/catalog.ts'
import type { Protocol } from '../protocols/protocol.ts'
import type { Caller } from './authenticate.ts'
import { GatewayError } from './errors.ts'
import { shortName } from './short-name.ts'

/** What a request may use: its group's offer, and the channels that speak its protocol. */
export interface Plan {
  readonly group: Group
  readonly offer: Offer
  readonly candidates: readonly Candidate[]
}

/** The group of a caller; throws the 403 of a group that is switched off. */
export function callerGroup(catalog: Catalog, caller: Caller): Group {
  const group = catalog.groups.get(caller.token.groupId)
  if (group?.enabled) return group
  throw new GatewayError(
    'group_disabled',
    `The group of this key${group ? `, "${group.name}",` : ''} is switched off.`,
  )
}

/** Model → offer and channels. Throws 403, 404, 400 or 502 in CONTRACT 1.3's order. */
export function planRequest(
  catalog: Catalog,
  caller: Caller,
  model: string,
  protocol: Protocol,
): Plan {
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
  const candidates = offer.candidates.filter(({ channel }) => protocol.name in channel.speaks)
  if (candidates.length === 0) throw unreachable(offer, protocol)
  return { group, offer, candidates }
}

function unreachable(offer: Offer, protocol: Protocol): GatewayError {
  const spoken = new Set(offer.candidates.flatMap(({ channel }) => Object.keys(channel.speaks)))
  if (spoken.size === 0) {
    return new GatewayError(
      'no_channel',
      `No channel is fit to answer for the model "${offer.model}" at present.`,
    )
  }
  const ways = [...spoken].map((name) => `${name} (${endpointOf[name] ?? name})`).join(' or ')
  return new GatewayError(
    'unsupported_parameter',
    `The model "${offer.model}" does not speak the protocol ${protocol.name}. Ask for it by ${ways}.`,
    { param: 'model' },
  )
}

const endpointOf: Readonly<Record<string, string>> = {
  chat: 'POST /v1/chat/completions',
  responses: 'POST /v1/responses',
  messages: 'POST /v1/messages',
  gemini: 'POST /v1beta/models/…:generateContent',
}

/**
 * The order in which channels are asked: by priority, and within one priority at random by
 * weight. `random` gives numbers in [0, 1).
 */
export function orderCandidates(
  candidates: readonly Candidate[],
  random: () => number,
): readonly Candidate[] {
  if (candidates.length < 2) return candidates
  // A weighted shuffle: the smallest of exponential draws with rate `weight` comes first.
  const drawn = candidates.map((candidate) => ({
    candidate,
    draw: -Math.log(1 - random()) / Math.max(candidate.channel.weight, Number.EPSILON),
  }))
  drawn.sort(
    (a, b) => a.candidate.channel.priority - b.candidate.channel.priority || a.draw - b.draw,
  )
  return drawn.map(({ candidate }) => candidate)
}
