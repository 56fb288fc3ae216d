import { createChannelService } from '../../admin/channels/service.ts'
import { createGroupService } from '../../admin/groups/service.ts'
import { createKeyMark } from '../channel-care.ts'
import type { ConsoleParts } from './parts.ts'
import { checkChannel, checkGroup } from './rules.ts'

const namesOf = (things: readonly { readonly name: string }[]) =>
  new Set(things.map(({ name }) => name))

/** What administrators say may be called, and where. */
export function createCatalogServices(parts: ConsoleParts) {
  const { config, store, secrets, changed } = parts
  return {
    channels: createChannelService({
      ...{ store, secrets, changed },
      gateway: parts.channels,
      check: checkChannel,
      keyMark: createKeyMark(secrets),
      inFile: () => namesOf(config().channels),
    }),
    groups: createGroupService({
      ...{ store, changed },
      check: (entry) => checkGroup(entry, config().settings.countryHeader),
      inFile: () => namesOf(config().groups),
    }),
  }
}
