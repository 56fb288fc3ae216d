import { gemini } from '../../protocols/gemini/index.ts'
import type { Operation } from '../../protocols/protocol.ts'

/** The last path segment of a Gemini call, taken apart. */
export interface GeminiTarget {
  readonly model: string
  /** `generateContent` …; undefined when the path names a model only. */
  readonly action: string | undefined
}

/** Model ids may hold colons themselves (`llama3:8b`): the last one begins the action. */
export function geminiTarget(target: string): GeminiTarget {
  const colon = target.lastIndexOf(':')
  if (colon < 0) return { model: target, action: undefined }
  return { model: target.slice(0, colon), action: target.slice(colon + 1) }
}

/** What can be asked of a Gemini model. */
export const geminiActions: ReadonlyMap<string, Operation> = new Map([
  ['generateContent', gemini.operations.generate],
  ['streamGenerateContent', gemini.operations.generate],
  ['countTokens', gemini.operations.countTokens],
  ['embedContent', gemini.operations.embed],
  ['batchEmbedContents', gemini.operations.batchEmbed],
])
