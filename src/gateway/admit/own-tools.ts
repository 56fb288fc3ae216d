import type { Offer } from '../../catalog/catalog.ts'
import { ownTools } from '../../catalog/vendor-extras.ts'
import { isHostedTool } from '../../protocols/canonical/tools.ts'
import type { HostedToolAsk, RequestExtras } from '../../protocols/request-extras.ts'
import type { BodyFacts } from '../body/body.ts'

const nothing: RequestExtras = { hostedTools: [], tiers: [], outputs: [], models: [], routing: [] }

/** Facts with the tools that the model runs by itself for each answer. */
export function withOwnTools(facts: BodyFacts, offer: Offer): BodyFacts {
  const own = asksOf(offer)
  if (own.length === 0) return facts
  const extras = facts.extras ?? nothing
  return { ...facts, extras: { ...extras, hostedTools: [...extras.hostedTools, ...own] } }
}

const known = new WeakMap<Offer, readonly HostedToolAsk[]>()

function asksOf(offer: Offer): readonly HostedToolAsk[] {
  const found = known.get(offer)
  if (found) return found
  const tools = offer.candidates.flatMap(({ channel, upstreamModel }) =>
    Object.keys(channel.speaks).flatMap((protocol) => ownTools(protocol, upstreamModel)),
  )
  const asks = [...new Set(tools)].filter(isHostedTool).map(
    (tool): HostedToolAsk => ({
      tool,
      path: ['model'],
      isForced: true,
      isAlways: true,
      mentions: [],
    }),
  )
  known.set(offer, asks)
  return asks
}
