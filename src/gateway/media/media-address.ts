import { MediaError } from './media-error.ts'

const maxLength = 8_192

/**
 * Ports of other protocols, whose servers may take a request's bytes for their own. Source: the Fetch
 * standard, "bad port"; browsers call none of them.
 */
const badPorts: ReadonlySet<string> = new Set(
  (
    '0 1 7 9 11 13 15 17 19 20 21 22 23 25 37 42 43 53 69 77 79 87 95 101 102 103 104 109 110 111 113 ' +
    '115 117 119 123 135 137 139 143 161 179 389 427 465 512 513 514 515 526 530 531 532 540 548 554 ' +
    '556 563 587 601 636 989 990 993 995 1719 1720 1723 2049 3659 4045 4190 5060 5061 6000 6566 6665 ' +
    '6666 6667 6668 6669 6679 6697 10080'
  ).split(' '),
)

/** Parses an address that a client wrote; throws `MediaError`. Its host is not looked at. */
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
  if (badPorts.has(url.port)) {
    throw new MediaError(
      `The port ${url.port} of the address belongs to another protocol than HTTP.`,
    )
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
