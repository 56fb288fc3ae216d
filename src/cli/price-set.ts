import { type Command, Option } from 'commander'
import { loadEntry } from '../app/config/fragment.ts'
import type { Instance } from '../app/instance.ts'
import { priceReport } from '../app/prices/report.ts'
import { removedPrice, vendorPriceWrite } from '../app/vendor-price-sync.ts'
import { type GivenPrice, withWindow, writtenPrice } from '../resources/given-price.ts'
import { modalityFields, priceFields, rateFields } from '../resources/price.ts'
import { complaints } from '../resources/values.ts'
import type { PriceWrite } from '../store/ports/admin.ts'
import type { PriceRow } from '../store/ports/catalog.ts'
import { confirm } from './ask.ts'
import { type ConfigOption, withConfig } from './config-option.ts'
import { complain, UsageError } from './errors.ts'
import { addFieldOptions, namedFields, repeated } from './field-options.ts'
import { readEntry } from './fragment.ts'
import { byCommandLine } from './lookup.ts'
import { withStore } from './open.ts'
import { writeLines } from './output.ts'
import { describeSetting, findPrice, modelArgument, warnOfConfig } from './price-text.ts'
import { type AnyOptions, addReporting } from './resource-commands.ts'
import { splitPair } from './values.ts'

interface SetOptions extends AnyOptions {
  readonly tier?: readonly string[]
  readonly rate?: readonly string[]
  readonly tool?: readonly string[]
  readonly serviceTier?: readonly string[]
  readonly vendor?: boolean
  readonly note?: string
}

/** `tollgate price set`: the operator's own price. */
export const addSet = (price: Command): void =>
  addReporting(price, 'set', {
    help: "set the price of a model, from now on; it stands above the vendor's list price",
    args: [modelArgument()],
    options: [
      new Option(
        '--rate <kind=usd>',
        'per 1M tokens that are no text, such as input_audio=32',
      ).argParser(repeated),
      ['--vendor', "the vendor's list price again, and its changes with new versions"],
    ],
    extend: (command) => addFieldOptions(command, priceFields),
    examples: [
      'tollgate price set gpt-5-mini --input 0.25 --output 2 --cache-read 0.025',
      'tollgate price set long-model --input 1.25 --output 10 --tier above=200000,input=2.5,output=15',
      'tollgate price set painter --per-call 0.04',
      'tollgate price set speaker --input 2.5 --output 10 --rate output_audio=64 --tool web_search=10',
      'tollgate price set house-llm --free --note "on the house"',
    ],
    run: setPrice,
    json: ({ row }) => priceReport(row),
    lines: ({ row }, _options, [model]) => [
      `The price of ${model} is: ${describeSetting(row.terms)}.`,
    ],
    after(_instance, { wasConfigured, isOffered }, _options, [model]) {
      if (wasConfigured) warnOfConfig([model])
      if (!isOffered) complain(`note: no channel offers ${model}, so it can't be called yet`)
    },
  })

async function setPrice(instance: Instance, options: SetOptions, model: string) {
  const { catalog, admin } = instance.store
  const unfit = complaints.name(model)
  if (unfit !== undefined) throw new UsageError(`MODEL: ${JSON.stringify(model)} ${unfit}`)
  const { channels, prices } = await catalog.load()
  const before = prices.find((row) => row.model === model)
  const write = options.vendor
    ? vendorWrite(model, before, options)
    : ownWrite(model, before, options)
  const note = options.note ?? (options.vendor ? '' : (before?.note ?? ''))
  await admin.write({ prices: [{ ...write, note }] }, byCommandLine)
  return {
    row: await findPrice(instance, model),
    wasConfigured: before?.source === 'config',
    isOffered: channels.some(({ models }) => models.some(({ id }) => id === model)),
  }
}

function vendorWrite(model: string, before: PriceRow | undefined, options: SetOptions): PriceWrite {
  const { vendor: _, note: __, json: ___, config: ____, ...others } = options
  if (Object.values(others).some((option) => option !== undefined))
    throw new UsageError("--vendor can't stand beside a price of your own: choose one.")
  const write = vendorPriceWrite(model, before)
  if (write === undefined)
    throw new UsageError(
      `No vendor's price of ${JSON.stringify(model)} is known. Set one: --input … --output …`,
    )
  return write
}

function ownWrite(model: string, before: PriceRow | undefined, options: SetOptions): PriceWrite {
  const { note: _, ...named } = namedFields(priceFields, {
    ...options,
    tool: parseNamed('--tool', 'web_search=10', options.tool),
    serviceTier: parseNamed('--service-tier', 'flex=0.5', options.serviceTier),
    tier: options.tier?.map(parseTier),
  }) as GivenPrice & { readonly note?: string }
  const others = parseNamed('--rate', 'input_audio=32', options.rate, modalityFields)
  const given = { ...named, ...(others && { others }) }
  const entry = writtenPrice(given)
  if (Object.keys(entry).length === 0)
    throw new UsageError(
      'Say what it costs: --input and --output, or --per-call, --free or --vendor.',
    )
  const { terms } = readEntry(loadEntry.price(entry))
  return { model, terms: withWindow(terms, given, before?.terms), source: 'operator', note: '' }
}

/** Parses pairs such as `web_search=10`. Without `known`, the file's rules check the names. */
function parseNamed(
  option: string,
  example: string,
  texts: readonly string[] | undefined,
  known?: object,
): { readonly [name: string]: string } | undefined {
  if (texts === undefined) return undefined
  const pairs = texts.map((text): [string, string] => {
    const [name, value] = splitPair(text.trim())
    const key = name.replaceAll('-', '_')
    if (value !== undefined && (!known || Object.hasOwn(known, key))) return [key, value]
    const names = known ? ` (${Object.keys(known).join(', ')})` : ''
    throw new UsageError(
      `${option}: ${JSON.stringify(text)} is not known; write it as ${example}${names}`,
    )
  })
  return Object.fromEntries(pairs)
}

const tierExample = 'above=200000,input=2.5,output=15'

/** `above=200000,input=2.5,output=15` as the configuration file has it. */
function parseTier(text: string): object {
  const known = { above: true, ...rateFields }
  const { above = '', ...rates } = parseNamed('--tier', tierExample, text.split(','), known) ?? {}
  return { above: /^\d+$/.test(above) ? Number(above) : above, ...rates }
}

export function addRemove(price: Command): void {
  const command = price
    .command('remove')
    .description('take the price of a model away: it is neither listed nor callable then')
    .addArgument(modelArgument())
    .option('-y, --yes', 'do not ask')
    .action(async (model: string, options: ConfigOption & { readonly yes?: boolean }) =>
      withStore(options, async (instance) => {
        const { id, source } = await findPrice(instance, model)
        await confirm(`Remove the price of ${model}? It can't be called then.`, options)
        const away = { ...removedPrice(model), replaces: id }
        await instance.store.admin.write({ prices: [away] }, byCommandLine)
        await writeLines([`Removed the price of ${model}.`])
        if (source === 'config') warnOfConfig([model])
      }),
    )
  withConfig(command, 'tollgate price remove gpt-5-mini --yes')
}
