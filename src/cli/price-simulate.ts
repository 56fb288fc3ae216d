import { type Command, Option } from 'commander'
import type { PriceForm } from '../app/prices/price-list.ts'
import { loadPriceList } from '../app/prices/read-price-list.ts'
import { type Comparison, type Simulation, simulate } from '../app/prices/simulate.ts'
import { usd } from '../billing/money.ts'
import { counted, isoTime } from '../lib/format.ts'
import { formatTable } from '../lib/table.ts'
import { findNamed } from './lookup.ts'
import { describePercent } from './price-text.ts'
import { type AnyOptions, addReporting } from './resource-commands.ts'
import { printInPlace } from './terminal.ts'
import { parseTime } from './values.ts'

interface SimulateOptions extends AnyOptions {
  readonly with: string
  readonly since: number
  readonly until?: number
  readonly group?: string
  readonly feedGroup?: string
}

const forms: readonly PriceForm[] = ['catalog', 'litellm', 'feed', 'config']

/** `tollgate price simulate`: what recorded requests would have cost with other prices. */
export const addSimulate = (price: Command): void =>
  addReporting(price, 'simulate', {
    help: 'what recorded requests would have cost with the prices of a file',
    options: [
      new Option(
        '--with <file|url>',
        'a tollgate.yaml, or a list that "price sync" reads',
      ).makeOptionMandatory(),
      new Option('--since <time>', 'requests from this time on: a date, a date-time, or an age')
        .argParser(parseTime)
        .default(parseTime('7d'), '7d'),
      new Option('--until <time>', 'before this time, in the same forms').argParser(parseTime),
      ['--group <name>', 'only requests of this group'],
      ['--feed-group <name>', 'whose prices, in a price feed with several groups'],
    ],
    jsonHelp: 'as JSON, in nano-USD',
    examples: [
      'tollgate price simulate --with next.yaml',
      'tollgate price simulate --with prices.json --since 2026-11-01 --until 2026-12-01 --json',
    ],
    async run({ store }, options: SimulateOptions) {
      const { with: from, since, until, group, feedGroup, json } = options
      const list = await loadPriceList({ from, group: feedGroup, forms })
      if (group !== undefined) findNamed('group', group, (await store.catalog.load()).groups)
      const span = { since, ...(until !== undefined && { until }) }
      const found = await simulate(store, { list, group, ...span, ...showProgress(json) })
      return { form: list.form, found }
    },
    json: ({ form, found }, { with: from, since, until, group }: SimulateOptions) => ({
      with: from,
      form,
      since: isoTime(since),
      until: until === undefined ? null : isoTime(until),
      group: group ?? null,
      ...found,
    }),
    lines: ({ found }) => describe(found),
  })

function showProgress(json: boolean | undefined) {
  const { stderr } = process
  if (json || !stderr.isTTY) return {}
  let shownAt = 0
  return {
    progress(records: number, done: boolean) {
      if (done) return printInPlace('')
      if (performance.now() - shownAt < 200) return
      shownAt = performance.now()
      printInPlace(`${counted(records, 'record')} …`)
    },
  }
}

type Row = Comparison & { readonly model: string }

const columns = [
  { title: 'MODEL', text: ({ model }: Row) => model },
  { title: 'REQUESTS', text: (row: Row) => row.requests.toLocaleString('en-US'), right: true },
  { title: 'CHARGED', text: (row: Row) => usd(row.charged_nano), right: true },
  { title: 'WITH THESE', text: (row: Row) => usd(row.simulated_nano), right: true },
  { title: 'DIFFERENCE', text: (row: Row) => usd(row.difference_nano), right: true },
  { title: 'CHANGE', text: ({ percent }: Row) => describePercent(percent), right: true },
]

function describe({ records, models, total, not_compared }: Simulation): readonly string[] {
  const { without_usage, without_price } = not_compared
  const lines =
    models.length > 0
      ? [...formatTable(columns, [...models, { model: 'in all', ...total }]), '']
      : []
  lines.push(`${counted(records, 'request')} on record, ${total.requests} compared.`)
  if (without_usage > 0) lines.push(`Without usage, so not compared: ${without_usage}.`)
  if (without_price.requests > 0) {
    const charged = usd(without_price.charged_nano)
    lines.push(`Without a price there, so not compared: ${without_price.requests} (${charged}).`)
    for (const { model, reason } of without_price.models)
      lines.push(`  ${model}: ${reason ?? 'not in the file'}`)
  }
  return lines
}
