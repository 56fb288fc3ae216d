import type { RequestBody } from '../body/body.ts'
import { type Conversation, hintInHeaders } from '../channels/conversation.ts'
import type { Exchange } from '../exchange.ts'
import type { Affinity } from './affinity.ts'
import { foreignItems, refuseForeignItems } from './references.ts'

/** Looks where other nodes have a conversation at home; undefined: there is nothing to wait for. */
export type FindHome = (tokenId: number, conversation: string) => Promise<void> | undefined

/** The conversation that a request belongs to; undefined when nothing tells. */
export function conversationIn(
  { request, model }: Exchange,
  body: RequestBody,
): Conversation | undefined {
  return body.conversation({ hint: hintInHeaders(request.headers), model })
}

/** What is looked up before a request's channel is chosen. */
export interface LookParts {
  readonly affinity: Affinity
  /** Undefined: there are no other nodes. */
  readonly findHome?: FindHome | undefined
}

/**
 * Asks the other nodes for what decides which channel may answer: who made the answers that are
 * continued, and where the conversation is at home. All in one turn, which is one round trip;
 * undefined: there is nothing to wait for. Rejects with a 404 where an item that is sent whole has the id
 * of another account's.
 */
export function lookAround(
  { affinity, findHome }: LookParts,
  exchange: Exchange,
  body: RequestBody,
): Promise<void> | undefined {
  const answers = lookForAnswers(affinity, exchange)
  const home = lookHome(findHome, exchange, body)
  const both = answers && home && Promise.all([answers, home]).then(() => undefined)
  const looking = both ?? answers ?? home
  looking?.catch(() => {}) // told to who waits for it; a request that is refused before does not
  return looking
}

/**
 * Of ids that are known as another account's it is asked, too, whether they are this one's as well: some
 * upstreams give them out twice, and what is older was forgotten here.
 */
function lookForAnswers(affinity: Affinity, exchange: Exchange): Promise<void> | undefined {
  const { caller, facts } = exchange
  if (caller === undefined) return undefined
  const foreign = foreignItems(affinity, exchange)
  const looking = affinity.look(caller.account.id, [...(facts?.continues ?? []), ...foreign])
  if (foreign.length === 0) return looking
  return Promise.resolve(looking).then(() => refuseForeignItems(affinity, exchange))
}

/**
 * Asks where a request's conversation is at home, if it has one that goes on and there is anything to
 * choose. What is asked for in the same turn goes to the shared counters together with this.
 */
function lookHome(
  findHome: FindHome | undefined,
  exchange: Exchange,
  body: RequestBody,
): Promise<void> | undefined {
  const { options, caller } = exchange
  const isChoice = options.length > 1 || (options[0]?.channel.keys.length ?? 0) > 1
  if (findHome === undefined || caller === undefined || !isChoice) return undefined
  const conversation = conversationIn(exchange, body)
  return conversation?.isBegun ? findHome(caller.token.id, conversation.key) : undefined
}
