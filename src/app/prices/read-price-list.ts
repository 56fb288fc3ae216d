import { readFile, stat } from 'node:fs/promises'
import { Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { messageOf } from '../../lib/failure.ts'
import { readOrigin } from '../../site/feed/mirror.ts'
import { formatProblems, loadPriceConfig } from '../config/load.ts'
import { UserError } from '../user-error.ts'
import { LitellmForm, looksLikeLitellm, readLitellmForm } from './from-litellm.ts'
import { readCatalogForm, readFeedForm } from './from-tollgate.ts'
import type { PriceForm, PriceList } from './price-list.ts'

const maxFileBytes = 64 * 1024 * 1024

interface PriceSource {
  /** A path, or an http:// or https:// address. */
  readonly from: string
  /** A group of a price feed with several. */
  readonly group?: string | undefined
  readonly forms: readonly PriceForm[]
}

/** Reads a price list. Throws a `UserError` with the reason when it can't. */
export async function loadPriceList(source: PriceSource): Promise<PriceList> {
  const { from } = source
  if (!isWeb(from) && /^[a-z][a-z\d+.-]*:\/\//i.test(from))
    throw new UserError(`${from} can't be read: write a path, or an address with http(s)://.`)
  return readPriceList(await readSource(from), source)
}

const isWeb = (from: string) => /^https?:\/\//i.test(from)

/** The text of a file or of a web page, at most 64 MiB and for at most 30 s; throws a `UserError`. */
export async function readSource(from: string): Promise<string> {
  try {
    return await (isWeb(from) ? readWeb(from) : readLocal(from))
  } catch (cause) {
    const reason = messageOf(cause)
    throw new UserError(`${from} can't be read: ${reason}.`, { cause })
  }
}

async function readWeb(url: string): Promise<string> {
  if (!URL.canParse(url)) throw new Error('it is not a web address')
  const answer = await readOrigin(url)
  if (answer === 'unchanged') throw new Error('it answered an unconditional request with 304')
  return answer.text
}

async function readLocal(path: string): Promise<string> {
  const { size } = await stat(path)
  if (size > maxFileBytes) throw new Error(`it is longer than ${maxFileBytes} bytes`)
  return readFile(path, 'utf8')
}

/** Enough of each form to tell it from the others. */
const FeedHead = Type.Object({ schema_version: Type.Unknown(), data: Type.Unknown() })
const CatalogHead = Type.Object({ models: Type.Array(Type.Unknown()) })
const ConfigHead = Type.Object({ prices: Type.Unknown() })

/** Reads prices in any known form. Throws a `UserError` that names the place of a problem. */
export function readPriceList(text: string, source: PriceSource): PriceList {
  const { from: name, group, forms } = source
  const document = parseJson(text, name, forms)
  const form = detectForm(document, forms)
  const isFeed = form === 'feed'
  if (group !== undefined && !isFeed)
    throw new UserError(`${name} is no price feed, so there is no group ${JSON.stringify(group)}.`)
  if (isFeed) return readFeedForm(text, name, group)
  if (form === 'catalog') return readCatalogForm(document, name)
  if (form === 'config') return readConfigForm(text, name)
  if (form === 'litellm' && Value.Check(LitellmForm, document))
    return readLitellmForm(document, name)
  throw new UserError(`${name} has none of the known forms: ${describeForms(forms)}.`)
}

/** Undefined: not JSON, but perhaps YAML. */
function parseJson(text: string, name: string, forms: readonly PriceForm[]): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    if (forms.includes('config')) return undefined
    const reason = messageOf(cause)
    throw new UserError(`${name} is not JSON: ${reason}.`, { cause })
  }
}

function detectForm(document: unknown, forms: readonly PriceForm[]): PriceForm | undefined {
  const has = (form: PriceForm, fits: boolean) => (forms.includes(form) && fits ? form : undefined)
  return (
    has('feed', Value.Check(FeedHead, document)) ??
    has('catalog', Value.Check(CatalogHead, document)) ??
    has('litellm', Value.Check(LitellmForm, document) && looksLikeLitellm(document)) ??
    has('config', document === undefined || Value.Check(ConfigHead, document))
  )
}

function describeForms(forms: readonly PriceForm[]): string {
  const words = {
    catalog: 'a list like data/vendor-prices.json ({ "models": [ … ] })',
    litellm: "LiteLLM's model_prices_and_context_window.json",
    feed: 'a price feed ({ "schema_version", "data" })',
    config: 'a tollgate.yaml with prices:',
  }
  return forms.map((form) => words[form]).join(', or ')
}

function readConfigForm(text: string, name: string): PriceList {
  const loaded = loadPriceConfig({ text, file: name, env: process.env })
  if (!loaded.ok) throw new UserError(formatProblems(loaded.problems))
  if (loaded.prices.length === 0) throw new UserError(`${name} has no prices: in it.`)
  const prices = new Map(loaded.prices.map(({ model, terms }) => [model, terms]))
  return {
    form: 'config',
    models: [...prices.keys()],
    find(model) {
      const terms = prices.get(model)
      return terms && { terms, rounded: false }
    },
  }
}
