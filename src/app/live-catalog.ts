import { catalogSteps } from '../catalog/catalog.ts'
import { compileAddressList } from '../gateway/admit/client-address.ts'
import { createMutex } from '../lib/concurrency.ts'
import type { SecretBox } from '../lib/secrets.ts'
import { inSlices } from '../lib/slices.ts'
import type { CatalogStore } from '../store/ports/catalog.ts'
import type { Config } from './config/config.ts'

export type LiveCatalog = Awaited<ReturnType<typeof createLiveCatalog>>

/** Loads the first snapshot; throws when the store can't be read or the secret is another one. */
export async function createLiveCatalog(
  store: { readonly catalog: Pick<CatalogStore, 'load'> },
  secrets: SecretBox,
) {
  const load = async () => {
    const rows = await store.catalog.load()
    const openKeys = (sealed: Uint8Array) => JSON.parse(secrets.open(sealed))
    return { rows, catalog: await inSlices(catalogSteps(rows, openKeys, secrets.open)) }
  }
  let live = await load()
  // An earlier read must not replace a later one.
  const inTurn = createMutex()
  return {
    current: () => live.catalog,
    /** The rows it was built from, disabled and unpriced ones included. */
    rows: () => live.rows,
    reload: () =>
      inTurn(async () => {
        live = await load()
      }),
  }
}

/** Compiles a configuration for the hot path. */
export function liveSettings({ server, settings }: Config) {
  return {
    trustedProxies: compileAddressList(server.trustedProxies),
    countryHeader: settings.countryHeader,
    geminiQueryKey: settings.geminiQueryKey,
    modelsList: settings.modelsList,
    unknownAnswers: settings.unknownAnswers,
    maxBodyBytes: server.maxBodyBytes,
    maxRequests: server.maxRequests ?? undefined,
    maxConnections: server.maxConnections ?? undefined,
    usualOutputTokens: settings.usualOutputTokens,
    maxAttempts: settings.maxAttempts,
    retryTimeMs: settings.retryTimeMs,
    queueTimeMs: settings.queueTimeMs,
    channelCooling: settings.channelCooling,
    responsesWebsocket: settings.responsesWebsocket,
    keptResponses: { keptMs: settings.keepResponsesMs, maxBytes: settings.keepResponsesBytes },
    balanceLowThresholdNano: settings.balanceLowThresholdNano,
  }
}
