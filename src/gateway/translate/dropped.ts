/** So many names are told; what a client sends may have any number. */
const maxNames = 20
const maxLength = 100

/** The value of `x-tollgate-dropped`: the fields that were left out, as the client wrote them. */
export function listDropped(names: readonly string[]): string {
  const shown = names.slice(0, maxNames).map(headerSafe)
  const rest = names.length - shown.length
  return [...shown, ...(rest > 0 ? [`and ${rest} more`] : [])].join(', ')
}

/** Names of unknown fields are the client's own: a header takes plain characters only. */
function headerSafe(name: string): string {
  if (name === '') return '""'
  return name.slice(0, maxLength).replace(/[^\x21-\x2b\x2d-\x7e]/g, '?')
}
