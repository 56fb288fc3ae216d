import type { Channel } from '../../../admin/channels/schema.ts'
import type { GivenPrice } from '../../../admin/prices/schema.ts'
import { api, CallFailed, call } from '../../lib/api.ts'
import type { Source } from './choice.ts'

/** What the second step makes. */
export interface Wanted {
  /** A channel that is there already, or a new one. */
  readonly channel: Pick<Channel, 'id' | 'name'> | Source
  readonly models: readonly string[]
  /** Prices of models that no vendor's list has. */
  readonly prices: ReadonlyMap<string, GivenPrice>
  readonly group: string
  readonly multiplier: string
}

/** What is made by now: a second try goes on from here. */
export interface Made {
  channel?: Pick<Channel, 'id' | 'name'>
  readonly priced: Set<string>
  group?: string
}

/** Makes channel, prices and group, and notes each in `made`. Throws what the API refuses. */
export async function build(wanted: Wanted, made: Made): Promise<void> {
  made.channel ??= 'id' in wanted.channel ? wanted.channel : await makeChannel(wanted)
  for (const [model, price] of wanted.prices) {
    if (made.priced.has(model)) continue
    await setPrice(model, price)
    made.priced.add(model)
  }
  if (made.group !== wanted.group) await makeGroup(wanted, made.channel.name)
  made.group = wanted.group
}

async function makeChannel({ channel, models }: Wanted): Promise<Channel> {
  const { name, ...settings } = channel as Source
  for (let number = 1; ; number++) {
    const named = number === 1 ? name : `${name}-${number}`
    const body = { ...settings, name: named, models: models.map((id) => ({ id })) }
    try {
      return await call(api.admin.channels.post(body))
    } catch (error) {
      if (!isRefused(error, 'name_taken') || number > 20) throw error
    }
  }
}

/** A price that is there already stays. */
async function setPrice(model: string, price: GivenPrice): Promise<void> {
  try {
    await call(api.admin.prices({ model }).put({ ...price, replaces: null }))
  } catch (error) {
    if (!isRefused(error, 'conflict')) throw error
  }
}

/** A group of this name that is there already gets the channel, too. */
async function makeGroup({ group, multiplier }: Wanted, channel: string): Promise<void> {
  const { items } = await call(api.admin.groups.get({ query: { page_size: 100 } }))
  const present = items.find(({ name }) => name === group)
  if (present === undefined) {
    const body = { name: group, channels: [channel], rate_multiplier: multiplier }
    await call(api.admin.groups.post(body))
    return
  }
  const channels = present.channels.map(({ name }) => name)
  if (channels.includes(channel)) return
  await call(api.admin.groups({ id: present.id }).patch({ channels: [...channels, channel] }))
}

const isRefused = (error: unknown, reason: string) =>
  error instanceof CallFailed && error.reason === reason
