/**
 * Countries that are served, by their codes (ISO 3166-1 alpha-2) in capitals: these alone, or all but
 * these.
 */
export type Regions = { readonly allow: readonly string[] } | { readonly deny: readonly string[] }
