import type { Command } from 'commander'
import {
  comparePrices,
  type FigureChange,
  type PriceChange,
  type PriceDifference,
} from '../app/prices/difference.ts'
import type { PriceForm } from '../app/prices/price-list.ts'
import { loadPriceList } from '../app/prices/read-price-list.ts'
import { counted, listed } from '../lib/format.ts'
import { formatTable } from '../lib/table.ts'
import { confirm } from './ask.ts'
import { type ConfigOption, withConfig } from './config-option.ts'
import { byCommandLine } from './lookup.ts'
import { withStore } from './open.ts'
import { writeJson, writeLines } from './output.ts'
import { describePercent, warnOfConfig } from './price-text.ts'

interface SyncOptions extends ConfigOption {
  readonly from: string
  readonly group?: string
  readonly all?: boolean
  readonly yes?: boolean
  readonly json?: boolean
}

const forms: readonly PriceForm[] = ['catalog', 'litellm', 'feed']

/** `tollgate price sync`: sets prices from a list, after showing the difference. */
export function addSync(price: Command): void {
  const command = price
    .command('sync')
    .description('take prices from a list: shows the difference, asks, then sets them')
    .requiredOption('--from <file|url>', 'the list, in one of the forms below')
    .option('--group <name>', "whose prices, in another gateway's feed with several groups")
    .option('--all', 'also models that no channel offers and that have no price')
    .option('-y, --yes', 'do not ask')
    .option('--json', 'the difference as JSON; changes nothing without --yes')
    .action(sync)
    .addHelpText('after', formsHelp)
  withConfig(
    command,
    'tollgate price sync --from prices.json',
    'tollgate price sync --from https://gateway.example.com/api/provider/pricing --group main',
    'tollgate price sync --from model_prices_and_context_window.json --json',
  )
}

const formsHelp = `
Forms:
  vendor-prices.json                        as it comes with this program's source
  LiteLLM's model_prices_and_context_window.json
  another gateway's price feed              final prices of one of its groups, its multiplier
                                            included, become base prices here; a feed can't tell
                                            prices for long contexts: those that are set stay
Models are compared byte for byte. What is priced in ways that tokens and calls can't express is
skipped, with the reason.`

async function sync({ from, group, all = false, yes, json, ...options }: SyncOptions) {
  await withStore(options, async ({ store }) => {
    const list = await loadPriceList({ from, group, forms })
    const difference = comparePrices(list, await store.catalog.load(), { all })
    const { changes, writes } = difference
    const apply = () => store.admin.write({ prices: writes }, byCommandLine)
    if (json) {
      const applied = yes === true && changes.length > 0
      if (applied) await apply()
      return writeJson(report(from, difference, applied))
    }
    await writeLines(describe(difference))
    if (changes.length === 0) return
    await confirm(`Set the price of ${counted(changes.length, 'model')}?`, { yes })
    await apply()
    await writeLines([`Done: the price of ${counted(changes.length, 'model')} set.`])
    const configured = changes.filter(({ source }) => source === 'config')
    if (configured.length > 0) warnOfConfig(configured.map(({ model }) => model))
  })
}

function report(from: string, difference: PriceDifference, applied: boolean) {
  const { form, changes, unchanged, skipped, tiersKept } = difference
  return { from, form, applied, changes, unchanged, skipped, tiers_kept: tiersKept }
}

interface Line extends FigureChange {
  readonly change: PriceChange
  readonly isFirst: boolean
}

const columns = [
  { title: 'MODEL', text: ({ change, isFirst }: Line) => (isFirst ? change.model : '') },
  { title: 'PRICE', text: ({ field }: Line) => field.replaceAll('_', ' ') },
  { title: 'OLD', text: ({ from }: Line) => from ?? '', right: true },
  {
    title: 'NEW',
    text: ({ to, change }: Line) => (to === null ? '' : (change.rounded ? '≈ ' : '') + to),
    right: true,
  },
  { title: 'CHANGE', text: ({ percent }: Line) => describePercent(percent), right: true },
  { title: 'SET BY', text: ({ change, isFirst }: Line) => (isFirst ? (change.source ?? '') : '') },
]

function describe(difference: PriceDifference): readonly string[] {
  const { changes, unchanged, skipped, tiersKept } = difference
  const rows = changes.flatMap((change) =>
    change.fields.map((field, at) => ({ ...field, change, isFirst: at === 0 })),
  )
  const lines = changes.length > 0 ? [...formatTable(columns, rows), ''] : []
  lines.push(
    `${counted(changes.length, 'price')} to set, ${unchanged} unchanged, ${skipped.length} skipped.`,
  )
  for (const { model, reason } of skipped) lines.push(`  skipped ${model}: ${reason}`)
  if (changes.some(({ rounded }) => rounded))
    lines.push('≈: finer in the list than 0.000001 USD per 1M tokens, rounded half up.')
  if (tiersKept.length > 0)
    lines.push(`Keep their prices for long contexts: ${listed(tiersKept, '')}.`)
  return lines
}
