import type { Channel, ChannelChange } from '../../../admin/channels/schema.ts'
import {
  changedIn,
  type LimitValues,
  limitValues,
  linesOf,
  readLimits,
} from '../../parts/form-values.ts'
import type { channelText } from './text.ts'

/** What stands in the form of a channel; texts as people type them. */
export interface ChannelValues {
  name: string
  speaks: Record<ProtocolName, string>
  /** One key a line: all of a new channel's, further ones of another. */
  keys: string
  /** Marks of keys that are to go. */
  remove_keys: string[]
  /** One model a line; `name = upstream's name`. */
  models: string
  priority: number | string
  weight: number | string
  limits: LimitValues
  timeouts: { connect: string; first_byte: string; idle: string; total: string }
  probe_every: string
  probe_model: string
  proxy: string
  remove_proxy: boolean
  allow_private: boolean
  quirks: string[]
}

/** The form of a channel as it is; of one that is yet to be made, with the defaults. */
export function valuesOf(channel: Channel | undefined): ChannelValues {
  const speaks = channel?.speaks ?? {}
  return {
    name: channel?.name ?? '',
    speaks: {
      chat: speaks.chat ?? '',
      responses: speaks.responses ?? '',
      messages: speaks.messages ?? '',
      gemini: speaks.gemini ?? '',
    },
    keys: '',
    remove_keys: [],
    models: (channel?.models ?? [])
      .map(({ id, upstream }) => (id === upstream ? id : `${id} = ${upstream}`))
      .join('\n'),
    priority: channel?.priority ?? 0,
    weight: channel?.weight ?? 1,
    limits: limitValues(channel?.limits),
    timeouts: channel?.timeouts ?? {
      connect: '10s',
      first_byte: '5m',
      idle: '2m',
      total: '1h',
    },
    probe_every: channel?.probe?.every ?? '',
    probe_model: channel?.probe?.model ?? '',
    proxy: '',
    remove_proxy: false,
    allow_private: channel?.allow_private ?? false,
    quirks: channel?.quirks ?? [],
  }
}

/** What the form says, as the API wants it: without keys and proxy, which are only ever set. */
function settingsOf(values: ChannelValues) {
  const { probe_every, probe_model } = values
  const spoken = protocols.flatMap((protocol) => {
    const base = values.speaks[protocol].trim()
    return base === '' ? [] : [[protocol, base] as const]
  })
  return {
    name: values.name,
    speaks: Object.fromEntries(spoken),
    models: linesOf(values.models).map(readModel),
    priority: whole(values.priority, 0),
    weight: whole(values.weight, 1),
    limits: readLimits(values.limits),
    timeouts: trimmed(values.timeouts),
    probe: probe_every.trim()
      ? { every: probe_every.trim(), model: probe_model.trim() || null }
      : null,
    allow_private: values.allow_private,
    quirks: values.quirks,
  }
}

/** A whole new channel. */
export function newChannelOf(values: ChannelValues) {
  const proxy = values.proxy.trim()
  return {
    ...settingsOf(values),
    api_keys: linesOf(values.keys),
    ...(proxy !== '' && { proxy }),
  }
}

/** What the form changes of what was seen: nothing else is named. */
export function changeOf(seen: Channel, values: ChannelValues): ChannelChange {
  const proxy = values.proxy.trim()
  const add_keys = linesOf(values.keys)
  return {
    ...changedIn<ChannelChange>(settingsOf(valuesOf(seen)), settingsOf(values)),
    ...(add_keys.length > 0 && { add_keys }),
    ...(values.remove_keys.length > 0 && { remove_keys: values.remove_keys }),
    ...(proxy !== '' ? { proxy } : values.remove_proxy && { proxy: null }),
    revision: seen.revision,
  }
}

/** The field of the form that a field of the API stands in. */
export function fieldOf(named: string): string {
  const field = named.replace(/^channel\./, '')
  const [first = ''] = field.split('.')
  if (['models', 'quirks'].includes(first)) return first
  if (['api_keys', 'add_keys', 'remove_keys'].includes(first)) return 'keys'
  if (first === 'probe') return field === 'probe.model' ? 'probe_model' : 'probe_every'
  return field === 'speaks' ? 'speaks.chat' : field
}

/** `fast = gpt-5-nano`, `fast=gpt-5-nano` or `gpt-5-mini`. */
function readModel(line: string): { id: string; upstream?: string } {
  const [id = '', ...rest] = line.split('=')
  const upstream = rest.join('=').trim()
  return upstream === '' ? { id: id.trim() } : { id: id.trim(), upstream }
}

/** What is no number is told by the API. */
const whole = (value: number | string, empty: number) => (value === '' ? empty : Number(value))

const trimmed = <Texts extends Record<string, string>>(texts: Texts) =>
  Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, text.trim()])) as Texts

type Words = (typeof channelText)['en']

/**
 * What people forget most, told before anything is sent; the API knows all rules. `keyCount`: how
 * many keys the channel has.
 */
export const validateChannel =
  (text: Words, keyCount: number) =>
  (values: ChannelValues): Record<string, string> => ({
    ...(isEmpty(values.name) && { name: text.needed }),
    ...(isEmpty(values.models) && { models: text.needed }),
    ...(isEmpty(values.keys) && keyCount <= values.remove_keys.length && { keys: text.neededKey }),
    ...validateAddresses(text, values),
  })

function validateAddresses(text: Words, { speaks }: ChannelValues): Record<string, string> {
  const given = protocols.filter((protocol) => !isEmpty(speaks[protocol]))
  if (given.length === 0) return { 'speaks.chat': text.neededAddress }
  const wrong = given.filter((protocol) => !/^https?:\/\//i.test(speaks[protocol].trim()))
  return Object.fromEntries(wrong.map((protocol) => [`speaks.${protocol}`, text.notAddress]))
}

const isEmpty = (text: string) => text.trim() === ''

export const protocols = ['chat', 'responses', 'messages', 'gemini'] as const
export type ProtocolName = (typeof protocols)[number]

/** What each protocol is called where people know it. */
export const protocolTitles: Readonly<Record<ProtocolName, string>> = {
  chat: 'Chat Completions',
  responses: 'Responses',
  messages: 'Messages (Anthropic)',
  gemini: 'Gemini',
}

/** Public addresses of well-known vendors, each as its own SDK has it. */
export const vendors: readonly {
  readonly name: string
  readonly speaks: Readonly<Partial<Record<ProtocolName, string>>>
}[] = [
  {
    name: 'OpenAI',
    speaks: { chat: 'https://api.openai.com/v1', responses: 'https://api.openai.com/v1' },
  },
  {
    name: 'Anthropic',
    speaks: { messages: 'https://api.anthropic.com' },
  },
  {
    name: 'Google Gemini',
    speaks: { gemini: 'https://generativelanguage.googleapis.com' },
  },
  {
    name: 'DeepSeek',
    speaks: { chat: 'https://api.deepseek.com/v1', messages: 'https://api.deepseek.com/anthropic' },
  },
  {
    name: 'Moonshot',
    speaks: { chat: 'https://api.moonshot.cn/v1', messages: 'https://api.moonshot.cn/anthropic' },
  },
  {
    name: 'OpenRouter',
    speaks: { chat: 'https://openrouter.ai/api/v1' },
  },
]
