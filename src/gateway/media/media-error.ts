import { BadEncoding, TooManyBytes } from '../body/bounded-bytes.ts'
import { ConnectTimeout } from '../outbound/dial.ts'
import { AddressRefused } from '../outbound/outbound.ts'

/** Why a file could not be had: a sentence for the client, without anything it did not write itself. */
export class MediaError extends Error {
  override readonly name = 'MediaError'
  /** It is no fault of the file's: the gateway fetches too many at present. */
  readonly isBusy: boolean

  constructor(message: string, details: { isBusy?: boolean; cause?: unknown } = {}) {
    super(message, { cause: details.cause })
    this.isBusy = details.isBusy ?? false
  }
}

/**
 * What a fetch threw, in words. The cause may name addresses that are none of the client's business:
 * it is not part of the message.
 */
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
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN' || code.startsWith('DNS')) {
    return 'The host of the file could not be found.'
  }
  if (code.includes('CERT') || code.includes('SIGNATURE')) {
    return 'The host of the file has no valid certificate.'
  }
  return 'The connection to the host of the file failed.'
}

const inMiB = (bytes: number) => Number((bytes / 1024 / 1024).toFixed(1))
