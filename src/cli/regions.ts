import type { Command } from 'commander'
import { UsageError } from './errors.ts'
import { withCommas } from './values.ts'

export interface RegionOptions {
  readonly allowCountries?: readonly string[]
  readonly denyCountries?: readonly string[]
  readonly allCountries?: boolean
}

/** Adds the options for allowed countries. */
export const addRegionOptions = (command: Command): Command =>
  command
    .option(
      '--allow-countries <codes>',
      'only from these countries: codes with commas between, such as CN,US',
      withCommas,
    )
    .option('--deny-countries <codes>', 'from all countries but these', withCommas)

/** For commands that change a resource. */
export const addAllCountries = (command: Command): Command =>
  addRegionOptions(command).option('--all-countries', 'from all countries')

/** The options as the console's API has them: null is all countries. Throws for two at once. */
export function namedRegions({ allowCountries, denyCountries, allCountries }: RegionOptions): {
  readonly regions?: object | null
} {
  if ([allowCountries, denyCountries, allCountries].filter((one) => one !== undefined).length > 1)
    throw new UsageError(
      'Say one of --allow-countries, --deny-countries and --all-countries: each takes the place of the others.',
    )
  if (allowCountries) return { regions: { allow: allowCountries } }
  if (denyCountries) return { regions: { deny: denyCountries } }
  return allCountries ? { regions: null } : {}
}
