import { Argument, type Command } from 'commander'
import { UserError } from '../app/user-error.ts'
import { describeReceipt } from '../billing/receipt/text.ts'
import { receiptView } from '../billing/receipt/view.ts'
import { addReporting } from './resource-commands.ts'

/** `tollgate receipt`: one request and what explains its charge. */
export const addReceipt = (program: Command): void =>
  addReporting(program, 'receipt', {
    help: 'show what a request asked, used and cost, and how the amount came about',
    args: [
      new Argument(
        '<id>',
        'the request id: header x-request-id of the answer, or "export requests"',
      ),
    ],
    examples: ['tollgate receipt req_019a8f0c… --json'],
    async run({ store }, _options, id: string) {
      const rows = await store.records.receipt(id)
      if (rows) return rows
      throw new UserError(
        `There is no request ${JSON.stringify(id)}: "tollgate export requests" lists all that have ended.`,
      )
    },
    json: receiptView,
    lines: describeReceipt,
  })
