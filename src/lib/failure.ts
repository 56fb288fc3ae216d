/** What a failure says, whatever was thrown. */
export const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error)

/** The system's code of an error: `ENOENT`, `SQLITE_FULL` …; undefined: it has none. */
export const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error ? String(error.code) : undefined

/** The same, or the code of what caused it. */
export const failureCode = (error: unknown): string | undefined =>
  codeOf(error) ?? (error instanceof Error ? failureCode(error.cause) : undefined)
