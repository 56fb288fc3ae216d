import { isForm } from '../body/form-body.ts'
import { GatewayError } from '../errors.ts'

/** Of texts in ASCII, which is all that most bodies have, these are no other than UTF-8. */
const likeUtf8: ReadonlySet<string> = new Set([
  ...['utf-8', 'utf8', 'us-ascii', 'ascii', 'iso-8859-1', 'latin1', 'windows-1252'],
])

/**
 * Throws the 415 of a body that is written in another way than it would be read: a form where there is
 * none, or JSON in UTF-16. Any other type is taken for JSON: many clients name none, or a wrong one.
 */
export function checkContentType(contentType: string | null, takesForm: boolean): void {
  if (contentType === null || contentType === 'application/json') return
  if (isForm(contentType)) {
    if (takesForm) return
    throw unsupported(
      'Content-Type "multipart/form-data" is not taken here. Send the body as JSON.',
    )
  }
  const charset = /;\s*charset="?([^\s";]+)/i.exec(contentType)?.[1]?.toLowerCase()
  if (charset === undefined || likeUtf8.has(charset)) return
  throw unsupported(`Charset "${charset.slice(0, 100)}" is not taken. Send the body in UTF-8.`)
}

const unsupported = (message: string) => new GatewayError('unsupported_encoding', message)
