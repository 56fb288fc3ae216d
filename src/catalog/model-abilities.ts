import file from '../../data/model-abilities.json' with { type: 'json' }
import { kindOf, spelt } from './model-facts.ts'

/** What a model takes and makes. `vector`: embeddings; `file`: documents such as PDF. */
export const modalities = ['text', 'image', 'audio', 'video', 'file', 'vector'] as const
export type Modality = (typeof modalities)[number]

export interface Abilities {
  readonly input: readonly Modality[]
  readonly output: readonly Modality[]
  /** The most LLM tokens of one answer; null: unknown. */
  readonly maxOutput: number | null
}

interface Family extends Abilities {
  readonly pattern: RegExp
}

// Built on first use: only pages for people ask.
let families: readonly Family[] | undefined

/** What a model can do by `data/model-abilities.json`, else by its name: text alone, where nothing else is known. */
export function abilitiesOf(model: string): Abilities {
  families ??= file.families.map(({ models, input, output, ...more }) => ({
    pattern: new RegExp(models, 'i'),
    ...{ input: named(input), output: named(output), maxOutput: more.maxOutput ?? null },
  }))
  const name = spelt(model)
  return families.find(({ pattern }) => pattern.test(name)) ?? byKind[kindOf(model)]
}

const named = (words: readonly string[]) => modalities.filter((one) => words.includes(one))

const byKind = {
  answers: { input: ['text'], output: ['text'], maxOutput: null },
  embeddings: { input: ['text'], output: ['vector'], maxOutput: null },
  images: { input: ['text'], output: ['image'], maxOutput: null },
} as const
