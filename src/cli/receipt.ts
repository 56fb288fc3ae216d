import type { Command } from 'commander'
import { UserError } from '../app/instance.ts'
import { describeReceipt } from '../billing/receipt/text.ts'
import { receiptView } from '../billing/receipt/view.ts'
import { type JsonOption, withConfig, withExamples, withStore } from './open.ts'
import { writeJson, writeLines } from './output.ts'

/** `tollgate receipt`: one request and what explains its charge. */
export function addReceipt(program: Command): void {
  const command = program
    .command('receipt')
    .description('show what a request asked, used and cost, and how the amount came about')
    .argument('<id>', 'the request id: header x-request-id of the answer, or "export requests"')
    .option('--json', 'as JSON')
    .action(async (id: string, options: JsonOption) =>
      withStore(options, async ({ store }) => {
        const rows = await store.records.receipt(id)
        if (!rows)
          throw new UserError(
            `There is no request ${JSON.stringify(id)}: "tollgate export requests" lists all that have ended.`,
          )
        if (options.json) return writeJson(receiptView(rows))
        await writeLines(describeReceipt(rows))
      }),
    )
  withExamples(withConfig(command), 'tollgate receipt req_019a8f0c… --json')
}
