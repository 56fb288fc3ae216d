import { hasPrice } from '../../billing/extras.ts'
import type { Candidate } from '../../catalog/catalog.ts'
import { runsSearch } from '../../catalog/runs-search.ts'
import { ownTools, vendorExtras } from '../../catalog/vendor-extras.ts'
import type { ProtocolName } from '../../protocols/protocol.ts'
import type { Plan } from '../admit/plan.ts'

const tool = 'web_search'

/**
 * Whether a request of another protocol may have its web search run by a channel: it is known to run
 * it (by chat only of models that search for each answer), the group allows it, and it has a price.
 */
export function maySearch(
  { group, offer }: Plan,
  { channel, upstreamModel }: Candidate,
  protocol: ProtocolName,
): boolean {
  const runs =
    protocol === 'chat'
      ? ownTools(protocol, upstreamModel).includes(tool)
      : runsSearch(channel, protocol, upstreamModel)
  if (!runs || !(group.tools?.includes(tool) ?? true)) return false
  return hasPrice(offer.price.terms, vendorExtras(protocol, upstreamModel), { tool })
}
