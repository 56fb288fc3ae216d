import { compileAddressList } from '../gateway/admit/client-address.ts'
import type { Config } from './config/config.ts'

/** What the hot path reads of the configuration, compiled. */
export type LiveSettings = ReturnType<typeof liveSettings>

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
