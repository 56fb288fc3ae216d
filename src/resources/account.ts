import { Type } from '@sinclair/typebox'
import { statusField, usdField, usdLimitField, wordField } from './kinds.ts'
import { limitFields, limitsPart } from './limits.ts'
import { countryFlags, regionsField } from './list-kinds.ts'
import { type Columns, fileProperties, type SomeValues, type Values } from './resource.ts'
import { map, optional, orNull } from './schema-parts.ts'

const limitsHelp =
  'Limits of all its tokens together; null: none; left out: as they are, none at first.'

/** An account: owner of tokens and of a balance. E-mail, password and balance are no fields. */
export const accountFields = {
  status: statusField({ help: 'false: the account is kept, but its tokens are refused.' }),
  role: wordField({
    ...{ as: 'role', column: 'role', isAlwaysSaid: true, words: ['admin', 'user'], usual: 'user' },
    help: 'admin: may change everything. user: its own tokens.',
  }),
  credit_limit: usdField({
    ...{ as: 'creditLimitNano', column: 'credit_limit_nano', keeps: true, isAlwaysSaid: true },
    help: 'USD by which the balance may go below zero (postpaid); left out: as it is, 0 at first.',
    ...{ title: 'Credit limit', isListed: true, isRight: true },
    flag: {
      ...{ name: '--credit-limit', value: '<usd>', canSet: true },
      help: 'how far below zero the balance may go; 0: prepaid',
    },
  }),
  balance_low_below: {
    ...usdLimitField({
      ...{ as: 'balanceLowNano', column: 'balance_low_nano', keeps: true },
      fileKey: 'balance_low_threshold',
      help: 'Balance in USD below which it counts as low; null: as the settings say; left out: as it is.',
      flag: {
        ...{ name: '--low-balance', value: '<usd>', canSet: 'only' },
        help: 'below this the balance is low',
      },
    }),
    clear: ['none', 'as the settings say'] as const,
  },
  limits: {
    ...limitsPart(limitsHelp),
    keeps: true as const,
    file: optional(
      orNull(Type.Object(fileProperties(limitFields), { ...map, description: limitsHelp })),
    ),
  },
  regions: regionsField({
    ...{ as: 'regions', column: 'regions', keeps: true },
    help: 'Countries that it may be used from; null: all; left out: as it is.',
    ...{ title: 'Countries', none: 'all', flags: countryFlags('only') },
  }),
}

export interface AccountSettings extends Values<typeof accountFields> {}
export type SomeAccountSettings = SomeValues<typeof accountFields>
export interface AccountColumns extends Columns<typeof accountFields> {}
