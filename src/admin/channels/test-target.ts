import { ApiError } from '../api-error.ts'
import type { CheckedChannel } from './entry.ts'
import type { TestAsked } from './schema.ts'

/** A question to an upstream. */
export interface TestTarget {
  readonly channel: CheckedChannel
  readonly key: string
  readonly upstreamModel: string
  /** Undefined: the one of its protocols that carries most. */
  readonly protocol: string | undefined
}

/**
 * What a test asks for, its first model and key where nothing else is named. Throws `ApiError` with the
 * field at fault for what the channel does not have.
 */
export function targetOf(
  channel: CheckedChannel,
  { model, protocol, key }: TestAsked,
  keyMark: (key: string) => string,
): TestTarget {
  const wanted = model ?? channel.models[0]?.id
  const found = channel.models.find(({ id }) => id === wanted)
  if (!found) throw unknown('model', `The channel does not offer ${JSON.stringify(wanted)}.`)
  if (protocol !== undefined && !Object.hasOwn(channel.speaks, protocol)) {
    throw unknown('protocol', `The channel does not speak ${protocol}.`)
  }
  const { apiKeys } = channel
  const used = key === undefined ? apiKeys[0] : apiKeys.find((one) => keyMark(one) === key)
  if (used === undefined) throw unknown('key', 'The channel has no such key (any more).')
  return { channel, key: used, upstreamModel: found.upstream, protocol }
}

const unknown = (field: string, message: string) =>
  new ApiError('invalid_value', message, { field, fault: 'not_known' })
