/** True in `bun run test:long`. */
const isLong = process.env.TOLLGATE_TEST_LONG === 'true'

/** All of these in a long run, in each other one the first `few`: what is the same for each of them takes much time. */
export const someOf = <Item>(items: readonly Item[], few: number): Item[] =>
  items.slice(0, isLong ? items.length : few)

/** How often something is tried by chance: few times in each run of all tests, many in a long one. */
export const rounds = (few: number, many: number): number => (isLong ? many : few)
