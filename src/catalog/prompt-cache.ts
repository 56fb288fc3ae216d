import file from '../../data/prompt-cache.json' with { type: 'json' }
import { factsByModel } from './model-names.ts'

/**
 * From how many LLM tokens on the upstream's model of this name caches a marked prompt; where that is
 * not known, the most that any wants. Source: `data/prompt-cache.json`.
 */
export function cacheMinimum(upstreamModel: string): number {
  find ??= factsByModel(file.minimums.map(({ tokens, models }) => ({ fact: tokens, models })))
  return find(upstreamModel) ?? mostMinimum
}

let find: ReturnType<typeof factsByModel<number>> | undefined

const mostMinimum = Math.max(...file.minimums.map(({ tokens }) => tokens))
