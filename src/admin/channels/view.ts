import { isoTime } from '../../lib/format.ts'
import { keyHint } from '../../lib/ids.ts'
import { channelFields } from '../../resources/channel.ts'
import { toView } from '../../resources/resource.ts'
import type { ChannelRow } from '../../store/ports/catalog.ts'
import type { EditableCatalog, EditableChannel } from '../../store/ports/edits.ts'
import type { Remark } from '../checked.ts'
import type { CheckedChannel } from './entry.ts'
import type { Channel, ChannelItem } from './schema.ts'
import type { ChannelParts } from './service.ts'
import { stateOf } from './state.ts'

/** So many models of a channel stand in a list. */
const listedModels = 20

/** Shows channels: of their keys the ends, of their proxy the address without its password. */
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
    const keys = opened.apiKeys.map((key) => ({ mark: keyMark(key), hint: keyHint(key) }))
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

/** `http://***@proxy.example.com:3128`: who goes by it, and how, is nobody's business. */
function maskProxy(proxy: string): string {
  const url = URL.parse(proxy)
  if (url === null) return '***'
  const login = url.username === '' && url.password === '' ? '' : '***@'
  return `${url.protocol}//${login}${url.host}`
}
