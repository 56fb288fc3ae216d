import type { AnswerStore } from '../../store/ports/answers.ts'
import type { Background } from '../background/background.ts'
import type { RequestBody } from '../body/body.ts'
import { type Conversation, hintInHeaders } from '../channels/conversation.ts'
import { GatewayError } from '../errors.ts'
import type { Exchange } from '../exchange.ts'
import type { Affinity } from './affinity.ts'
import type { Option } from './options.ts'
import { shortName } from './plan.ts'

/** What becomes of a request that refers to an answer unknown here. */
type UnknownAnswers = 'refuse_shared' | 'refuse' | 'pass'

export interface ReferenceParts {
  readonly affinity: Affinity
  readonly answers: Pick<AnswerStore, 'areShared'>
  readonly background: Pick<Background, 'requireEnd'>
  /** `refuse_shared`: refused where tokens of several accounts may use its channels. */
  readonly unknownAnswers: () => UnknownAnswers
}

/**
 * Refuses references to answers of other accounts, to unknown ones, and to ones not charged yet.
 */
export async function checkReferences(
  parts: ReferenceParts,
  exchange: Exchange,
  options: readonly Option[],
  looking: Promise<void> | undefined,
): Promise<void> {
  const { affinity, background } = parts
  const { caller, facts } = exchange
  if (caller === undefined) return
  await looking
  const accountId = caller.account.id
  const referred = facts?.continues ?? []
  const foreign = referred.find((id) => affinity.isForeign(accountId, id))
  if (foreign !== undefined) throw notFound(exchange, foreign)
  const unknown = referred.find((id) => affinity.originOf(accountId, id) === undefined)
  if (unknown !== undefined && (await areRefused(parts, options))) {
    throw notFound(exchange, unknown)
  }
  for (const id of referred) {
    if (affinity.originOf(accountId, id)?.isPending) await background.requireEnd(accountId, id)
  }
}

async function areRefused(
  { answers, unknownAnswers }: ReferenceParts,
  options: readonly Option[],
): Promise<boolean> {
  const rule = unknownAnswers()
  if (rule !== 'refuse_shared') return rule === 'refuse'
  return await answers.areShared(options.map(({ channel }) => channel.id))
}

/** The words by which a vendor's SDK knows that it must send the whole conversation again. */
function notFound({ protocol }: Exchange, id: string): GatewayError {
  const { unknownConversation } = protocol
  return new GatewayError(
    unknownConversation ?? 'previous_response_not_found',
    `"${shortName(id)}" is not known to this account. Send the whole conversation instead.`,
    unknownConversation ? {} : { param: 'previous_response_id' },
  )
}

/** Item ids known as another account's only: upstreams may put their own in place. */
function foreignItems({ isForeign }: Affinity, { caller, facts }: Exchange): readonly string[] {
  if (caller === undefined) return []
  return facts?.wholeIds?.filter((id) => isForeign(caller.account.id, id)) ?? []
}

/** Throws the 404 of the first such item: the client may send it without its id. */
function refuseForeignItems(affinity: Affinity, exchange: Exchange): void {
  const [id] = foreignItems(affinity, exchange)
  if (id === undefined) return
  throw new GatewayError(
    'previous_response_not_found',
    `"${shortName(id)}" is not known to this account. Leave out the id of an item that is sent whole.`,
    { param: 'input' },
  )
}

type FindHome = (tokenId: number, conversation: string) => Promise<void> | undefined

/** The conversation of a request; undefined: unknown. */
export function conversationIn(
  { request, model }: Exchange,
  body: RequestBody,
): Conversation | undefined {
  return body.conversation({ hint: hintInHeaders(request.headers), model })
}

export interface LookParts {
  readonly affinity: Affinity
  readonly findHome?: FindHome | undefined
}

/**
 * Asks other nodes, in one round trip, for the channels of continued answers and for the sticky
 * binding; undefined: nothing to wait for. Rejects with the 404 of another account's item.
 */
export function lookAround(
  { affinity, findHome }: LookParts,
  exchange: Exchange,
  body: RequestBody,
  options: readonly Option[],
): Promise<void> | undefined {
  const answers = lookForAnswers(affinity, exchange)
  const home = lookHome(findHome, exchange, body, options)
  const both = answers && home && Promise.all([answers, home]).then(() => undefined)
  const looking = both ?? answers ?? home
  looking?.catch(() => {}) // told to who waits for it; a request that is refused before does not
  return looking
}

/** Ids of another account are looked up too: some upstreams give one id out twice. */
function lookForAnswers(affinity: Affinity, exchange: Exchange): Promise<void> | undefined {
  const { caller, facts } = exchange
  if (caller === undefined) return undefined
  const foreign = foreignItems(affinity, exchange)
  const looking = affinity.look(caller.account.id, [...(facts?.continues ?? []), ...foreign])
  if (foreign.length === 0) return looking
  return Promise.resolve(looking).then(() => refuseForeignItems(affinity, exchange))
}

function lookHome(
  findHome: FindHome | undefined,
  exchange: Exchange,
  body: RequestBody,
  options: readonly Option[],
): Promise<void> | undefined {
  const { caller } = exchange
  const isChoice = options.length > 1 || (options[0]?.channel.keys.length ?? 0) > 1
  if (findHome === undefined || caller === undefined || !isChoice) return undefined
  const conversation = conversationIn(exchange, body)
  return conversation?.isBegun ? findHome(caller.token.id, conversation.key) : undefined
}
