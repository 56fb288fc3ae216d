import { MediaError } from './media-error.ts'

const maxLength = 8_192

/** Parses an address that a client wrote; throws `MediaError`. Any port will do: the host decides. */
export function readAddress(text: string): URL {
  if (text.length > maxLength) {
    throw new MediaError(`The address is longer than ${maxLength} characters.`)
  }
  const url = URL.parse(text)
  if (url === null) throw new MediaError('The address is not a URL.')
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new MediaError('The address must begin with http:// or https://.')
  }
  if (url.username !== '' || url.password !== '') {
    throw new MediaError('The address must not hold a user name or password.')
  }
  url.hash = ''
  return url
}

/** Whether an answer sends its caller elsewhere. */
export const isRedirect = (status: number) => [301, 302, 303, 307, 308].includes(status)

/**
 * Where a redirect leads. Throws `MediaError` unless that is the same scheme, host and port; the
 * message keeps the place to itself, which may be one that the client can't see.
 */
export function redirectTarget(from: URL, location: string | null): URL {
  const target = location === null ? null : URL.parse(location, from.href)
  if (target === null) throw new MediaError('The address redirects to nowhere.')
  if (target.origin !== from.origin) throw new MediaError(elsewhere)
  return readAddress(target.href)
}

const elsewhere =
  'The address redirects to another host or scheme, which is not followed: give the final address.'
