import { keyHint } from '../../lib/ids.ts'

/** A channel's name, and the hints of its keys by their marks. */
export interface ChannelKeys {
  readonly name: string
  readonly hints: ReadonlyMap<string, string>
}

/** The channels of these ids, of which removed ones are left out. */
export type FindChannelKeys = (
  channelIds: readonly number[],
) => Promise<ReadonlyMap<number, ChannelKeys>>

/** The hints of keys by their marks. */
export const hintsOf = (
  keys: readonly string[],
  keyMark: (key: string) => string,
): ReadonlyMap<string, string> => new Map(keys.map((key) => [keyMark(key), keyHint(key)]))
