import { type Command, Option } from 'commander'
import type { PriceForm } from '../app/prices/price-list.ts'
import { loadPriceList } from '../app/prices/read-price-list.ts'
import { type Comparison, type Simulation, simulate } from '../app/prices/simulate.ts'
import { usd } from '../billing/money.ts'
import { counted, isoTime } from '../lib/format.ts'
import { formatTable } from '../lib/table.ts'
import { findNamed } from './lookup.ts'
import { type ConfigOption, withConfig, withExamples, withStore } from './open.ts'
import { writeJson, writeLines } from './output.ts'
import { describePercent } from './price-text.ts'
import { tellInPlace } from './terminal.ts'
import { parseTime } from './values.ts'

interface SimulateOptions extends ConfigOption {
  readonly with: string
  readonly since: number
  readonly until?: number
  readonly group?: string
  readonly feedGroup?: string
  readonly json?: boolean
}

const forms: readonly PriceForm[] = ['catalog', 'litellm', 'feed', 'config']

/** `tollgate price simulate`: what recorded requests would have cost with other prices. */
export function addSimulate(price: Command): void {
  const command = price
    .command('simulate')
    .description('what recorded requests would have cost with the prices of a file')
    .requiredOption('--with <file|url>', 'a tollgate.yaml, or a list that "price sync" reads')
    .addOption(
      new Option('--since <time>', 'requests from this time on: a date, a date-time, or an age')
        .argParser(parseTime)
        .default(parseTime('7d'), '7d'),
    )
    .option('--until <time>', 'before this time, in the same forms', parseTime)
    .option('--group <name>', 'only requests of this group')
    .option('--feed-group <name>', 'whose prices, in a price feed with several groups')
    .option('--json', 'as JSON, in nano-USD')
    .action(runSimulation)
  withExamples(
    withConfig(command),
    'tollgate price simulate --with next.yaml',
    'tollgate price simulate --with prices.json --since 2026-11-01 --until 2026-12-01 --json',
  )
}

async function runSimulation(options: SimulateOptions): Promise<void> {
  const { with: from, since, until, group, feedGroup, json } = options
  await withStore(options, async ({ store }) => {
    const list = await loadPriceList({ from, group: feedGroup, forms })
    if (group !== undefined) findNamed('group', group, (await store.catalog.load()).groups)
    const span = { since, ...(until !== undefined && { until }) }
    const found = await simulate(store, { list, group, ...span, ...showProgress(json) })
    if (json)
      return writeJson({
        with: from,
        form: list.form,
        since: isoTime(since),
        until: until === undefined ? null : isoTime(until),
        group: group ?? null,
        ...found,
      })
    await writeLines(describe(found))
  })
}

function showProgress(json: boolean | undefined) {
  const { stderr } = process
  if (json || !stderr.isTTY) return {}
  let shownAt = 0
  return {
    progress(records: number, done: boolean) {
      if (done) return tellInPlace('')
      if (performance.now() - shownAt < 200) return
      shownAt = performance.now()
      tellInPlace(`${counted(records, 'record')} …`)
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
