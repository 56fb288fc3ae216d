/** A text as one word of a POSIX shell. */
export const shellWord = (text: string) =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`

/** A text as a string of Python, TypeScript, JSON or TOML: they agree on these. */
export const quoted = (text: string) => JSON.stringify(text)

/** Data as one word of a POSIX shell. */
export const shellJson = (data: object) => shellWord(JSON.stringify(data))
