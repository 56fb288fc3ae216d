/**
 * A parsed value as JSON again; undefined for one that is nested deeper than anybody means it.
 * Beyond some 30,000 levels `JSON.stringify` itself takes seconds, and throws.
 */
export function toJson(value: unknown): string | undefined {
  return isDeeper(value, deepest) ? undefined : JSON.stringify(value)
}

const deepest = 1000

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (levels === 0) return true
  return Object.values(value).some((member) => isDeeper(member, levels - 1))
}
