import { parseArgs } from 'node:util'
import type { VendorPriceEntry, VendorPriceFile } from '../src/catalog/vendor-prices.ts'
import { type BuiltPrices, buildPrices, type Skipped } from './build-prices.ts'

const path = new URL('vendor-prices.json', import.meta.url)

/** The file's text: one line per model, so that a change of price is a line in the diff. */
export function formatPrices({ source, date, models }: VendorPriceFile): string {
  const lines = models.map((entry) => JSON.stringify(entry)).join(',\n')
  return `{\n"source": ${JSON.stringify(source)},\n"date": "${date}",\n"models": [\n${lines}\n]\n}\n`
}

/** What changed against the file as it was, line by line. */
function describeChanges(
  before: readonly VendorPriceEntry[],
  after: readonly VendorPriceEntry[],
): string[] {
  const name = ({ vendor, id }: VendorPriceEntry) => `${vendor}/${id}`
  const old = new Map(before.map((entry) => [name(entry), JSON.stringify(entry)]))
  const now = new Set(after.map(name))
  return [
    ...before.filter((entry) => !now.has(name(entry))).map((entry) => `- ${name(entry)}`),
    ...after.flatMap((entry) => {
      const was = old.get(name(entry))
      if (was === undefined) return [`+ ${name(entry)}`]
      return was === JSON.stringify(entry) ? [] : [`~ ${name(entry)}`]
    }),
  ]
}

/** Models left out, by reason, the commonest reason first. */
function describeSkipped(skipped: readonly Skipped[]): string[] {
  const byReason = Map.groupBy(skipped, ({ reason }) => reason)
  return [...byReason]
    .sort(([, a], [, b]) => b.length - a.length)
    .flatMap(([reason, models]) => [
      `  ${models.length} × ${reason}:`,
      ...models.map(({ model }) => `      ${model}`),
    ])
}

function report({ file, skipped }: BuiltPrices, changes: readonly string[]): string {
  const vendors = new Set(file.models.map(({ vendor }) => vendor))
  const changing = file.models.filter(({ until }) => until !== null)
  return [
    `${file.models.length} models of ${vendors.size} vendors, prices of ${file.date}`,
    `${changes.length} changes${changes.length > 0 ? ':' : ''}`,
    ...changes.map((line) => `  ${line}`),
    `${changing.length} prices that change on a day already known: run this again then`,
    ...changing.map(({ vendor, id, until }) => `  ${until}  ${vendor}/${id}`),
    `${skipped.length} left out:`,
    ...describeSkipped(skipped),
    '',
  ].join('\n')
}

async function run(): Promise<void> {
  const { values } = parseArgs({ options: { date: { type: 'string' } } })
  const date = values.date ?? new Date().toISOString().slice(0, 10)
  if (!/^20\d\d-\d\d-\d\d$/.test(date) || Number.isNaN(Date.parse(date)))
    throw new Error(`--date "${date}" is not a day: write it like 2026-11-21`)
  const built = await buildPrices(date)
  const text = (await Bun.file(path).exists()) ? await Bun.file(path).text() : undefined
  const old: VendorPriceFile | undefined = text === undefined ? undefined : JSON.parse(text)
  // Another day alone is no news: the file stays as it is.
  const unchanged = old && text === formatPrices({ ...built.file, date: old.date })
  if (!unchanged) await Bun.write(path, formatPrices(built.file))
  process.stdout.write(report(built, describeChanges(old?.models ?? [], built.file.models)))
}

if (import.meta.main)
  await run().catch((error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`)
    process.exitCode = 1
  })
