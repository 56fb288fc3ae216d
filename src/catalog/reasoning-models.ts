import file from '../../data/reasoning-models.json' with { type: 'json' }
import { factsByModel } from './model-names.ts'

/** When a model reasons: `data/reasoning-models.json` says what each means. */
export type Reasons = 'never' | 'when_asked' | 'unless_off' | 'always'

/** When the upstream's model of this name reasons; always, where nobody has said otherwise. */
export function reasonsOf(upstreamModel: string): Reasons {
  find ??= factsByModel(
    file.families.map(({ reasons, models }) => ({ fact: reasons as Reasons, models })),
  )
  return find(upstreamModel) ?? 'always'
}

let find: ReturnType<typeof factsByModel<Reasons>> | undefined
