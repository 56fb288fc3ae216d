import type { ConfigExport } from '../../../admin/config-export/routes.ts'
import { download } from '../../../admin/download.ts'
import type { Clock } from '../../../lib/clock.ts'
import type { Logger } from '../../../lib/log.ts'
import type { ListStore } from '../../../store/ports/lists.ts'
import { accountsText } from './accounts.ts'
import { configBeforeAccounts } from './before-accounts.ts'
import type { ConfigState } from './state.ts'

interface ConfigExportParts {
  /** What the gateway has in its memory. */
  readonly configState: () => Promise<ConfigState>
  readonly lists: ListStore
  readonly clock: Clock
  readonly log: Logger
}

const file = { name: 'tollgate.yaml', type: 'application/yaml; charset=utf-8' }

/** The present state as a file, written while it is sent. */
export function createConfigExport({ configState, lists, clock, log }: ConfigExportParts) {
  async function* text(): AsyncGenerator<string> {
    yield configBeforeAccounts(await configState(), clock())
    yield* accountsText(lists)
  }
  const send: ConfigExport = (signal) => download(text(), file, { signal, log })
  return send
}
