/** Countries that are served, as they stand in a form. */
export interface RegionValues {
  kind: 'all' | 'allow' | 'deny'
  /** Codes, with commas or spaces between, where it is not all. */
  countries: string
}

interface Regions {
  readonly allow?: readonly string[] | undefined
  readonly deny?: readonly string[] | undefined
}

/** As a form shows them. */
export function regionValues(regions: Regions | null | undefined): RegionValues {
  const { allow, deny } = regions ?? {}
  const kind = allow ? 'allow' : deny ? 'deny' : 'all'
  return { kind, countries: (allow ?? deny ?? []).join(', ') }
}

/** As the API wants them. */
export function readRegions({ kind, countries }: RegionValues) {
  if (kind === 'all') return null
  return { [kind]: countries.split(/[\s,]+/).filter((code) => code !== '') }
}

/** The form's field of what the API says of `regions.allow.0`. */
export const regionField = (field: string): string =>
  field.split('.')[0] === 'regions' ? 'regions.countries' : field
