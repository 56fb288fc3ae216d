import { KindGuard, type TLiteral, type TSchema } from '@sinclair/typebox'
import { type Fault, faultOfKind } from '../../admin/faults.ts'
import { suggest } from '../../lib/suggest.ts'
import { complaints, type ValueKind } from '../../resources/values.ts'

type Leaf =
  | { readonly value: string | number | boolean }
  | { readonly complaint: string; readonly fault?: Fault | undefined }

/**
 * Reads one value from its text. The text counts, not how YAML would type it: `1.0` is a good
 * name, `"5"` a good number, and a number from the environment is one too.
 */
export function complainOfLeaf(schema: TSchema, text: string): Leaf {
  if (isKind(schema.reads)) {
    const complaint = complaints[schema.reads](text)
    if (complaint === undefined) return { value: text }
    const isMissing = text === '' && !schema.isUnfitEmpty
    return { complaint, fault: isMissing ? 'missing' : faultOfKind[schema.reads] }
  }
  if (KindGuard.IsInteger(schema)) return readInteger(schema.minimum, schema.maximum, text)
  if (KindGuard.IsBoolean(schema)) return readWord([true, false], text)
  if (KindGuard.IsLiteral(schema)) return readWord([schema.const], text)
  if (KindGuard.IsUnion(schema)) {
    const words = schema.anyOf.filter(KindGuard.IsLiteral)
    if (words.every(({ title }) => title !== undefined))
      return readTitled(words, text, schema.description)
    return readWord(
      words.map((word) => word.const),
      text,
    )
  }
  throw new Error(`The configuration schema has a value that nothing reads: ${schema.description}`)
}

const isKind = (kind: unknown): kind is ValueKind => typeof kind === 'string' && kind in complaints

function readInteger(least = 0, most = Number.MAX_SAFE_INTEGER, text: string) {
  const value = /^[+-]?\d+$/.test(text) ? Number(text) : Number.NaN
  if (value >= least && value <= most) return { value }
  return {
    complaint: `must be a whole number from ${least} to ${most}`,
    fault: text === '' ? ('missing' as const) : ('unfit_whole_number' as const),
  }
}

function readWord<Word extends string | number | boolean>(words: readonly Word[], text: string) {
  const value = words.find((word) => String(word) === text)
  if (value !== undefined) return { value }
  const names = words.map(String)
  const near = suggest(text, names)
  const hint = near ? ` (did you mean ${near}?)` : ''
  return { complaint: `must be ${names.join(' or ')}${hint}`, fault: 'unfit_choice' as const }
}

/** One of the words that have a title each; `all` lists them. */
function readTitled(words: readonly TLiteral[], text: string, all = '') {
  const names = words.map((word) => String(word.const))
  const value = words[names.indexOf(text)]?.const
  if (value !== undefined) return { value }
  const fault = 'unfit_choice' as const
  const near = suggest(text, names)
  if (near === undefined) return { complaint: `is not known; known are ${all}`, fault }
  const { title } = words[names.indexOf(near)] ?? {}
  return { complaint: `is not known: did you mean ${near} (${title})?`, fault }
}
