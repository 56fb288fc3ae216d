/**
 * Facts of models by their vendors' ids, for look-ups by an upstream's name: with or without a date or
 * version, in any spelling of the places that models are sold at.
 */
export function factsByModel<Fact>(
  entries: readonly { readonly fact: Fact; readonly models: readonly string[] }[],
): (upstreamModel: string) => Fact | undefined {
  const known = new Map(
    entries.flatMap(({ fact, models }) => models.map((name) => [spelt(name), fact] as const)),
  )
  return (upstreamModel) => {
    const name = spelt(upstreamModel)
    return known.get(name) ?? known.get(name.replace(version, ''))
  }
}

/** A snapshot of a model: `-2024-08-06`, `-20250514`, `@20250514`, `-001`, `-latest`, `-v1:0`. */
const version = /(?:[-@](?:latest|\d{3,4}|\d{8}|\d{4}-\d\d-\d\d))?(?:-v\d+(?::\d+)?)?$/

/** Without the places it is sold at (`us.anthropic.`, `openai/`), and with `4-5` for `4.5`. */
const spelt = (name: string): string =>
  name
    .slice(name.lastIndexOf('/') + 1)
    .replace(/^(?:[a-z]+\.)*anthropic\./, '')
    .replace(/(?<=\d)\.(?=\d)/g, '-')
