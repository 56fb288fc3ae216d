import type { Command } from 'commander'
import { hasDifferences, type Reconciliation, reconcile } from '../app/reconcile/reconcile.ts'
import { UserError } from '../app/user-error.ts'
import { counted } from '../lib/format.ts'
import type { MatchingSums } from '../store/ports/matching.ts'
import type { Span } from '../store/ports/records.ts'
import { type JsonOption, withConfig } from './config-option.ts'
import { findNamed } from './lookup.ts'
import { withStore } from './open.ts'
import { write, writeLines } from './output.ts'
import { createProgress } from './progress.ts'
import { reconcileJsonLines } from './reconcile-json.ts'
import { describeReconciliation } from './reconcile-text.ts'
import { spanOf, spanOptions } from './values.ts'

interface ReconcileOptions extends JsonOption, Span {
  readonly channel: readonly string[]
  readonly idColumn?: string
  readonly inputColumn?: string
  readonly outputColumn?: string
  readonly cachedColumn?: string
  readonly costColumn?: string
  readonly timeColumn?: string
}

/** `tollgate reconcile`: compares an upstream's bill with our records. */
export function addReconcile(program: Command): void {
  const command = program
    .command('reconcile')
    .description("compare an upstream's usage file with our records, request by request")
    .argument('<file>', 'CSV, JSON or JSON Lines, with a request id in every row')
    .requiredOption(
      '--channel <name>',
      'a channel that uses this upstream account; can be given several times',
      (name: string, names: readonly string[] = []) => [...names, name],
    )
    .option('--id-column <name>', "where the upstream's request id is")
    .option('--input-column <name>', 'where the input tokens are')
    .option('--output-column <name>', 'where the output tokens are')
    .option('--cached-column <name>', 'where the tokens read from a cache are')
    .option('--cost-column <name>', 'where the amount in USD is')
    .option('--time-column <name>', 'where the time is')
    .option('--json', 'all of it as JSON lines, the summary first')
    .action((file: string, options: ReconcileOptions) => runReconcile(file, options))
  for (const option of spanOptions()) command.addOption(option)
  command.addHelpText(
    'after',
    '\nThe id in the file is what the upstream has answered in its x-request-id or request-id header\n' +
      '("upstream_request_id" of a receipt). Exit code 1 when there is a difference, 0 when there is none.',
  )
  withConfig(
    command,
    'tollgate reconcile usage.csv --channel openai-main',
    'tollgate reconcile usage.jsonl --channel a --channel b --since 2026-11-01 --until 2026-12-01 --json',
  )
}

async function runReconcile(file: string, options: ReconcileOptions): Promise<void> {
  await withStore(options, async ({ store }) => {
    const { channels } = await store.catalog.load()
    const channelIds = options.channel.map((name) => findNamed('channel', name, channels).id)
    const progress = createProgress()
    const found = await reconcile(store.records, {
      file,
      channelIds,
      columns: namedColumns(options),
      ...spanOf(options),
      onProgress: ({ rows, attempts }) =>
        progress.show(
          attempts > 0 ? `${counted(attempts, 'attempt')} of ours` : `${counted(rows, 'row')} read`,
        ),
    }).finally(progress.done)
    try {
      await writeResult(file, found, options)
    } finally {
      found.matching.close()
    }
    if (hasDifferences(found.sums)) throw new UserError(describeDifferences(found.sums))
  })
}

const namedColumns = (options: ReconcileOptions) => ({
  id: options.idColumn,
  input: options.inputColumn,
  output: options.outputColumn,
  cached: options.cachedColumn,
  cost: options.costColumn,
  time: options.timeColumn,
})

async function writeResult(
  file: string,
  found: Reconciliation,
  { channel, json }: ReconcileOptions,
): Promise<void> {
  if (!json) return writeLines(describeReconciliation(file, channel, found))
  for (const lines of reconcileJsonLines(file, channel, found)) await write(lines)
}

const describeDifferences = ({ unknownToUs, notBilled, differing }: MatchingSums) =>
  `they differ: ${unknownToUs.ids} billed but unknown to us, ${notBilled.ids} of ours not billed, ` +
  `${differing} with other counts`
