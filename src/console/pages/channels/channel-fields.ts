import type { Channel, ChannelChange } from '../../../admin/channels/schema.ts'
import { type FieldsOf, formOf, limits, linesOf, type Typed } from '../../parts/form-fields.ts'
import type { channelText } from './text.ts'
import { vendorList } from './vendors.ts'

export const protocols = ['chat', 'responses', 'messages', 'gemini'] as const
export type ProtocolName = (typeof protocols)[number]

/** What each protocol is called where people know it. */
export const protocolTitles: Readonly<Record<ProtocolName, string>> = {
  chat: 'Chat Completions',
  responses: 'Responses',
  messages: 'Messages (Anthropic)',
  gemini: 'Gemini',
}

type Speaks<List> = {
  readonly [Name in keyof List]: List[Name] extends { speaks: infer S } ? S : never
}

/** Addresses of well-known vendors, by their names. */
export const vendors = Object.fromEntries(
  Object.entries(vendorList).map(([name, { speaks }]) => [name, speaks]),
) as Speaks<typeof vendorList>

/** Where a channel leads; its keys follow. */
export const addressFields = {
  name: 'line',
  speaks: { chat: 'wideWord', responses: 'wideWord', messages: 'wideWord', gemini: 'wideWord' },
} as const

const modelLine = ({ id, upstream }: Channel['models'][number]) =>
  id === upstream ? id : `${id} = ${upstream}`

/** What it offers, and when it is asked. */
export const offerFields = {
  models: {
    input: 'lines',
    fill: (models?: Channel['models']) => (models ?? []).map(modelLine).join('\n'),
    read: (typed: string) => linesOf(typed).map(readModel),
    show: (models: Channel['models']) => models.map(modelLine),
  },
  priority: 'whole',
  weight: 'whole',
  limits,
} as const

/** What most channels leave at its default. */
export const advancedFields = {
  timeouts: { connect: 'word', first_byte: 'word', idle: 'word', total: 'word' },
  probe: { every: 'word', model: 'word' },
  allow_private: 'flag',
  quirks: 'tags',
} as const

type Secret = 'proxy' | 'api_keys' | 'add_keys' | 'remove_keys'
const fields = {
  ...addressFields,
  ...offerFields,
  ...advancedFields,
} satisfies FieldsOf<ChannelChange, Secret>
const form = formOf(
  fields,
  {
    priority: 0,
    weight: 1,
    timeouts: { connect: '10s', first_byte: '5m', idle: '2m', total: '1h' },
  },
  ({ speaks, probe: { every, model }, ...rest }) => ({
    ...rest,
    speaks: Object.fromEntries(Object.entries(speaks).filter(([, base]) => base !== '')),
    probe: every === '' ? null : { every, model: model || null },
  }),
)
export const { shown } = form

/** What stands in the form of a channel. */
export interface ChannelValues extends Typed<typeof fields> {
  /** One key a line: all keys of a new channel, or keys to add. */
  keys: string
  remove_keys: string[]
  proxy: string
  remove_proxy: boolean
}

/** The form of a channel as it is; of a new one, with the defaults. */
export const valuesOf = (channel: Channel | undefined): ChannelValues => ({
  ...form.valuesOf(channel),
  keys: '',
  remove_keys: [],
  proxy: '',
  remove_proxy: false,
})

/** A whole new channel. */
export function newChannelOf(values: ChannelValues) {
  const proxy = values.proxy.trim()
  return {
    ...form.settingsOf(values),
    api_keys: linesOf(values.keys),
    ...(proxy !== '' && { proxy }),
  }
}

/** What the form changes of what was seen: nothing else is named. */
export function changeOf(seen: Channel, values: ChannelValues): ChannelChange {
  const proxy = values.proxy.trim()
  const add_keys = linesOf(values.keys)
  return {
    ...form.changeOf(seen, values),
    ...(add_keys.length > 0 && { add_keys }),
    ...(values.remove_keys.length > 0 && { remove_keys: values.remove_keys }),
    ...(proxy !== '' ? { proxy } : values.remove_proxy && { proxy: null }),
    revision: seen.revision,
  }
}

/** The form's field of a field of the API. */
export function fieldOf(named: string): string {
  const field = named.replace(/^channel\./, '')
  return /^(api|add|remove)_keys\b/.test(field) ? 'keys' : form.fieldOf(field)
}

/** `fast = gpt-5-nano`, `fast=gpt-5-nano` or `gpt-5-mini`. */
function readModel(line: string): { id: string; upstream?: string } {
  const [id = '', ...rest] = line.split('=')
  const upstream = rest.join('=').trim()
  return upstream === '' ? { id: id.trim() } : { id: id.trim(), upstream }
}

type Text = (typeof channelText)['en']

/**
 * What people forget most, told before anything is sent; the API knows all rules. `keyCount`: how
 * many keys the channel has.
 */
export const validateChannel =
  (text: Text, keyCount: number) =>
  (values: ChannelValues): Record<string, string> => ({
    ...(isEmpty(values.name) && { name: text.needed }),
    ...(isEmpty(values.models) && { models: text.needed }),
    ...(isEmpty(values.keys) && keyCount <= values.remove_keys.length && { keys: text.neededKey }),
    ...validateAddresses(text, values),
  })

function validateAddresses(text: Text, { speaks }: ChannelValues): Record<string, string> {
  const given = protocols.filter((protocol) => !isEmpty(speaks[protocol]))
  if (given.length === 0) return { 'speaks.chat': text.neededAddress }
  const wrong = given.filter((protocol) => !/^https?:\/\//i.test(speaks[protocol].trim()))
  return Object.fromEntries(wrong.map((protocol) => [`speaks.${protocol}`, text.notAddress]))
}

const isEmpty = (text: string) => text.trim() === ''
