import { readExtras, toolPrice } from '../../billing/extras.ts'
import type { UsageExtras as ToldExtras } from '../../protocols/canonical/usage.ts'
import type { UsageExtras } from '../../store/ports/extras.ts'
import type { CheckedRequest } from '../../store/ports/verification.ts'
import { type Change, type Difference, shown } from './difference.ts'
import type { CheckedPrice } from './prices.ts'

/**
 * What the upstream's report tells of extras must have been charged. More may be: tools and tiers are
 * also told by other parts of an answer, which no record keeps.
 */
export function checkTold(
  told: ToldExtras | undefined,
  request: CheckedRequest,
  row: string,
): readonly Difference[] {
  if (told === undefined) return []
  const charged: UsageExtras = readExtras(request.extrasJson) ?? {}
  const changes = [
    ...missing('modalities', charged.modalities, told.modalities),
    ...missing('tools', charged.tools, told.tools),
    ...(told.tier !== undefined && told.tier !== charged.tier
      ? [{ field: 'extras.tier', stored: charged.tier ?? null, expected: told.tier }]
      : []),
  ]
  return changes.length === 0 ? [] : [{ kind: 'usage', row, changes, reason: 'by its usage_raw' }]
}

type Counts = { readonly [name: string]: number | undefined } | undefined

const missing = (part: string, charged: Counts, told: Counts): readonly Change[] =>
  Object.entries(told ?? {}).flatMap(([name, expected = 0]) => {
    const stored = charged?.[name] ?? 0
    return stored >= expected ? [] : [{ field: `extras.${part}.${name}`, stored, expected }]
  })

/** Extras that can't be read, or that were used though nobody had a price for them. */
export function checkExtras(
  request: CheckedRequest,
  price: CheckedPrice | null,
  row: string,
): readonly Difference[] {
  const { extrasJson } = request
  if (extrasJson === null || extrasJson === undefined) return []
  const found = (reason: string) => [{ kind: 'usage' as const, row, changes: [], reason }]
  const extras = readExtras(extrasJson)
  if (extras === undefined || !isCounted(extras))
    return found('its extras are none that can be charged for')
  const terms = price?.terms
  if (!terms) return []
  return Object.entries(extras.tools ?? {})
    .filter(([tool, count]) => count > 0 && toolPrice(terms, extras.vendor, tool) === undefined)
    .flatMap(([tool]) => found(`it used the tool ${shown(tool)}, which had no price`))
}

/** All counts and prices are whole numbers from 0. */
function isCounted({
  modalities,
  tools,
  vendor,
  tier,
}: NonNullable<ReturnType<typeof readExtras>>) {
  const parts = [modalities, tools, vendor?.modalities, vendor?.tools, vendor?.serviceTiers]
  const isCount = (value: unknown) => Number.isSafeInteger(value) && Number(value) >= 0
  return (
    (tier === undefined || typeof tier === 'string') &&
    parts.every((part) => Object.values(part ?? {}).every(isCount))
  )
}
