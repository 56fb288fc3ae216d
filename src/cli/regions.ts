import type { Command } from 'commander'
import type { Instance } from '../app/instance.ts'
import type { Regions } from '../store/ports/catalog.ts'
import { UsageError } from './errors.ts'
import { findCountryHeader } from './file-word.ts'
import { readFragment } from './fragment.ts'
import type { ConfigOption } from './open.ts'
import { withCommas } from './values.ts'

/** What the options say. */
export interface RegionOptions {
  readonly allowCountries?: readonly string[]
  readonly denyCountries?: readonly string[]
  readonly allCountries?: boolean
}

/** Adds the options that say which countries requests may come from. */
export const addRegionOptions = (command: Command): Command =>
  command
    .option(
      '--allow-countries <codes>',
      'only from these countries: codes with commas between, such as CN,US',
      withCommas,
    )
    .option('--deny-countries <codes>', 'from all countries but these', withCommas)

/** For commands that change what is there. */
export const addAllCountries = (command: Command): Command =>
  addRegionOptions(command).option('--all-countries', 'from all countries')

/** Whether they say anything. */
export const namesRegions = (options: RegionOptions): boolean =>
  (options.allowCountries ?? options.denyCountries ?? options.allCountries) !== undefined

/**
 * What they say; null: all countries. Throws `UsageError` for two at once, for codes that are none, and
 * where nothing tells a client's country.
 */
export async function readRegions(
  options: RegionOptions & ConfigOption,
  instance: Instance,
): Promise<Regions | null> {
  const { allowCountries: allow, denyCountries: deny, allCountries } = options
  if ([allow, deny, allCountries].filter((one) => one !== undefined).length > 1)
    throw new UsageError(
      'Say one of --allow-countries, --deny-countries and --all-countries: each takes the place of the others.',
    )
  if (allow === undefined && deny === undefined) return null
  const regions = { ...(allow && { allow }), ...(deny && { deny }) }
  const fragment = { groups: [{ name: 'any', channels: [], regions }] }
  const header = await findCountryHeader(options, instance)
  return readFragment(fragment, header).groups[0]?.regions ?? null
}

/** For people. */
export function describeRegions(regions: Regions | null): string {
  if (regions === null) return 'all'
  return 'allow' in regions
    ? `only ${regions.allow.join(', ')}`
    : `all but ${regions.deny.join(', ')}`
}
