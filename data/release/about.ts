import manifest from '../../package.json'

interface About {
  readonly description: string
  readonly license: string
  /** As npm and Debian write it: `Name <address>`, or a name alone. */
  readonly author: string
  readonly homepage?: string
  /** Where people write of faults. */
  readonly bugs?: string
}

/** What package.json says of the project: packages of all kinds say the same. */
export const about: About = manifest
