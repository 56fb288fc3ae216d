import type { FrameSite } from '../../src/look/frame.ts'

/** A site of which nothing but the name is configured. */
export const siteNamed = (name: string): FrameSite => ({
  ...{ name, logoUrl: null, accent: null, contact: null, docUrl: null },
  ...{ version: '1.2.3', origin: null, hasModels: true },
})
