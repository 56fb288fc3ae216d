/** True in `bun run test:long`. */
const isLong = process.env.TOLLGATE_TEST_LONG === 'true'

/** How often something is tried by chance: few times in each run of all tests, many in a long one. */
export const rounds = (few: number, many: number): number => (isLong ? many : few)
