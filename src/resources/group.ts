import { regionsField, statusField, wordField } from './kinds.ts'
import { limitsPart } from './limits.ts'
import { optional, regions } from './schema-parts.ts'

const regionsHelp = 'Countries whose requests it answers; left out: all.'

/** What a group has in common with other resources; its other fields stand in the file's schema. */
export const groupFields = {
  status: statusField({ help: 'false: the group is kept, but its tokens are refused.' }),
  on_disconnect: wordField({
    ...{ as: 'onDisconnect', column: 'on_disconnect' },
    ...{ words: ['bill_observed', 'drain'], usual: 'bill_observed' },
    help: 'When a client leaves: bill_observed stops and bills what was seen, unless the vendor bills what can not be seen (reasoning, images): that is read to its end; drain reads every answer to its end.',
  }),
  limits: limitsPart('Limits of the group: of all its tokens together.'),
  regions: {
    ...regionsField({ as: 'regions', column: 'regions', help: regionsHelp }),
    file: optional(regions(regionsHelp)),
  },
}
