import { isoTime } from '../../lib/format.ts'
import { channelFields } from '../../resources/channel.ts'
import { toView } from '../../resources/resource.ts'
import type { ChannelRow } from '../../store/ports/catalog.ts'
import type { CoolingRow } from '../../store/ports/counters.ts'
import type { EditableCatalog, EditableChannel } from '../../store/ports/edits.ts'
import type { Remark } from '../refusals.ts'
import type { CheckedChannel } from './entry.ts'
import { hintsOf } from './keys.ts'
import type { Channel, ChannelItem, ChannelState } from './schema.ts'
import type { ChannelParts } from './service.ts'

const listedModels = 20

/** Views of channels, with keys and proxy redacted. */
export function createChannelViews(parts: ChannelParts) {
  const { secrets, gateway, keyMark, inFile } = parts

  function open({ keysSealed, proxySealed, ...row }: ChannelRow): CheckedChannel {
    return {
      ...row,
      apiKeys: JSON.parse(secrets.open(keysSealed)),
      proxy: proxySealed === null ? null : secrets.open(proxySealed),
    }
  }

  function common(row: EditableChannel, opened: CheckedChannel, catalog: EditableCatalog) {
    const { models: _, timeouts: __, probe: ___, ...fields } = toView(channelFields, opened)
    const keys = [...hintsOf(opened.apiKeys, keyMark)].map(([mark, hint]) => ({ mark, hint }))
    const groups = catalog.groups.filter(({ channels }) => channels.includes(row.name))
    const cooling = gateway.coolings().filter(({ channelId }) => channelId === row.id)
    return {
      ...{ id: row.id, name: row.name, status: row.status, ...fields },
      state: stateOf({ status: row.status, keys, isInGroup: groups.length > 0, cooling }),
      proxy: opened.proxy && maskProxy(opened.proxy),
      keys,
      groups: groups.map(({ id, name }) => ({ id, name })),
      recent: gateway.recent(row.id),
      in_file: inFile().has(row.name),
    }
  }

  return {
    open,
    item(row: EditableChannel, catalog: EditableCatalog): ChannelItem {
      const opened = open(row)
      return {
        ...common(row, opened, catalog),
        models: [...opened.models.slice(0, listedModels)],
        model_count: opened.models.length,
      }
    },
    whole(
      row: EditableChannel,
      opened: CheckedChannel,
      catalog: EditableCatalog,
      warnings: readonly Remark[],
    ): Channel {
      const { models, timeouts, probe } = toView(channelFields, opened)
      return {
        ...common(row, opened, catalog),
        ...{ models, timeouts, probe, revision: row.revision, warnings: [...warnings] },
        created_at: isoTime(row.createdAt),
      }
    },
  }
}

/** Redacts user and password: `http://***@proxy.example.com:3128`. */
function maskProxy(proxy: string): string {
  const url = URL.parse(proxy)
  if (url === null) return '***'
  const login = url.username === '' && url.password === '' ? '' : '***@'
  return `${url.protocol}//${login}${url.host}`
}

interface StateOf {
  readonly status: ChannelRow['status']
  readonly keys: readonly { readonly mark: string; readonly hint: string }[]
  readonly isInGroup: boolean
  readonly cooling: readonly CoolingRow[]
}

/** The state of a channel; when all its keys cool down, the channel does. */
export function stateOf({ status, keys, isInGroup, cooling }: StateOf): ChannelState {
  const whole = cooling.filter(({ key, model }) => key === '' && model === '')
  const coolingKeys = keys.flatMap(
    ({ mark }) => cooling.find(({ key, model }) => key === mark && model === '') ?? [],
  )
  const holding = coolingKeys.length === keys.length ? [...whole, ...coolingKeys] : whole
  const [first] = holding.toSorted((a, b) => a.until - b.until)
  // A cooldown of the whole channel takes precedence over those of its keys.
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
