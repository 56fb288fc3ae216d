import { Type } from '@sinclair/typebox'
import { limitFields } from '../resources/limits.ts'
import { viewProperties } from '../resources/resource.ts'

/** Limits of whatever has them. */
export const LimitsView = Type.Object(viewProperties(limitFields))

/** Limits to be set, which the rules of tollgate.yaml check: what is left out stays as it is. */
export const LimitsChange = Type.Partial(LimitsView)
