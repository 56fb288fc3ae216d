import { createAccountLists } from '../../../admin/accounts/lists.ts'
import { createAttemptService } from '../../../admin/attempts/service.ts'
import { createLedgerService } from '../../../admin/ledger/service.ts'
import type { GatewayNow } from '../../../admin/overview/schema.ts'
import { createOverview } from '../../../admin/overview/service.ts'
import type { ReadingServices } from '../../../admin/reading-api.ts'
import { createRequestExport } from '../../../admin/requests/export.ts'
import { createRequestService } from '../../../admin/requests/service.ts'
import { createTokenLists } from '../../../admin/tokens/lists.ts'
import type { Clock } from '../../../lib/clock.ts'
import type { Logger } from '../../../lib/log.ts'
import type { ReceiptRows } from '../../../store/ports/records.ts'
import type { ReadingStore } from '../../../store/ports/store.ts'
import { createConfigExport } from '../config-export/service.ts'
import type { ConfigState } from '../config-export/state.ts'

/** What only the gateway itself knows of what is read. All values are plain data. */
export interface GatewayFacts {
  /** Below this a balance counts as low, where its account says nothing else. */
  usuallyLowNano(): Promise<number>
  now(): Promise<GatewayNow>
  /** What a tollgate.yaml says of it, but for accounts and tokens. */
  configState(): Promise<ConfigState>
  /** Takes what is only the upstream's (keys, hosts) out of what an upstream has reported. */
  hideUpstream(rows: ReceiptRows): Promise<ReceiptRows>
}

export interface ReadingParts {
  readonly store: ReadingStore
  readonly facts: GatewayFacts
  readonly clock: Clock
  readonly log: Logger
}

/** Makes what lists, charts and exports are answered by. */
export function createReadingServices(parts: ReadingParts): ReadingServices {
  const { store, facts, clock, log } = parts
  const { lists, records, admin: accounts } = store
  return {
    accountLists: createAccountLists(store),
    attempts: createAttemptService(lists),
    configExport: createConfigExport({ ...facts, lists, clock, log }),
    ledger: createLedgerService({ lists, log }),
    lists,
    overview: createOverview({ ...{ store, clock }, ...facts }),
    requests: createRequestService({ ...{ lists, records, accounts }, ...facts }),
    requestExport: createRequestExport({ lists, accounts, clock, log }),
    tokenLists: createTokenLists(lists),
  }
}
