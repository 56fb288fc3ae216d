import { ApiError } from '../../../admin/api-error.ts'

/** A remark for the price feed: one line of plain text. */
export function readNote(note: string): string {
  const text = note.trim()
  if (!/\p{Cc}/u.test(text)) return text
  throw new ApiError('invalid_value', 'note: write one line of plain text.', {
    field: 'note',
    fault: 'unfit_line',
  })
}
