import { Type } from '@sinclair/typebox'
import {
  nameField,
  partField,
  referenceField,
  statusField,
  switchField,
  timeField,
  usdLimitField,
} from './kinds.ts'
import { limitsPart } from './limits.ts'
import { listField } from './list-kinds.ts'
import { type Columns, fileProperties, type SomeValues, type Values } from './resource.ts'
import { decimal, map, optional, text } from './schema-parts.ts'

const budget = <const As extends string, const Column extends string>(
  names: { readonly as: As; readonly column: Column; readonly restrains: string },
  span: string,
  flag: { readonly name: string; readonly help: string },
) =>
  usdLimitField({
    ...{ ...names, help: `USD that it may spend in ${span}; null: no limit.` },
    flag: { ...flag, value: '<usd>', usual: 'no limit', canSet: true },
  })

const budgetFields = {
  total: budget(
    { as: 'totalNano', column: 'budget_total_nano', restrains: 'its total budget' },
    'all',
    { name: '--budget', help: 'what may be spent with it in all' },
  ),
  day: budget(
    { as: 'dayNano', column: 'budget_day_nano', restrains: 'its day budget' },
    'a UTC day',
    { name: '--budget-day', help: 'the same in a UTC day' },
  ),
  month: budget(
    { as: 'monthNano', column: 'budget_month_nano', restrains: 'its month budget' },
    'a UTC month',
    { name: '--budget-month', help: 'the same in a UTC month' },
  ),
}

const budgetHelp =
  'USD that it may spend: in all, or { total, day, month } by the UTC day and month; null: no limit, 0: nothing.'

/** A token: an API key of an account. The key itself is no field. */
export const tokenFields = {
  name: nameField({
    ...{ as: 'name', column: 'name', reads: 'name' },
    help: 'Name of the token, unique within the account.',
    flag: {
      ...{ name: '--name', value: '<name>', help: 'its name within the account' },
      usual: 'the next free token-1, …',
    },
  }),
  group: referenceField({ as: 'group', help: 'Name of the group that it belongs to.' }),
  status: statusField({
    help: 'false: the token is kept, but refused.',
    restrains: 'its status',
  }),
  models: listField({
    ...{
      as: 'models',
      column: 'models',
      title: 'Models',
      isListed: true,
      none: 'all of its group',
    },
    help: 'Models that it may ask for; empty: all of its group.',
    ...{ items: text('name', 'Model id.'), most: 200, mayRepeat: true },
    whenEmpty: 'list the models, or remove the key for all of its group',
    flag: {
      ...{ name: '--model', value: '<id...>', help: 'only these models' },
      usual: 'all of the group',
    },
  }),
  ip_allow: listField({
    ...{ as: 'ipAllow', column: 'ip_allow', title: 'Addresses', none: 'any' },
    help: 'Addresses or CIDR blocks that may use it; empty: any.',
    ...{ items: text('block', 'Address or CIDR block.'), most: 100, mayRepeat: true },
    whenEmpty: 'list the addresses, or remove the key for any',
    flag: { name: '--ip', value: '<cidr...>', help: 'only from these addresses', usual: 'any' },
  }),
  budget: partField({
    ...{ as: 'budget', help: budgetHelp, part: budgetFields, short: 'total' },
    file: optional(
      Type.Union(
        [
          decimal('usd', 'USD that it may spend in all.'),
          Type.Object(fileProperties(budgetFields), { ...map, minProperties: 1 }),
          Type.Null(),
        ],
        { description: budgetHelp },
      ),
    ),
  }),
  max_cost_per_request: usdLimitField({
    ...{ as: 'maxCostNano', column: 'max_cost_nano', restrains: 'its most for a request' },
    ...{ title: 'Max cost', isListed: true, none: 'no limit' },
    help: 'USD that one request may cost at the most: one that could cost more is refused; null: no limit.',
    flag: {
      ...{ name: '--max-cost-per-request', value: '<usd>', usual: 'no limit', canSet: true },
      help: 'what one request may cost at the most, else it is refused',
    },
  }),
  expires_at: timeField({
    ...{ as: 'expiresAt', column: 'expires_at', title: 'Expires', isListed: true, none: 'never' },
    help: 'When it expires, such as 2027-01-31T12:00:00Z (ISO 8601 with its offset); null: never.',
    flag: {
      ...{ name: '--expires', value: '<time>', help: 'when it expires, ISO 8601 with offset' },
      ...{ usual: 'never', canSet: true },
    },
  }),
  strict: switchField({
    ...{ as: 'isStrict', column: 'strict', title: 'Strict', isListed: true },
    yes: 'yes: refuses what translation would leave out',
    help: 'true: refuses what translation between protocols would leave out, as the header x-tollgate-strict: true does for one request.',
    flag: {
      ...{ name: '--strict', help: 'refuse what translation between protocols would leave out' },
      ...{ off: 'leave it out, and name it in the answer', canSet: true },
    },
  }),
  limits: limitsPart('Requests and LLM tokens a minute, and requests at once; null: no limit.'),
}

export interface TokenSettings extends Values<typeof tokenFields> {}
export type SomeTokenSettings = SomeValues<typeof tokenFields>
export interface TokenColumns extends Columns<typeof tokenFields> {}
