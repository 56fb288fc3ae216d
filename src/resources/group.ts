import { hostedTools } from '../protocols/canonical/tools.ts'
import { multiplierField, statusField, switchField, textField, wordField } from './kinds.ts'
import { limitsPart } from './limits.ts'
import {
  countryFlags,
  listField,
  openListField,
  referencesField,
  regionsField,
} from './list-kinds.ts'
import type { Columns, Values } from './resource.ts'
import { optional, regions, text, words } from './schema-parts.ts'

const regionsHelp = 'Countries whose requests it answers; left out: all.'

const accounts = openListField({
  ...{ as: 'accounts', column: 'accounts', title: 'For', none: 'all accounts', whenNone: 'nobody' },
  example: '[admin@example.com]',
  help: 'The accounts that may use it, by e-mail; left out: it is open to all. Others do not see it, unless settings say so.',
  ...{ items: text('email', 'E-mail of an account.'), most: 320, mostItems: 10_000 },
  whenEmpty: 'list the accounts ([] is nobody), or remove the key to open the group to all',
  flag: {
    ...{ name: '--accounts', value: '<emails>', hasCommas: true, canSet: true },
    ...{ help: 'only for these accounts: e-mails with commas between', usual: 'for all' },
    clearedBy: ['--open', 'for all accounts'],
  },
})

/** A group. It is identified by its name, which is no field. */
export const groupFields = {
  description: textField({
    ...{ as: 'description', column: 'description', title: 'Description', most: 10_000 },
    help: 'What the plaza says about the group.',
    flag: {
      ...{ name: '--description', value: '<text>' },
      help: 'what the price pages say about it',
    },
  }),
  platform: textField({
    ...{ as: 'platform', column: 'platform', title: 'Platform', most: 200 },
    example: 'openai',
    help: 'Platform word that the plaza shows, such as openai.',
    flag: { name: '--platform', value: '<word>', help: 'what the price pages call its vendor' },
  }),
  rate_multiplier: multiplierField({
    ...{ as: 'multiplierMillionths', column: 'multiplier_millionths', isAlwaysSaid: true },
    ...{ title: 'Rate multiplier', isListed: '×', isRight: true },
    help: 'Every price is multiplied by this; at most 6 decimals.',
    flag: {
      ...{ name: '--multiplier', value: '<number>', help: 'its rate multiplier', usual: '1' },
    },
  }),
  channels: referencesField({
    ...{ as: 'channels', title: 'Channels', isListed: true },
    ...{ itemHelp: 'Name of a channel.' },
    help: 'Names of the channels that its requests may go to.',
    flag: { name: '--channel', value: '<name...>', help: 'its channels', isRequired: true },
  }),
  models: listField({
    ...{ as: 'models', column: 'models', title: 'Restricted to' },
    none: 'nothing: all that its channels offer',
    help: 'Models of the group; empty: all its channels offer and that have a price.',
    ...{ items: text('name', 'Model id.'), most: 1_000, mostItems: 20_000 },
    whenEmpty: 'list the models, or remove the key for all that its channels offer',
    flag: {
      ...{ name: '--model', value: '<id...>', help: 'only these models' },
      usual: 'all of its channels',
    },
  }),
  long_context_pricing: switchField({
    ...{ as: 'longContextPricing', column: 'long_context_pricing', isUsual: true },
    title: 'Long-context prices',
    help: 'Whether the tiers of a price apply in this group.',
  }),
  status: statusField({ help: 'false: the group is kept, but its tokens are refused.' }),
  on_disconnect: wordField({
    ...{ as: 'onDisconnect', column: 'on_disconnect', isAlwaysSaid: true },
    ...{ words: ['bill_observed', 'drain'], usual: 'bill_observed' },
    title: 'When a client disconnects',
    meanings: {
      bill_observed:
        'what was seen is billed; what a vendor does unseen (reasoning, images) is read to its end',
      drain: 'every answer is read to its end',
    },
    help: 'When a client disconnects: bill_observed stops and bills what was seen, unless the vendor bills what can not be seen (reasoning, images): that is read to its end; drain reads every answer to its end.',
  }),
  limits: limitsPart('Limits of the group: of all its tokens together.'),
  regions: {
    ...regionsField({
      ...{ as: 'regions', column: 'regions', help: regionsHelp, title: 'Countries', none: 'all' },
      ...{ example: '{ allow: [CN, US] }', flags: countryFlags(true) },
    }),
    file: optional(regions(regionsHelp)),
  },
  accounts: {
    ...accounts,
    /** Groups compare addresses in lower case. */
    fromFile: (emails: readonly string[] | null = null) =>
      emails && [...new Set(emails.map((email) => email.toLowerCase()))],
  },
  tools: openListField({
    ...{ as: 'tools', column: 'tools', title: 'Tools of vendors', none: 'all with a price' },
    help: 'Tools of the vendors that may be used; left out: all that have a price; empty: none.',
    ...{ items: words(hostedTools, 'A tool that the vendor runs itself.'), whenNone: 'none' },
    ...{ most: 64, mostItems: 64, example: '[web_search]' },
    whenEmpty: 'list the tools ([] is none), or remove the key for all that have a price',
    flag: {
      ...{ name: '--tools', value: '<names>', hasCommas: true, canSet: true },
      help: 'only these tools of vendors: names with commas between, "" for none',
      usual: 'all with a price',
      clearedBy: ['--all-tools', 'all tools that have a price'],
    },
  }),
}

export interface GroupValues extends Values<typeof groupFields> {}
export interface GroupColumns extends Columns<typeof groupFields> {}
