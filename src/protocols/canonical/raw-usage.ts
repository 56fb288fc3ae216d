import { isJsonObject } from '../json.ts'
import type { Observation } from './observation.ts'
import type { Usage } from './usage.ts'

/**
 * Notes what a usage report amounted to, and the report itself for the receipt. Reports of one
 * stream are laid over each other: later ones may leave out what earlier ones said.
 */
export function noteUsage(seen: Observation, usage: Usage | undefined, wire: unknown): void {
  if (usage === undefined) return
  seen.usage = usage
  const { usageRaw } = seen
  seen.usageRaw = isJsonObject(usageRaw) && isJsonObject(wire) ? { ...usageRaw, ...wire } : wire
}
