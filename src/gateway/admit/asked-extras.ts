import { tierFactor, tierWords } from '../../billing/extras.ts'
import { withExtras } from '../../protocols/canonical/extras.ts'
import type { Observation } from '../../protocols/canonical/observation.ts'
import type { Usage } from '../../protocols/canonical/usage.ts'
import { isJsonObject } from '../../protocols/json.ts'
import { pathText, type RequestExtras, type TierAsk } from '../../protocols/request-extras.ts'
import type { VendorExtras } from '../../store/ports/extras.ts'
import type { Concluded } from '../exchange.ts'

const standard = 1_000_000

/**
 * Usage with what the answer itself shows where no report came; and, where the answer is silent about
 * it, with what the request asked for: a dearer tier, and the one use of a tool that each answer is.
 */
export function withAskedExtras(
  exchange: Pick<Concluded, 'facts' | 'plan' | 'route'>,
  seen: Observation,
  usage: Usage,
  vendor: () => VendorExtras,
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
  const tiers = asked.tiers.filter((ask) => isOwed(ask, exchange, seen, vendor))
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

/**
 * Tools that went upstream, and of which each answer is one use: by another protocol only those that the
 * model has by itself.
 */
function toolsAlways({ facts, route }: Pick<Concluded, 'facts' | 'route'>) {
  const left = new Set(route?.translation?.dropped ?? route?.passed?.dropped)
  const asked = facts?.extras?.hostedTools ?? []
  const isForeign = route?.translation !== undefined
  return asked.filter(
    ({ isAlways, path }) =>
      isAlways && !left.has(pathText(path)) && (!isForeign || path[0] === 'model'),
  )
}

/** What of a request its answer may be charged for, though it does not tell of it; undefined: nothing. */
export function untoldExtras(exchange: Concluded): UntoldExtras | undefined {
  const tiers = exchange.facts?.extras?.tiers ?? []
  const hostedTools = toolsAlways(exchange)
  return tiers.length + hostedTools.length === 0 ? undefined : { tiers, hostedTools }
}

export type UntoldExtras = Pick<RequestExtras, 'tiers' | 'hostedTools'>

const silent = { tier: undefined, tools: undefined, modalities: undefined }

/** The tier went upstream, costs more, and the answer does not say what became of it. */
function isOwed(
  { tier, path }: TierAsk,
  { plan, route }: Pick<Concluded, 'plan' | 'route'>,
  seen: Observation,
  vendor: () => VendorExtras,
): boolean {
  if (plan === undefined || route?.translation?.dropped.includes(pathText(path))) return false
  if (tellsTier(seen, `${path[0]}`)) return false
  return tierFactor(plan.offer.price.terms, vendor(), tier) > standard
}

/** Whether an answer says by which tier it was made; `field`: of the request, and of most reports. */
function tellsTier({ usageRaw, observed }: Observation, field: string): boolean {
  const isTier = /^service_?tier$/i.test(field)
  if (observed?.tier !== undefined && isTier) return true
  const reports: readonly unknown[] = Array.isArray(usageRaw) ? usageRaw : [usageRaw]
  const fields = isTier ? ['service_tier', 'serviceTier', 'trafficType'] : [field]
  return reports.some((report) => {
    return isJsonObject(report) && fields.some((name) => (report[name] ?? undefined) !== undefined)
  })
}
