import file from '../../data/reasoning-models.json' with { type: 'json' }

/** When a model reasons: `data/reasoning-models.json` says what each means. */
export type Reasons = 'never' | 'when_asked' | 'unless_off' | 'always'

/** When the upstream's model of this name reasons; always, where nobody has said otherwise. */
export function reasonsOf(upstreamModel: string): Reasons {
  known ??= new Map(
    file.families.flatMap(({ reasons, models }) =>
      models.map((name) => [spelt(name), reasons as Reasons] as const),
    ),
  )
  const name = spelt(upstreamModel)
  return known.get(name) ?? known.get(name.replace(version, '')) ?? 'always'
}

let known: ReadonlyMap<string, Reasons> | undefined

/** A snapshot of a model: `-2024-08-06`, `-20250514`, `@20250514`, `-001`, `-latest`, `-v1:0`. */
const version = /(?:[-@](?:latest|\d{3,4}|\d{8}|\d{4}-\d\d-\d\d))?(?:-v\d+(?::\d+)?)?$/

/** Without the places it is sold at (`us.anthropic.`, `openai/`), and with `4-5` for `4.5`. */
const spelt = (name: string): string =>
  name
    .slice(name.lastIndexOf('/') + 1)
    .replace(/^(?:[a-z]+\.)*anthropic\./, '')
    .replace(/(?<=\d)\.(?=\d)/g, '-')
