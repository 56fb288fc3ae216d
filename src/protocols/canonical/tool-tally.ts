import type { HostedTool } from './hosted-tools.ts'
import type { Observation } from './observation.ts'

/** Counts the uses of tools that an answer shows, each once, however often a stream tells of it. */
export interface ToolTally {
  /** `id` tells one use from the others; `uses`: what it is billed as. */
  note(tool: HostedTool, id: string, uses?: number): void
  /** The answer's own sum stands in the place of what was counted. */
  told(tool: HostedTool, uses: number): void
}

/** Counts into `seen`, which a stream without such tools leaves as it is. */
export function createToolTally(seen: Observation): ToolTally {
  let ids: Set<string> | undefined
  const set = (tool: HostedTool, uses: number) => {
    if ((seen.observed?.tools?.[tool] ?? 0) === uses) return
    seen.observed = {
      tier: seen.observed?.tier,
      tools: { ...seen.observed?.tools, [tool]: uses },
    }
  }
  return {
    note(tool, id, uses = 1) {
      const key = `${tool} ${id}`
      ids ??= new Set()
      if (ids.has(key)) return
      ids.add(key)
      set(tool, (seen.observed?.tools?.[tool] ?? 0) + uses)
    },
    told: set,
  }
}

/** Notes the tier that an answer names beside its usage; its last word stands. */
export function observeTier(seen: Observation, tier: string | undefined): void {
  if (tier === undefined || seen.observed?.tier === tier) return
  seen.observed = { tier, tools: seen.observed?.tools }
}
