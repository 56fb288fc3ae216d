import { Argument, type Command, Option } from 'commander'
import {
  modelsWithoutPrice,
  type PriceDetails,
  priceDetails,
  priceReport,
  usdPerMillion,
} from '../app/prices/report.ts'
import { humanTime, listed } from '../lib/format.ts'
import { formatPairs, formatTable } from '../lib/table.ts'
import type { Definition } from '../resources/field.ts'
import { textRateFields } from '../resources/price.ts'
import type { PriceRow, PriceSource } from '../store/ports/catalog.ts'
import { withExamples } from './config-option.ts'
import { addRemove, addSet } from './price-set.ts'
import { addSimulate } from './price-simulate.ts'
import { addSync } from './price-sync.ts'
import {
  describeSetting,
  describeTerms,
  findPrice,
  modelArgument,
  priceColumns,
} from './price-text.ts'
import { addReporting } from './resource-commands.ts'

/** `tollgate price …`: what models cost before a group's multiplier. */
export function addPriceCommands(program: Command): void {
  const price = program
    .command('price')
    .description('base prices: list, show, set, remove, history, sync, simulate')
  addList(price)
  addShow(price)
  addSet(price)
  addRemove(price)
  addHistory(price)
  addSync(price)
  addSimulate(price)
  withExamples(
    price,
    'tollgate price list',
    'tollgate price set gpt-5-mini --input 0.25 --output 2',
  )
}

const inMicro = 'as JSON, in micro-USD per 1M tokens'

const addList = (price: Command): void =>
  addReporting(price, 'list', {
    help: 'list the prices in force, in USD per 1M tokens',
    options: [
      new Option('--source <who>', 'only prices set by').choices(['config', 'operator', 'vendor']),
    ],
    jsonHelp: inMicro,
    examples: ['tollgate price list', 'tollgate price list --source vendor'],
    async run({ store }, { source }: { readonly source?: PriceSource }) {
      const rows = await store.catalog.load()
      const prices = rows.prices.filter(
        (row) => row.terms.unit !== 'none' && (source === undefined || row.source === source),
      )
      return { prices, unpriced: modelsWithoutPrice(rows) }
    },
    json: ({ prices }) => prices.map(priceReport),
    lines: ({ prices, unpriced }) => [
      ...(prices.length > 0 ? formatTable(priceColumns, prices) : ['No prices.']),
      ...(unpriced.length > 0
        ? [`Offered, but not callable without a price: ${listed(unpriced, '')}.`]
        : []),
    ],
  })

const addShow = (price: Command): void =>
  addReporting(price, 'show', {
    help: 'show the price of a model, who sells it, and what its vendor asks',
    args: [modelArgument()],
    jsonHelp: inMicro,
    examples: ['tollgate price show gpt-5-mini'],
    async run(instance, _options, model: string) {
      const row = await findPrice(instance, model)
      return { row, details: priceDetails(row, await instance.store.catalog.load()) }
    },
    json: ({ details }) => details,
    lines: ({ row, details }) => describe(row, details),
  })

function describe(row: PriceRow, details: PriceDetails): readonly string[] {
  const { vendor, groups, not_set } = details
  const perMillion = row.terms.unit === 'tokens' ? ' (USD per 1M tokens)' : ''
  const sellers = groups.map(({ name, rate_multiplier }) => `${name} × ${rate_multiplier}`)
  return formatPairs([
    ['Model', row.model],
    ['Price', describeTerms(row.terms) + perMillion],
    ['Charged like others', listed(not_set.map(describeFallback), 'none: all is set')],
    ['Context window', describeWindow(details)],
    ['Set by', row.source],
    ['Since', humanTime(details.valid_from)],
    ['Note', row.note],
    ['Price id', String(row.id)],
    ['Channels', listed(details.channels, 'none: it is not offered')],
    ['Groups', listed(sellers, 'none')],
    ['Vendor asks', describeVendor(vendor)],
  ])
}

function describeWindow({ context_window, usage_clamped_above }: PriceDetails): string {
  if (usage_clamped_above === null) return 'not known'
  const by = context_window === null ? 'as the vendor says' : 'set with the price'
  return `${usage_clamped_above} tokens, ${by}`
}

const describeFallback = (name: string): string =>
  `${name.replaceAll('_', ' ')} ${(textRateFields as Definition)[name]?.none}`

function describeVendor(vendor: PriceDetails['vendor']): string {
  if (vendor === null) return 'not known'
  const price = `input ${usdPerMillion(vendor.input)}, output ${usdPerMillion(vendor.output)}`
  return [
    `${price} (${vendor.vendor} ${vendor.id})`,
    ...(vendor.until === null ? [] : [`another price from ${vendor.until} on`]),
    ...vendor.besides,
  ].join('; ')
}

const historyColumns = [
  { title: 'SINCE', text: (row: PriceRow) => humanTime(new Date(row.validFrom).toISOString()) },
  { title: 'ID', text: (row: PriceRow) => String(row.id), right: true },
  { title: 'MODEL', text: (row: PriceRow) => row.model },
  { title: 'SET BY', text: (row: PriceRow) => row.source },
  { title: 'PRICE', text: (row: PriceRow) => describeSetting(row.terms) },
  { title: 'NOTE', text: (row: PriceRow) => row.note },
]

const addHistory = (price: Command): void =>
  addReporting(price, 'history', {
    help: 'every price that a model, or any, ever had; oldest first',
    args: [new Argument('[model]', 'only of this model')],
    jsonHelp: inMicro,
    examples: ['tollgate price history gpt-5-mini'],
    run: ({ store }, _options, model: string | undefined) => store.catalog.priceHistory(model),
    json: (rows) => rows.map(priceReport),
    lines(rows, _options, [model]) {
      if (rows.length > 0) return formatTable(historyColumns, rows)
      return [model === undefined ? 'No prices.' : `${model} never had a price.`]
    },
  })
