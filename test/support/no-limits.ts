import type { Channel } from '../../src/catalog/catalog.ts'
import type { Limits } from '../../src/store/ports/catalog.ts'

/** Of whatever has no limit. */
export const noLimits: Limits = { rpm: null, tpm: null, concurrency: null }

/** What a catalog's channel has when nothing was said of it. */
export const plainChannel = {
  isDraining: false,
  limits: noLimits,
  proxy: undefined,
  probe: null,
} satisfies Partial<Channel>
