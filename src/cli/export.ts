import { Argument, type Command, Option } from 'commander'
import {
  type ExportFormat,
  exportFormats,
  exportLines,
  ledgerFields,
  requestFields,
} from '../billing/receipt/fields.ts'
import type { RecordStore, Span } from '../store/ports/records.ts'
import { type ConfigOption, withConfig } from './config-option.ts'
import { withStore } from './open.ts'
import { write } from './output.ts'
import { spanOf, spanOptions } from './values.ts'

type What = 'requests' | 'ledger'

interface ExportOptions extends ConfigOption, Span {
  readonly format: ExportFormat
}

/** `tollgate export`: all records of a span of time, on stdout. */
export function addExport(program: Command): void {
  const command = program
    .command('export')
    .description('write records to stdout, oldest first')
    .addArgument(new Argument('<what>', 'which records').choices(['requests', 'ledger']))
    .addOption(
      new Option('--format <form>', 'of the output').choices(exportFormats).default('jsonl'),
    )
    .action((what: What, options: ExportOptions) =>
      withStore(options, ({ store }) => writeAll(linesOf(store.records, what, options))),
    )
  for (const option of spanOptions()) command.addOption(option)
  withConfig(
    command,
    'tollgate export requests --since 7d > week.jsonl',
    'tollgate export ledger --format csv --since 2026-11-01 --until 2026-12-01',
  )
}

function linesOf(records: RecordStore, what: What, options: ExportOptions) {
  const { format } = options
  const span = spanOf(options)
  return what === 'requests'
    ? exportLines(records.exportRequests(span), requestFields, { format })
    : exportLines(records.exportLedger(span), ledgerFields, { format })
}

const chunkLength = 64 * 1024

/** Waits for a slow reader, so that memory does not grow with the number of records. */
async function writeAll(lines: AsyncIterable<string>): Promise<void> {
  let chunk = ''
  for await (const line of lines) {
    chunk += line
    if (chunk.length < chunkLength) continue
    await write(chunk)
    chunk = ''
  }
  if (chunk !== '') await write(chunk)
}
