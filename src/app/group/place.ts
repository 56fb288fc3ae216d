import type { Config } from '../config/config.ts'

/** What a child of the starter needs to find the others of its group. */
export interface GroupPlace {
  /** Abstract Unix sockets of the keeper (`\0…`): for batches and calls, and for pages. */
  readonly link: string
  readonly pages: string
  /** What all processes of the group know, and no other. */
  readonly secret: string
  /** How many workers there are. */
  readonly workers: number
}

/** The keeper takes its share of memory, too. */
export const processesOf = ({ workers }: GroupPlace): number => workers + 1

/** What the keeper gives each worker when it serves itself, and again when it has changed. */
export interface Given {
  readonly config: Config
  /** What opens the keys of channels. */
  readonly secret: string
}
