import { isoTime } from '../../lib/format.ts'
import type { ChannelRow } from '../../store/ports/catalog.ts'
import type { CoolingRow } from '../../store/ports/counters.ts'
import type { ChannelState } from './schema.ts'

/** What a channel's state is made of. */
export interface StateOf {
  readonly status: ChannelRow['status']
  readonly keys: readonly { readonly mark: string; readonly hint: string }[]
  readonly isInGroup: boolean
  /** What cools of this channel. */
  readonly cooling: readonly CoolingRow[]
}

/** How a channel is, in one word; all its keys cooling is the whole channel cooling. */
export function stateOf({ status, keys, isInGroup, cooling }: StateOf): ChannelState {
  const whole = cooling.filter(({ key, model }) => key === '' && model === '')
  const coolingKeys = keys.flatMap(
    ({ mark }) => cooling.find(({ key, model }) => key === mark && model === '') ?? [],
  )
  const holding = coolingKeys.length === keys.length ? [...whole, ...coolingKeys] : whole
  const [first] = holding.toSorted((a, b) => a.until - b.until)
  // What holds for the whole channel outlasts its keys.
  const until = whole[0]?.until ?? first?.until
  const isCooling = status === 'active' && until !== undefined
  return {
    word: wordOf(status, isCooling, cooling.length > 0, isInGroup),
    until: isCooling ? isoTime(until) : null,
    cause: isCooling ? ((whole[0] ?? first)?.cause ?? null) : null,
    keys: keys.length,
    keys_cooling: coolingKeys.length,
    parts: cooling.map(({ key, model, cause, since, until, rounds }) => ({
      key_hint: key === '' ? null : (keys.find(({ mark }) => mark === key)?.hint ?? ''),
      model: model === '' ? null : model,
      cause,
      since: isoTime(since),
      until: isoTime(until),
      rounds,
    })),
  }
}

function wordOf(
  status: ChannelRow['status'],
  isCooling: boolean,
  isPartly: boolean,
  isInGroup: boolean,
): ChannelState['word'] {
  if (status !== 'active') return status
  if (isCooling) return 'cooling'
  if (isPartly) return 'partly'
  return isInGroup ? 'works' : 'unused'
}
