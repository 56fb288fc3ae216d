import { ApiError } from '../../../admin/api-error.ts'
import type { GivenPrice } from '../../../admin/prices/schema.ts'
import type { PriceTerms } from '../../../store/ports/catalog.ts'
import { type ConfigProblem, loadPriceConfig } from '../../config/load.ts'

/** A name for the price during the check: the real one may be any text. */
const standIn = 'price'
const beginning = `prices.${standIn}`

/**
 * Terms of a written price by the rules of tollgate.yaml; throws an `ApiError` with its field. Keeps the
 * context window of `before` unless the price names one.
 */
export function readPrice(given: GivenPrice, before: PriceTerms | undefined): PriceTerms {
  const { context_window, ...rest } = given
  const said = dropNothing({ ...rest, free: rest.free || undefined, context_window })
  if (Object.keys(said).length === 0) {
    throw new ApiError(
      'invalid_value',
      'Say what it costs: input and output, or per_call, or free.',
      { field: 'input', fault: 'missing' },
    )
  }
  // JSON is YAML. The text is literal: no references to the environment.
  const text = JSON.stringify({ prices: { [standIn]: said } }).replaceAll('${', () => '$${')
  const loaded = loadPriceConfig({ text, file: '', env: {} })
  if (!loaded.ok) throw refusal(loaded.problems)
  const terms = loaded.prices[0]?.terms
  if (terms === undefined) throw new Error('A price was read, but is not there.')
  const kept = before?.unit === 'tokens' ? before.contextWindow : undefined
  if (terms.unit !== 'tokens' || context_window !== undefined || kept === undefined) return terms
  return { ...terms, contextWindow: kept }
}

/** Drops nulls, which a form sends for empty fields, also from `others`. */
function dropNothing(value: unknown): object {
  return Object.fromEntries(
    Object.entries(value as object).flatMap(([name, one]): [string, unknown][] => {
      if (one === null || one === undefined || one === '') return []
      if (name === 'others') return Object.entries(one)
      if (name === 'tools' || name === 'service_tiers')
        return Object.keys(one).length === 0 ? [] : [[name, one]]
      if (Array.isArray(one)) return one.length === 0 ? [] : [[name, one.map(dropNothing)]]
      return [[name, one]]
    }),
  )
}

function refusal([first]: readonly ConfigProblem[]): ApiError {
  const path = first?.path.slice(beginning.length).replace(/^\./, '') ?? ''
  const message = (first?.message ?? '').replace(beginning, path === '' ? 'The price' : '')
  const field = path.replace(/\[(\d+)\]/g, '.$1')
  return new ApiError('invalid_value', `${message.replace(/^\./, '')}.`.replace(/\.\.$/, '.'), {
    ...(field !== '' && { field }),
    fault: first?.fault,
  })
}

/** A remark for the price feed: one line of plain text. */
export function readNote(note: string): string {
  const text = note.trim()
  if (!/\p{Cc}/u.test(text)) return text
  throw new ApiError('invalid_value', 'note: write one line of plain text.', {
    field: 'note',
    fault: 'unfit_line',
  })
}
