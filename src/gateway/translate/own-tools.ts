import { hasPrice } from '../../billing/extras.ts'
import type { Candidate, Offer } from '../../catalog/catalog.ts'
import { runsSearch } from '../../catalog/runs-search.ts'
import { ownTools, vendorExtras } from '../../catalog/vendor-extras.ts'
import { isHostedTool } from '../../protocols/canonical/tools.ts'
import { protocols } from '../../protocols/index.ts'
import type { ProtocolName } from '../../protocols/protocol.ts'
import type { HostedToolAsk, RequestExtras } from '../../protocols/request-extras.ts'
import type { Plan } from '../admit/plan.ts'
import type { BodyFacts } from '../body/body.ts'

const nothing: RequestExtras = { hostedTools: [], tiers: [], outputs: [], models: [], routing: [] }

/** Facts with the tools that the model uses for each answer by itself. */
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
      ...{ tool, path: ['model'], isForced: true, isAlways: true, mentions: [] },
    }),
  )
  known.set(offer, asks)
  return asks
}

const tool = 'web_search'

/**
 * Whether a channel may run a translated request's web search: it can, the group allows it, it has
 * a price.
 */
export function maySearch(
  { group, offer }: Plan,
  { channel, upstreamModel }: Candidate,
  protocol: ProtocolName,
): boolean {
  const runs = protocols[protocol].searchesAlways
    ? ownTools(protocol, upstreamModel).includes(tool)
    : runsSearch(channel, protocol, upstreamModel)
  if (!runs || !(group.tools?.includes(tool) ?? true)) return false
  return hasPrice(offer.price.terms, vendorExtras(protocol, upstreamModel), { tool })
}
