import type { Candidate, Offer } from '../../catalog/catalog.ts'
import { once } from '../../lib/once.ts'
import { chat, textChat } from '../../protocols/chat/index.ts'
import { protocols } from '../../protocols/index.ts'
import type { Framing, Operation, Protocol, ProtocolName } from '../../protocols/protocol.ts'
import { GatewayError } from '../errors.ts'
import type { Translation } from '../translate/translation.ts'
import type { Passed } from './gate.ts'
import { offeredKind, wrongWay } from './plan.ts'

/** The protocol an upstream is called in, and the request's translation into it. */
export interface Route {
  readonly protocol: Protocol
  readonly operation: Operation
  readonly framing: Framing
  /** Undefined: client and channel speak the same protocol, and bytes pass untouched. */
  readonly translation: Translation | undefined
  readonly passed?: Passed
}

export interface Option extends Candidate {
  readonly isNative: boolean
  /** Found once; throws the 400 of what can't be expressed. */
  readonly route: () => Route
}

export interface CallForm {
  readonly protocol: Protocol
  readonly operation: Operation
  readonly framing: Framing
}

export type Translate = (candidate: Candidate, upstream: Protocol) => Translation

/** What passes natively to a channel besides text; throws its refusal. */
type Pass = (candidate: Candidate) => Passed

/** The order in which a foreign channel's protocols are tried: what carries most comes first. */
const byFidelity: readonly Protocol[] = Object.values(protocols).sort(
  (a, b) => a.fidelity - b.fidelity,
)

/** The nearest protocols to the legacy completions form. */
const legacyOrder: readonly Protocol[] = [chat, ...byFidelity.filter((one) => one !== chat)]

const orderFor = ({ operation }: Pick<CallForm, 'operation'>) =>
  isLegacy(operation) ? legacyOrder : byFidelity

export type ClientName = ProtocolName | 'legacy'

export const clientName = (protocol: Protocol): ClientName =>
  protocol === textChat ? 'legacy' : protocol.name

export const clientOf = (name: ClientName): Protocol =>
  name === 'legacy' ? textChat : protocolOf(name)

export const protocolOf = (name: ProtocolName): Protocol => protocols[name]

export function operationOf({ protocol, name }: Pick<Operation, 'protocol' | 'name'>): Operation {
  const found = Object.values(protocolOf(protocol).operations).find((one) => one.name === name)
  if (found === undefined) throw new Error(`There is no operation ${name} in ${protocol}.`)
  return found
}

/** The protocols in which the foreign channels of an offer can be called. */
export function foreignWays(
  { candidates }: Offer,
  asked: CallForm,
): readonly (readonly [Candidate, Protocol])[] {
  if (asked.operation !== asked.protocol.generation) return []
  return candidates
    .filter(({ channel }) => !isNative(asked, channel))
    .flatMap((candidate) =>
      orderFor(asked)
        .filter(({ name }) => name in candidate.channel.speaks)
        .map((spoken) => [candidate, spoken] as const),
    )
}

/** The protocol in which a channel that speaks these is called. */
export function preferred(spoken: readonly string[], client: Protocol): Protocol {
  if (spoken.includes(client.name)) return client
  return byFidelity.find(({ name }) => spoken.includes(name)) ?? client
}

/** The operation for a channel of another protocol; undefined: it has none. */
function foreignOperation(
  { protocol, operation }: Pick<CallForm, 'protocol' | 'operation'>,
  upstream: Protocol,
): Operation | undefined {
  if (operation === protocol.generation) return upstream.generation
  return isEmbedding(operation) ? upstream.embedding?.operation : undefined
}

const isLegacy = (operation: Operation) => operation === chat.operations.textCompletions

/** Whether a channel gets the client's bytes. Some channels lack chat's legacy form. */
const isNative = ({ protocol, operation }: CallForm, { speaks, quirks }: Candidate['channel']) =>
  protocol.name in speaks && (!isLegacy(operation) || quirks.includes('text_completions'))

