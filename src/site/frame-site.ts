import { version } from '../lib/build-info.ts'
import type { FrameSite } from '../look/frame.ts'

interface SiteConfig {
  readonly site: Omit<FrameSite, 'version' | 'origin' | 'hasModels' | 'linksTo'> & {
    readonly baseUrl: string | null
  }
  readonly settings: {
    readonly modelPlazaEnabled: boolean
    readonly modelPlazaRequireAuth: boolean
  }
}

/** What the frame of the public pages says, by the configuration. */
export function frameSiteOf({ site, settings }: SiteConfig): FrameSite {
  const { name, logoUrl, accent, contact, docUrl, baseUrl } = site
  return {
    ...{ name, logoUrl, accent, contact, docUrl, version },
    origin: baseUrl === null ? null : new URL(baseUrl).origin,
    hasModels: settings.modelPlazaEnabled && !settings.modelPlazaRequireAuth,
  }
}
