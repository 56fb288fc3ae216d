import { ApiError } from '../../../admin/api-error.ts'
import { type GivenPrice, withWindow, writtenPrice } from '../../../resources/given-price.ts'
import type { PriceTerms } from '../../../store/ports/catalog.ts'
import { loadEntry } from '../../config/fragment.ts'
import type { ConfigProblem } from '../../config/problem.ts'

/**
 * Terms of a written price by the rules of tollgate.yaml; throws an `ApiError` with its field. Keeps the
 * context window of `before` unless the price names one.
 */
export function readPrice(given: GivenPrice, before: PriceTerms | undefined): PriceTerms {
  const entry = writtenPrice(given)
  if (Object.keys(entry).length === 0) {
    throw new ApiError(
      'invalid_value',
      'Say what it costs: input and output, or per_call, or free.',
      { field: 'input', fault: 'missing' },
    )
  }
  const loaded = loadEntry.price(entry)
  if (!loaded.ok) throw refusal(loaded.at.slice(0, -1), loaded.problems)
  return withWindow(loaded.value.terms, given, before)
}

function refusal(beginning: string, [first]: readonly ConfigProblem[]): ApiError {
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
