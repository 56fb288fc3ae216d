import { tierFactor, tierWords } from '../../billing/extras.ts'
import { withExtras } from '../../protocols/canonical/extras.ts'
import type { Observation } from '../../protocols/canonical/observation.ts'
import type { Usage } from '../../protocols/canonical/usage.ts'
import { isJsonObject } from '../../protocols/json.ts'
import { pathText, type RequestExtras, type TierAsk } from '../../protocols/request-extras.ts'
import type { VendorExtras } from '../../store/ports/extras.ts'
import type { Concluded } from '../exchange.ts'

const standard = 1_000_000

/** Usage with the answer's tier and tools, or else the requested ones. */
export function withAskedExtras(
  exchange: Concluded,
  seen: Observation,
  usage: Usage,
  vendorOf: (exchange: Concluded) => VendorExtras,
): Usage {
  const { observed } = seen
  const isUnreported = seen.usage === undefined && observed !== undefined
  const shown = isUnreported ? withExtras(usage, { ...silent, observed }) : usage
  const asked = exchange.facts?.extras
  if (asked === undefined) return shown
  const { extras } = shown
  const always = toolsAlways(exchange)
  const unseen = always.flatMap(({ tool }) => (tool && !extras?.tools?.[tool] ? tool : []))
  const words = tierWords(extras?.tier)
  const tiers = asked.tiers.filter((ask) => isDearer(ask, exchange, seen, vendorOf))
  const more = tiers.flatMap(({ tier }) => (words.includes(tier) ? [] : tier))
  if (unseen.length === 0 && more.length === 0) return shown
  const tools = { ...extras?.tools, ...Object.fromEntries(unseen.map((tool) => [tool, 1])) }
  const tier = [...words, ...more].join('+')
  return {
    ...shown,
    extras: {
      ...extras,
      ...(Object.keys(tools).length > 0 && { tools }),
      ...(tier !== '' && { tier }),
    },
  }
}

function toolsAlways({ facts, route }: Pick<Concluded, 'facts' | 'route'>) {
  const left = new Set(route?.translation?.dropped ?? route?.passed?.dropped)
  const asked = facts?.extras?.hostedTools ?? []
  const isForeign = route?.translation !== undefined
  return asked.filter(
    ({ isAlways, path }) =>
      isAlways && !left.has(pathText(path)) && (!isForeign || path[0] === 'model'),
  )
}

/** What the answer may be charged for although it does not report it; undefined: nothing. */
export function unreportedExtras(exchange: Concluded): UnreportedExtras | undefined {
  const tiers = exchange.facts?.extras?.tiers ?? []
  const hostedTools = toolsAlways(exchange)
  return tiers.length + hostedTools.length === 0 ? undefined : { tiers, hostedTools }
}

export type UnreportedExtras = Pick<RequestExtras, 'tiers' | 'hostedTools'>

const silent = { tier: undefined, tools: undefined, modalities: undefined }

function isDearer(
  { tier, path }: TierAsk,
  exchange: Concluded,
  seen: Observation,
  vendorOf: (exchange: Concluded) => VendorExtras,
): boolean {
  const { plan, route } = exchange
  if (plan === undefined || route?.translation?.dropped.includes(pathText(path))) return false
  if (reportsTier(seen, `${path[0]}`)) return false
  return tierFactor(plan.offer.price.terms, vendorOf(exchange), tier) > standard
}

/** Whether an answer reports its tier; `field`: its name in the request and in most reports. */
function reportsTier({ usageRaw, observed }: Observation, field: string): boolean {
  const isTier = /^service_?tier$/i.test(field)
  if (observed?.tier !== undefined && isTier) return true
  const reports: readonly unknown[] = Array.isArray(usageRaw) ? usageRaw : [usageRaw]
  const fields = isTier ? ['service_tier', 'serviceTier', 'trafficType'] : [field]
  return reports.some((report) => {
    return isJsonObject(report) && fields.some((name) => (report[name] ?? undefined) !== undefined)
  })
}
