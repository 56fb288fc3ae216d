import { readFile, stat } from 'node:fs/promises'
import { readOrigin } from '../../site/feed/mirror.ts'
import { UserError } from '../instance.ts'
import type { PriceForm, PriceList } from './price-list.ts'
import { readPriceList } from './read-price-list.ts'

const maxFileBytes = 64 * 1024 * 1024

/** Where prices come from. */
export interface PriceSourceOptions {
  /** A path, or an address that begins with http:// or https://. */
  readonly from: string
  readonly group?: string | undefined
  readonly forms: readonly PriceForm[]
}

/**
 * Reads a price list from a file or the web, at most 64 MiB of it and for at most 30 s. Throws a
 * `UserError` with the reason when there is none.
 */
export async function loadPriceList({
  from,
  group,
  forms,
}: PriceSourceOptions): Promise<PriceList> {
  const isWeb = /^https?:\/\//i.test(from)
  if (!isWeb && /^[a-z][a-z\d+.-]*:\/\//i.test(from))
    throw new UserError(`${from} can't be read: write a path, or an address with http(s)://.`)
  try {
    const text = isWeb ? await readWeb(from) : await readLocal(from)
    return readPriceList({ text, name: from, group, forms })
  } catch (cause) {
    if (cause instanceof UserError) throw cause
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new UserError(`${from} can't be read: ${reason}.`, { cause })
  }
}

async function readWeb(url: string): Promise<string> {
  if (!URL.canParse(url)) throw new Error('it is not a web address')
  const answer = await readOrigin({ ask: fetch, url })
  if (answer === 'unchanged') throw new Error('it answered an unconditional request with 304')
  return answer.text
}

async function readLocal(path: string): Promise<string> {
  const { size } = await stat(path)
  if (size > maxFileBytes) throw new Error(`it is longer than ${maxFileBytes} bytes`)
  return readFile(path, 'utf8')
}
