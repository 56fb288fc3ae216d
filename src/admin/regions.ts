import { Type } from '@sinclair/typebox'
import type { Regions } from '../store/ports/catalog.ts'

const countries = Type.Optional(Type.Array(Type.String({ maxLength: 64 }), { maxItems: 400 }))

/** Countries that are served, by their codes; the rules of tollgate.yaml say which of the two. */
export const RegionsView = Type.Object(
  { allow: countries, deny: countries },
  { description: '{ allow } alone: these countries; { deny } alone: all but these.' },
)

/** As the API shows them. */
export function viewRegions(regions: Regions | null) {
  if (regions === null) return null
  return 'allow' in regions ? { allow: [...regions.allow] } : { deny: [...regions.deny] }
}
