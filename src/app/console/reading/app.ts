import { Elysia } from 'elysia'
import { createGuard, type SignedIn } from '../../../admin/access.ts'
import { createAccountLists } from '../../../admin/accounts/lists.ts'
import { createAttemptService } from '../../../admin/attempts/routes.ts'
import type { FindChannelKeys } from '../../../admin/channels/keys.ts'
import { isFile } from '../../../admin/download.ts'
import { renderError } from '../../../admin/errors.ts'
import { createLedgerService } from '../../../admin/ledger/routes.ts'
import type { GatewayNow } from '../../../admin/overview/schema.ts'
import { createOverview } from '../../../admin/overview/service.ts'
import { type ReadingServices, readingApi } from '../../../admin/reading-api.ts'
import { createRequestExport, createRequestService } from '../../../admin/requests/service.ts'
import { createTokenLists } from '../../../admin/tokens/lists.ts'
import { pageNotFound } from '../../../gateway/errors.ts'
import type { Clock } from '../../../lib/clock.ts'
import type { Logger } from '../../../lib/log.ts'
import type { ReceiptRows } from '../../../store/ports/records.ts'
import type { ReadingStore } from '../../../store/ports/store.ts'
import { createConfigExport } from '../config-export/service.ts'
import type { ConfigState } from '../config-export/state.ts'
import { compress } from './compress.ts'

/** Routes of what is read, as an application of its own; the session has found `who` already. */
export function createReadingApp(parts: ReadingParts) {
  const people = new WeakMap<Request, SignedIn>()
  // Origins are checked for changes only, and nothing is changed here.
  const guard = createGuard({ find: async (request) => people.get(request) }, () => [])
  const app = new Elysia({ strictPath: true, handler: { standardHostname: false } })
    .onError(({ code, error, request }) =>
      code === 'NOT_FOUND' ? pageNotFound() : renderError({ code, error, request }, parts.log),
    )
    .use(readingApi(guard, createReadingServices(parts)))
  return {
    async handle(request: Request, who: SignedIn): Promise<Response> {
      const isHead = request.method === 'HEAD'
      // HEAD reports the headers of GET, whose body is dropped.
      const asked = isHead ? new Request(request, { method: 'GET' }) : request
      people.set(asked, who)
      const answer = await compress(asked, await app.handle(asked))
      return isHead ? headOf(answer) : answer
    },
  }
}

/** Keeps the length of the dropped body, but not for files: their length is unknown. */
async function headOf(answer: Response): Promise<Response> {
  const { status, headers, body } = answer
  if (isFile(headers)) {
    // Not awaited: it ends with the answer.
    body?.cancel().catch(() => {})
    return new Response(null, answer)
  }
  const { byteLength } = await answer.arrayBuffer()
  headers.set('content-length', String(byteLength))
  return new Response(null, { status, headers })
}

/** What only the gateway knows of what is read. All values are plain data. */
export interface GatewayFacts {
  /** Default low-balance threshold of accounts. */
  usuallyLowNano(): Promise<number>
  now(): Promise<GatewayNow>
  /** What a tollgate.yaml says of it, without accounts and tokens. */
  configState(): Promise<ConfigState>
  /** Redacts keys and hosts of upstreams in what an upstream has reported. */
  hideUpstream(rows: ReceiptRows): Promise<ReceiptRows>
  readonly channelKeys: FindChannelKeys
}

interface ReadingParts {
  readonly store: ReadingStore
  readonly facts: GatewayFacts
  readonly clock: Clock
  readonly log: Logger
}

/** Creates the services of lists, charts and exports. */
export function createReadingServices(parts: ReadingParts): ReadingServices {
  const { store, facts, clock, log } = parts
  const { lists, records, admin: accounts } = store
  return {
    accountLists: createAccountLists(store),
    attempts: createAttemptService(lists),
    configExport: createConfigExport(facts.configState, lists, parts),
    ledger: createLedgerService(lists, log),
    lists,
    overview: createOverview({ ...{ store, clock }, ...facts }),
    requests: createRequestService({ ...{ lists, records, accounts }, ...facts }),
    requestExport: createRequestExport({ lists, accounts, clock, log }),
    tokenLists: createTokenLists(lists),
  }
}