export const isEmbedding = ({ embeds }: Operation): boolean => embeds === true

const plain = new WeakMap<Offer, Map<Operation, readonly Option[]>>()

/** The cached options of an offer without foreign channels; else undefined. */
export function plainOptions(offer: Offer, asked: CallForm): readonly Option[] | undefined {
  if (asked.framing !== 'sse') return undefined
  const known = plain.get(offer)?.get(asked.operation)
  if (known !== undefined) return known
  if (!offer.candidates.every(({ channel }) => isNative(asked, channel))) return undefined
  const options = optionsOf(offer, asked, () => {
    throw new Error('A channel that speaks the protocol of its client needs no translation.')
  })
  const ofOffer = plain.get(offer) ?? new Map<Operation, readonly Option[]>()
  plain.set(offer, ofOffer.set(asked.operation, options))
  return options
}

/** The channels that may answer, natively or by translation. Throws the 502 or 400 of none. */
export function optionsOf(
  offer: Offer,
  asked: CallForm,
  translate: Translate,
  pass?: Pass,
): readonly Option[] {
  const { protocol, operation, framing } = asked
  if (operation === protocol.generation && !makesAnswers(offer, protocol)) {
    throw wrongWay(offer, operation)
  }
  const route: Route = { protocol, operation, framing, translation: undefined }
  const plainRoute = () => route
  const options: Option[] = []
  for (const { channel, upstreamModel } of offer.candidates) {
    if (!isNative(asked, channel)) continue
    const candidate = { channel, upstreamModel }
    const nativeRoute = pass ? once(() => ({ ...route, passed: pass(candidate) })) : plainRoute
    options.push({ channel, upstreamModel, isNative: true, route: nativeRoute })
  }
  const natives = options.length
  for (const candidate of natives < offer.candidates.length ? offer.candidates : []) {
    if (isNative(asked, candidate.channel)) continue
    const option = foreignOption(candidate, asked, translate)
    if (option) options.push(option)
  }
  if ((natives > 0 && pass === undefined) || operation === protocol.counting) return options
  if (options.length === 0) throw unreachable(offer, operation)
  // Translating a long prompt takes time: as few channels as possible are tried.
  if (!options.some(canExpress)) options[0]?.route()
  return options
}

/** Whether a model generates text. Image models do at some hosts, by the client's own protocol. */
function makesAnswers(offer: Offer, { name }: Protocol): boolean {
  const kind = offeredKind(offer)
  if (kind === 'answers') return true
  return kind === 'images' && offer.candidates.some(({ channel }) => name in channel.speaks)
}

/** A channel by the first of its protocols that can express the request; undefined: none can. */
function foreignOption(
  candidate: Candidate,
  asked: CallForm,
  translate: Translate,
): Option | undefined {
  const ways = orderFor(asked).flatMap((protocol) => {
    const operation = foreignOperation(asked, protocol)
    return operation && protocol.name in candidate.channel.speaks ? [{ protocol, operation }] : []
  })
  if (ways.length === 0) return undefined
  const route = once((): Route => {
    let refusal: GatewayError | undefined
    for (const { protocol, operation } of ways) {
      try {
        const translation = translate(candidate, protocol)
        return { protocol, operation, framing: 'sse', translation }
      } catch (error) {
        if (!(error instanceof GatewayError)) throw error
        refusal ??= error
      }
    }
    throw refusal
  })
  return { ...candidate, isNative: false, route }
}

export function canExpress({ route }: Option): boolean {
  try {
    route()
    return true
  } catch (error) {
    if (error instanceof GatewayError) return false
    throw error
  }
}

function unreachable(offer: Offer, operation: Operation): GatewayError {
  if (offer.candidates.some(({ channel }) => Object.keys(channel.speaks).length > 0)) {
    return wrongWay(offer, operation)
  }
  return new GatewayError(
    'no_channel',
    `No channel is fit to answer for the model "${offer.model}" at present.`,
  )
}
