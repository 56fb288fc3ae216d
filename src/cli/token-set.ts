import type { Command } from 'commander'
import { loadEntry } from '../app/config/fragment.ts'
import { tokenDetails } from '../app/report/resources.ts'
import { tokenFields } from '../resources/token.ts'
import { addSetOptions, namedFields, requireSome } from './field-options.ts'
import { warnOfToken } from './file-word.ts'
import { readNamed } from './fragment.ts'
import { commandLine, findToken, tokenArgument } from './lookup.ts'
import { addReporting } from './resource-commands.ts'
import { describeToken } from './token-text.ts'

/** `tollgate token set`: unnamed fields stay. */
export const addSet = (token: Command): void =>
  addReporting(token, 'set', {
    help: 'change what is named of a token, and nothing else',
    args: [tokenArgument()],
    extend: (command) => addSetOptions(command, tokenFields),
    examples: [
      'tollgate token set 3 --budget-day 5 --budget-month 100',
      'tollgate token set 3 --budget none --expires 2027-01-31T12:00:00Z',
      'tollgate token set 3 --rpm 60 --tpm none --concurrency 4',
    ],
    async run(instance, options, id: number) {
      const named = namedFields(tokenFields, options)
      requireSome(named, tokenFields)
      const fields = readNamed(tokenFields, named, loadEntry.token)
      await findToken(instance, id)
      await instance.store.admin.changeToken({ id, actor: commandLine, ...fields })
      return tokenDetails(instance.store, await findToken(instance, id))
    },
    lines: describeToken,
    after: async (instance, { id }, options) =>
      warnOfToken(options, instance, await findToken(instance, id)),
  })
