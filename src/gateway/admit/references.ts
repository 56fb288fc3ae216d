import type { RequestBody } from '../body/body.ts'
import { type Conversation, hintInHeaders } from '../channels/conversation.ts'
import { GatewayError } from '../errors.ts'
import type { Exchange } from '../exchange.ts'
import type { AdmitParts } from './admit-parts.ts'
import type { Option } from './options.ts'
import type { Origins } from './origins.ts'
import { shortName } from './plan.ts'

/** Refuses references to answers that are foreign, unknown or not charged yet. */
export async function checkReferences(
  parts: AdmitParts,
  exchange: Exchange,
  options: readonly Option[],
  sharedLookup: Promise<void> | undefined,
): Promise<void> {
  const { origins, background } = parts
  const { caller, facts } = exchange
  if (caller === undefined) return
  await sharedLookup
  const accountId = caller.account.id
  const referred = facts?.continues ?? []
  const foreign = referred.find((id) => origins.isForeign(accountId, id))
  if (foreign !== undefined) throw notFound(exchange, foreign)
  const unknown = referred.find((id) => origins.of(accountId, id) === undefined)
  if (unknown !== undefined && (await areRefused(parts, options))) {
    throw notFound(exchange, unknown)
  }
  for (const id of referred) {
    if (origins.of(accountId, id)?.isPending) await background.requireEnd(accountId, id)
  }
}

async function areRefused(
  { answers, unknownAnswers }: AdmitParts,
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
function foreignItems({ isForeign }: Origins, { caller, facts }: Exchange): readonly string[] {
  if (caller === undefined) return []
  return facts?.wholeIds?.filter((id) => isForeign(caller.account.id, id)) ?? []
}

/** Throws the 404 of the first such item: the client may send it without its id. */
function refuseForeignItems(origins: Origins, exchange: Exchange): void {
  const [id] = foreignItems(origins, exchange)
  if (id === undefined) return
  throw new GatewayError(
    'previous_response_not_found',
    `"${shortName(id)}" is not known to this account. Leave out the id of an item that is sent whole.`,
    { param: 'input' },
  )
}

/** The conversation of a request; undefined: unknown. */
export function conversationIn(
  { request, model }: Exchange,
  body: RequestBody,
): Conversation | undefined {
  return body.conversation({ hint: hintInHeaders(request.headers), model })
}

/** Looks up continued answers in the store, and the sticky binding in Valkey; undefined: no wait. */
export function lookUpShared(
  { origins, refreshBinding }: AdmitParts,
  exchange: Exchange,
  body: RequestBody,
  options: readonly Option[],
): Promise<void> | undefined {
  const answers = lookUpAnswers(origins, exchange)
  const binding = lookUpBinding(refreshBinding, exchange, body, options)
  const both = answers && binding && Promise.all([answers, binding]).then(() => undefined)
  const sharedLookup = both ?? answers ?? binding
  sharedLookup?.catch(() => {}) // awaiting callers get the error; a request refused earlier does not await
  return sharedLookup
}

/** Ids of another account are looked up too: some upstreams give one id out twice. */
function lookUpAnswers(origins: Origins, exchange: Exchange): Promise<void> | undefined {
  const { caller, facts } = exchange
  if (caller === undefined) return undefined
  const foreign = foreignItems(origins, exchange)
  const sharedLookup = origins.look(caller.account.id, [...(facts?.continues ?? []), ...foreign])
  if (foreign.length === 0) return sharedLookup
  return Promise.resolve(sharedLookup).then(() => refuseForeignItems(origins, exchange))
}

function lookUpBinding(
  refreshBinding: AdmitParts['refreshBinding'],
  exchange: Exchange,
  body: RequestBody,
  options: readonly Option[],
): Promise<void> | undefined {
  const { caller } = exchange
  const isChoice = options.length > 1 || (options[0]?.channel.keys.length ?? 0) > 1
  if (refreshBinding === undefined || caller === undefined || !isChoice) return undefined
  const conversation = conversationIn(exchange, body)
  return conversation?.isBegun ? refreshBinding(caller.token.id, conversation.key) : undefined
}
