import { hideUpstream } from '../../gateway/serve/receipt.ts'
import { fileOf } from '../store-place.ts'
import { configState } from './config-export/state.ts'
import { createGatewayNow } from './gateway-now.ts'
import type { ConsoleParts } from './parts.ts'
import type { GatewayFacts } from './reading/services.ts'

/** What this process knows, for lists and charts: they may be made elsewhere. */
export function createFacts(parts: ConsoleParts): GatewayFacts {
  const { config, metrics, catalog, secrets } = parts
  return {
    usuallyLowNano: async () => config().settings.balanceLowThresholdNano,
    now: createGatewayNow({ ...parts, file: fileOf(config().store) }),
    configState: async () => configState({ config: config(), rows: catalog.rows(), secrets }),
    hideUpstream: async (rows) => hideUpstream(rows, metrics.catalog()),
  }
}
