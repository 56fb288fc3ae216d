import { codeOf } from '../../lib/failure.ts'
import { BadEncoding, TooManyBytes } from '../body/bounded-bytes.ts'
import { ConnectTimeout } from '../outbound/dial.ts'
import { AddressRefused } from '../outbound/outbound.ts'

const maxLength = 8_192

/** Ports of other protocols. Source: the Fetch standard, "bad port". */
const badPorts: ReadonlySet<string> = new Set(
  (
    '0 1 7 9 11 13 15 17 19 20 21 22 23 25 37 42 43 53 69 77 79 87 95 101 102 103 104 109 110 111 113 ' +
    '115 117 119 123 135 137 139 143 161 179 389 427 465 512 513 514 515 526 530 531 532 540 548 554 ' +
    '556 563 587 601 636 989 990 993 995 1719 1720 1723 2049 3659 4045 4190 5060 5061 6000 6566 6665 ' +
    '6666 6667 6668 6669 6679 6697 10080'
  ).split(' '),
)

/** Parses a client's address; throws `MediaError`. Its host is not checked. */
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

export const isRedirect = (status: number) => [301, 302, 303, 307, 308].includes(status)

/** Where a redirect leads. Throws `MediaError`, without the target, on another origin. */
export function redirectTarget(from: URL, location: string | null): URL {
  const target = location === null ? null : URL.parse(location, from.href)
  if (target === null) throw new MediaError('The address redirects to nowhere.')
  if (target.origin !== from.origin) throw new MediaError(elsewhere)
  return readAddress(target.href)
}

const elsewhere =
  'The address redirects to another host or scheme, which is not followed: give the final address.'

/** Why a file could not be fetched, in words that reveal nothing new to the client. */
export class MediaError extends Error {
  override readonly name = 'MediaError'
  /** Not the file's fault: too many fetches run at present. */
  readonly isBusy: boolean

  constructor(message: string, details: { isBusy?: boolean; cause?: unknown } = {}) {
    super(message, { cause: details.cause })
    this.isBusy = details.isBusy ?? false
  }
}

/** The error of a fetch, without addresses the client does not know. */
export function asMediaError(error: unknown, maxBytes: number): MediaError {
  return error instanceof MediaError
    ? error
    : new MediaError(wordsFor(error, maxBytes), { cause: error })
}

function wordsFor(error: unknown, maxBytes: number): string {
  if (error instanceof AddressRefused) return 'The host of the file has no public address.'
  if (error instanceof ConnectTimeout) return 'The host of the file could not be reached in time.'
  if (error instanceof TooManyBytes) return `The file is larger than ${inMiB(maxBytes)} MiB.`
  if (error instanceof BadEncoding) return 'The file came compressed in an unknown or broken way.'
  const code = codeOf(error) ?? ''
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN' || code.startsWith('DNS')) {
    return 'The host of the file could not be found.'
  }
  if (code.includes('CERT') || code.includes('SIGNATURE')) {
    return 'The host of the file has no valid certificate.'
  }
  return 'The connection to the host of the file failed.'
}

const inMiB = (bytes: number) => Number((bytes / 1024 / 1024).toFixed(1))

/** The type by a file's first bytes; of audio and video by the header. Undefined: unsupported. */
export function mediaTypeOf(bytes: Uint8Array, header: string | null): string | undefined {
  const start = Buffer.from(bytes.subarray(0, 64)).toString('latin1')
  const found = signatures.find(({ pattern }) => pattern.test(start))
  if (found !== undefined) return found.type
  return typesByHeader.get(bareType(header))
}

/** The media type without parameters: `text/html; charset=utf-8` → `text/html`. */
export function bareType(header: string | null): string {
  return (header ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''
}

/**
 * A file's first bytes, as Latin-1. Sources: RFC 2083, ITU T.81, GIF89a, RFC 9649, ISO 23008-12
 * annex B, ISO 32000-1 7.5.2. No upstream takes AVIF, which may say `mif1`.
 */
const signatures: readonly { readonly type: string | undefined; readonly pattern: RegExp }[] = [
  { type: 'image/png', pattern: /^\x89PNG\r\n.\n/s },
  { type: 'image/jpeg', pattern: /^\xff\xd8\xff/ },
  { type: 'image/gif', pattern: /^GIF8[79]a/ },
  { type: 'image/webp', pattern: /^RIFF.{4}WEBP/s },
  { type: undefined, pattern: /^.{4}ftyp(?:avi[fs]|m[is]f1.*avi[fs])/s },
  { type: 'image/heic', pattern: /^.{4}ftyphe(?:i[cxms]|v[cxms])/s },
  { type: 'image/heif', pattern: /^.{4}ftyp(?:mif1|msf1|heif)/s },
  { type: 'application/pdf', pattern: /^(?:\xef\xbb\xbf)?\s*%PDF-/ },
]

/** Servers' names of audio and video types → upstreams' names. */
const typesByHeader: ReadonlyMap<string, string> = new Map([
  ['audio/aac', 'audio/aac'],
  ['audio/aiff', 'audio/aiff'],
  ['audio/flac', 'audio/flac'],
  ['audio/m4a', 'audio/mp4'],
  ['audio/mp3', 'audio/mpeg'],
  ['audio/mp4', 'audio/mp4'],
  ['audio/mpeg', 'audio/mpeg'],
  ['audio/ogg', 'audio/ogg'],
  ['audio/opus', 'audio/ogg'],
  ['audio/wav', 'audio/wav'],
  ['audio/wave', 'audio/wav'],
  ['audio/webm', 'audio/webm'],
  ['audio/x-aiff', 'audio/aiff'],
  ['audio/x-flac', 'audio/flac'],
  ['audio/x-m4a', 'audio/mp4'],
  ['audio/x-wav', 'audio/wav'],
  ['video/3gpp', 'video/3gpp'],
  ['video/mp4', 'video/mp4'],
  ['video/mpeg', 'video/mpeg'],
  ['video/quicktime', 'video/quicktime'],
  ['video/webm', 'video/webm'],
  ['video/x-flv', 'video/x-flv'],
  ['video/x-ms-wmv', 'video/wmv'],
  ['video/x-msvideo', 'video/avi'],
])
